/** Creates or changes a record without the rules of the API. Only changed values are sent. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DataColumn } from '../../runtime/console/data/data-forms.ts';
import { consoleApi, useSending } from '../state/console-api.ts';
import { uploaded } from '../state/files.ts';
import { Button, CheckBox, Field } from '../ui/controls.tsx';
import { Notice, withCode } from '../ui/text.tsx';
import { Uploads, useUploads, ValueControl, type ValueControlProps, type ValueKind } from '../ui/value-control.tsx';
import { typeText } from './cell.tsx';
import { type Draft, type DraftedColumn, type Drafts, isComposed, sentColumns, valuesFrom } from './drafts.ts';

export interface EditedColumn extends DraftedColumn {
  readonly placeholder?: string;
  readonly isRequired?: boolean;
}

interface RecordFormProps {
  readonly model: string;
  readonly columns: readonly EditedColumn[];
  readonly action: string;
  readonly onSave: (values: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly onCancel: () => void;
  /** Whether the first control takes the focus. */
  readonly hasFocus?: boolean;
}

export function RecordForm(props: RecordFormProps): JSX.Element {
  const { model, columns, action, onSave, onCancel, hasFocus = false } = props;
  const [drafts, setDrafts] = useState<Drafts>({});
  const [own, setOwn] = useState<Readonly<Record<string, string>>>({});
  const { isBusy, rejection, send } = useSending();
  const [uploads, countUploads] = useUploads();
  const change = (name: string, draft: Draft): void => setDrafts({ ...drafts, [name]: draft });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (uploads > 0) return;
    const { values, errors: invalid } = valuesFrom(sentColumns(columns, drafts), drafts);
    const missing = columns.filter(({ column, isRequired }) => isRequired && !(column.name in drafts));
    const untold = missing.map(({ column }) => [column.name, 'must not be null']);
    const errors = { ...invalid, ...Object.fromEntries(untold) };
    setOwn(errors);
    if (Object.keys(errors).length === 0) void send(() => onSave(values));
  };
  const errorOf = (name: string): string | undefined => own[name] ?? rejection?.columns[name];
  const others = Object.entries(rejection?.columns ?? {}).filter(
    ([name]) => !columns.some(({ column }) => column.name === name),
  );
  return (
    <form class="data-form vertical" onSubmit={submit} noValidate>
      <RawNote />
      <Uploads.Provider value={countUploads}>
        {columns.map(({ column, draft, placeholder, isRequired = false }, at) => (
          <ColumnField
            key={column.name}
            model={model}
            column={column}
            draft={column.name in drafts ? (drafts[column.name] ?? null) : draft}
            placeholder={placeholder}
            isRequired={isRequired}
            error={errorOf(column.name)}
            onChange={(next) => change(column.name, next)}
            hasFocus={hasFocus && at === 0}
          />
        ))}
      </Uploads.Provider>
      {(rejection?.message || others.length > 0) && (
        <Notice kind="error">
          {rejection?.message ?? others.map(([name, message]) => `${name} ${message}`).join(', ')}
        </Notice>
      )}
      <div class="buttons">
        <Button look="primary" type="submit" isBusy={isBusy || uploads > 0}>
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

interface ColumnFieldProps {
  readonly model: string;
  readonly column: DataColumn;
  readonly draft: Draft;
  readonly placeholder: string | undefined;
  readonly isRequired: boolean;
  readonly error: string | undefined;
  readonly onChange: (draft: Draft) => void;
  readonly hasFocus: boolean;
}

function ColumnField(props: ColumnFieldProps): JSX.Element {
  const { model, column, draft, placeholder, isRequired, error, onChange, hasFocus } = props;
  const { name, doc, isNullable, isPassword } = column;
  const help = isPassword ? 'A password. Its hash is stored.' : doc && withCode(doc);
  return (
    <Field
      label={name}
      marks={
        <>
          <span class="data-type">{typeText(column)}</span>
          {isRequired && <span class="note is-required">required</span>}
          {isNullable && (
            <CheckBox
              label={`${name} is null`}
              text="null"
              isOn={draft === null}
              onChange={(isOn) => onChange(isOn ? null : '')}
            />
          )}
        </>
      }
      help={help}
      error={error}
    >
      {(attributes) => (
        <ValueInput
          model={model}
          column={column}
          value={draft ?? ''}
          attributes={attributes}
          placeholder={placeholder ?? (draft === null ? 'null' : undefined)}
          onInput={onChange}
          hasFocus={hasFocus}
        />
      )}
    </Field>
  );
}

/** The note beside everything that changes records without the API. */
export function RawNote(): JSX.Element {
  return (
    <p class="data-raw small">
      <strong>Direct change:</strong> the rules of the API (validators, access, hooks) are not applied.
    </p>
  );
}

// ── Value input ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The control for a value, by the type of its column.

interface ValueInputProps extends ValueControlProps {
  readonly model: string;
  readonly column: DataColumn;
}

function ValueInput({ model, column, placeholder, ...props }: ValueInputProps): JSX.Element {
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
