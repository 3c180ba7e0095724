/** Creates or changes a record without the rules of the API. Only changed values are sent. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DataColumn } from '../../runtime/console/data/data-forms.ts';
import { useSending } from '../state/console-api.ts';
import { Button, CheckBox, Field } from '../ui/controls.tsx';
import { Notice, withCode } from '../ui/text.tsx';
import { Uploads, useUploads } from '../ui/value-control.tsx';
import { typeText } from './cell.tsx';
import { type Draft, type DraftedColumn, sentColumns, valuesFrom } from './drafts.ts';
import { ValueInput } from './value-input.tsx';

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
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
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
