/** The control for a value, by the type of its column. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DataColumn, DataPage } from '../../runtime/console/data/data-forms.ts';
import { consoleApi } from '../state/console-api.ts';
import { type FieldAttributes, Select, SuggestingInput, type Suggestion } from '../ui/field.tsx';
import { textOf } from './cell.tsx';
import { pagePath } from './data-links.tsx';
import { modelNamed } from './data-state.ts';
import { isComposed } from './drafts.ts';

interface ValueInputProps {
  readonly column: DataColumn;
  readonly value: string;
  readonly attributes?: Partial<FieldAttributes> & { readonly 'aria-label'?: string };
  readonly placeholder?: string | undefined;
  readonly onInput: (value: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly hasFocus?: boolean;
}

export function ValueInput(props: ValueInputProps): JSX.Element {
  const { column } = props;
  // The kind of control is decided once: another control would lose the focus while somebody types.
  const [hasLines] = useState(() => isComposed(column) || props.value.length > 80 || props.value.includes('\n'));
  if (column.reference) return <ReferenceInput {...props} to={column.reference.to} />;
  if (column.isSecret) return <TextInput {...props} type="password" />;
  if (column.type === 'boolean' && !column.isList) return <Choice {...props} values={['true', 'false']} />;
  if (column.type === 'enum' && !column.isList) return <Choice {...props} values={column.values ?? []} />;
  if (hasLines) return <TextArea {...props} />;
  return <TextInput {...props} type={column.type === 'date' ? 'date' : 'text'} />;
}

/** The props that all controls share. */
function sharedOf({ attributes, value, onInput, onKeyDown, hasFocus }: ValueInputProps) {
  return {
    ...attributes,
    class: 'input',
    value,
    ref: hasFocus ? focus : null,
    onInput: (event: { currentTarget: EventTarget }) => onInput((event.currentTarget as HTMLInputElement).value),
    onKeyDown,
  };
}

function TextInput({ type, ...props }: ValueInputProps & { readonly type: 'text' | 'date' | 'password' }): JSX.Element {
  const { column, placeholder } = props;
  return (
    <input
      {...sharedOf(props)}
      {
        // Preact's types know each type of an input by itself alone.
        ...({ type } as { readonly type: 'text' })
      }
      autocomplete={type === 'password' ? 'new-password' : 'off'}
      inputMode={INPUT_MODES[column.type] ?? 'text'}
      placeholder={placeholder ?? PLACEHOLDERS[column.type]}
    />
  );
}

const INPUT_MODES: Readonly<Partial<Record<DataColumn['type'], 'numeric' | 'decimal'>>> = {
  integer: 'numeric',
  float: 'decimal',
  decimal: 'decimal',
};

export const PLACEHOLDERS: Readonly<Partial<Record<DataColumn['type'], string>>> = {
  timestamp: '2026-03-29T12:30:00Z',
  date: '2026-03-29',
  decimal: '12.50',
};

function focus(element: HTMLElement | null): void {
  element?.focus();
}

const MOST_LINES = 16;

function TextArea(props: ValueInputProps): JSX.Element {
  const { column, value, placeholder } = props;
  const lines = value.split('\n').length + Math.floor(value.length / 80);
  return (
    <textarea
      {...sharedOf(props)}
      class={`input ${isComposed(column) ? 'is-code' : ''}`}
      rows={Math.min(MOST_LINES, Math.max(3, lines))}
      placeholder={placeholder ?? (column.isList ? '[]' : undefined)}
      spellcheck={false}
    />
  );
}

function Choice({ values, ...props }: ValueInputProps & { readonly values: readonly string[] }): JSX.Element {
  const { value, placeholder, onInput } = props;
  const options = [...(values.includes(value) ? [] : [['', placeholder ?? ''] as const]), ...values];
  return <Select {...sharedOf(props)} options={options} onChange={onInput} />;
}

/** An id, with suggestions: the first records of the model, by their names. */
function ReferenceInput({ to, ...props }: ValueInputProps & { readonly to: string }): JSX.Element {
  const [found, setFound] = useState<readonly Suggestion[] | null>(null);
  const load = async (): Promise<void> => {
    const model = modelNamed(to);
    if (found !== null || !model) return;
    setFound([]);
    const page = await consoleApi.json<DataPage>(pagePath(to, { sort: '', filters: [], page: 1 })).catch(() => null);
    const at = model.columns.findIndex(({ name }) => name === model.label);
    setFound(
      (page?.rows ?? []).map((row) => ({
        value: textOf(row[0] ?? null),
        label: at < 0 ? '' : textOf(row[at] ?? null),
      })),
    );
  };
  return (
    <SuggestingInput
      {...sharedOf(props)}
      placeholder={props.placeholder ?? `${to} id`}
      suggestions={found ?? []}
      onFocus={() => void load()}
    />
  );
}
