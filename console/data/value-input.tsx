/** The control for a value, by the type of its column. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { DataColumn, DataPage } from '../../runtime/console/data/data-forms.ts';
import { consoleApi } from '../state/console-api.ts';
import type { FieldAttributes } from '../ui/field.tsx';
import { textOf } from './cell.tsx';
import { pagePath } from './data-links.ts';
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
  // Not asked again while somebody types: another control would lose the focus.
  const [hasLines] = useState(() => isComposed(column) || isLong(props.value));
  if (column.reference) return <ReferenceInput {...props} to={column.reference.to} />;
  if (column.isSecret) return <TextInput {...props} type="password" />;
  if (column.type === 'boolean' && !column.isList) return <Choice {...props} values={['true', 'false']} />;
  if (column.type === 'enum' && !column.isList) return <Choice {...props} values={column.values ?? []} />;
  if (hasLines) return <TextArea {...props} />;
  return <TextInput {...props} type={column.type === 'date' ? 'date' : 'text'} />;
}

function isLong(text: string): boolean {
  return text.length > 80 || text.includes('\n');
}

function TextInput({
  column,
  value,
  attributes,
  placeholder,
  onInput,
  onKeyDown,
  hasFocus,
  type,
}: ValueInputProps & { readonly type: 'text' | 'date' | 'password' }): JSX.Element {
  return (
    <input
      {...attributes}
      class="input"
      {
        // Preact's types know each type of an input by itself alone.
        ...({ type } as { readonly type: 'text' })
      }
      value={value}
      autocomplete={type === 'password' ? 'new-password' : 'off'}
      inputMode={INPUT_MODES[column.type] ?? 'text'}
      placeholder={placeholder ?? PLACEHOLDERS[column.type]}
      ref={hasFocus ? focus : null}
      onInput={(event) => onInput(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

const INPUT_MODES: Readonly<Partial<Record<DataColumn['type'], 'numeric' | 'decimal'>>> = {
  integer: 'numeric',
  float: 'decimal',
  decimal: 'decimal',
};

const PLACEHOLDERS: Readonly<Partial<Record<DataColumn['type'], string>>> = {
  timestamp: '2026-03-29T12:30:00Z',
  decimal: '12.50',
};

function focus(element: HTMLElement | null): void {
  element?.focus();
}

const MOST_LINES = 16;

function TextArea({
  column,
  value,
  attributes,
  placeholder,
  onInput,
  onKeyDown,
  hasFocus,
}: ValueInputProps): JSX.Element {
  const lines = value.split('\n').length + Math.floor(value.length / 80);
  return (
    <textarea
      {...attributes}
      class={`input ${isComposed(column) ? 'is-code' : ''}`}
      rows={Math.min(MOST_LINES, Math.max(3, lines))}
      value={value}
      placeholder={placeholder ?? (column.isList ? '[]' : undefined)}
      spellcheck={false}
      ref={hasFocus ? focus : null}
      onInput={(event) => onInput(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function Choice({
  values,
  value,
  attributes,
  placeholder,
  onInput,
  onKeyDown,
  hasFocus,
}: ValueInputProps & { readonly values: readonly string[] }): JSX.Element {
  return (
    <select
      {...attributes}
      class="input"
      value={value}
      ref={hasFocus ? focus : null}
      onChange={(event) => onInput(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    >
      {!values.includes(value) && <option value="">{placeholder ?? ''}</option>}
      {values.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}

/** An id, with suggestions: the first records of the model, by their names. */
function ReferenceInput({ to, ...props }: ValueInputProps & { readonly to: string }): JSX.Element {
  const list = useId();
  const [found, setFound] = useState<readonly (readonly [string, string])[] | null>(null);
  const load = async (): Promise<void> => {
    const model = modelNamed(to);
    if (found !== null || !model) return;
    setFound([]);
    const page = await consoleApi.json<DataPage>(pagePath(to, { sort: '', filters: [], page: 1 })).catch(() => null);
    const at = model.columns.findIndex(({ name }) => name === model.label);
    setFound((page?.rows ?? []).map((row) => [textOf(row[0] ?? null), at < 0 ? '' : textOf(row[at] ?? null)] as const));
  };
  return (
    <>
      <input
        {...props.attributes}
        class="input"
        list={list}
        value={props.value}
        autocomplete="off"
        placeholder={props.placeholder ?? `${to} id`}
        ref={props.hasFocus ? focus : null}
        onFocus={() => void load()}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        onKeyDown={props.onKeyDown}
      />
      <datalist id={list}>
        {found?.map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  );
}
