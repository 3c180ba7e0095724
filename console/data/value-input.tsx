/** The control for a value, by the type of its column. */
import type { JSX } from 'preact';
import type { DataColumn } from '../../runtime/console/data/data-forms.ts';
import { consoleApi } from '../state/console-api.ts';
import { uploaded } from '../state/files.ts';
import { ValueControl, type ValueControlProps, type ValueKind } from '../ui/value-control.tsx';
import { isComposed } from './drafts.ts';

interface ValueInputProps extends ValueControlProps {
  readonly model: string;
  readonly column: DataColumn;
}

export function ValueInput({ model, column, placeholder, ...props }: ValueInputProps): JSX.Element {
  const { type, reference } = column;
  const usual = reference ? `${reference.to} id` : column.isList ? '[]' : PLACEHOLDERS[type];
  return (
    <ValueControl
      {...props}
      kind={kindOf(column)}
      placeholder={placeholder ?? usual}
      choices={choicesOf(column, props.value, placeholder)}
      names={reference ? { model: reference.to, field: 'id' } : null}
      inputMode={type === 'integer' ? 'numeric' : ['float', 'decimal'].includes(type) ? 'decimal' : undefined}
      upload={(file) =>
        uploaded(file, (body) => consoleApi.json(`files/${model}/${column.name}`, { method: 'POST', body }))
      }
    />
  );
}

function kindOf(column: DataColumn): ValueKind {
  const { type, isSecret } = column;
  if (isSecret) return 'secret';
  if (isComposed(column)) return 'code';
  return type === 'date' || type === 'timestamp' || type === 'file' ? type : 'text';
}

/** A value that is none of them, such as null, is shown as the first one. */
function choicesOf({ type, isList, values = [] }: DataColumn, value: string, placeholder = '') {
  const choices = isList ? [] : type === 'boolean' ? ['true', 'false'] : type === 'enum' ? values : [];
  return choices.length === 0 || choices.includes(value) ? choices : [['', placeholder] as const, ...choices];
}

export const PLACEHOLDERS: Readonly<Partial<Record<DataColumn['type'], string>>> = {
  timestamp: '2026-03-29T12:30:00Z',
  date: '2026-03-29',
  decimal: '12.50',
};
