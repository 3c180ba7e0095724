/** The control for one value, by its kind. */
import { createContext, type JSX } from 'preact';
import { useContext, useId, useReducer, useRef, useState } from 'preact/hooks';
import { useLoading, useSending } from '../state/console-api.ts';
import { type Suggestion, suggestionsFor } from '../state/records.ts';
import type { Named } from '../state/schema.ts';
import { type FieldAttributes, FieldError, Select } from './controls.tsx';

export type ValueKind = 'text' | 'lines' | 'code' | 'secret' | 'date' | 'timestamp' | 'file';

export interface ValueControlProps {
  readonly kind?: ValueKind;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** The values to choose from, each with its shown text if that is another one; any value if there are none. */
  readonly choices?: readonly (string | readonly [value: string, text: string])[];
  /** The records that the value names. */
  readonly names?: Named | null;
  /** Sends a file, and returns the value that stands for it. */
  readonly upload?: ((file: File) => Promise<string>) | undefined;
  readonly attributes?: Partial<FieldAttributes> & { readonly 'aria-label'?: string; readonly required?: boolean };
  readonly placeholder?: string | undefined;
  readonly inputMode?: 'numeric' | 'decimal' | undefined;
  readonly disabled?: boolean;
  readonly hasFocus?: boolean;
}

export function ValueControl(props: ValueControlProps): JSX.Element {
  const { value, onInput, choices = [], names, attributes, placeholder, inputMode, disabled = false } = props;
  // The kind is decided once: another control would lose the focus while somebody types.
  const [kind] = useState(() => kindFor(props));
  const list = useId();
  const suggestions = useSuggestions(names);
  const shared = {
    ...attributes,
    class: `input ${kind === 'code' ? 'is-code' : ''}`,
    ref: props.hasFocus ? focus : null,
    value,
    disabled,
    placeholder,
    onInput: (event: { currentTarget: EventTarget }) => onInput((event.currentTarget as HTMLInputElement).value),
  };
  if (kind === 'file') return <FileControl {...props} />;
  if (choices.length > 0) return <Select {...shared} options={choices} onChange={onInput} />;
  if (kind === 'lines' || kind === 'code') return <textarea {...shared} rows={rowsFor(value)} spellcheck={false} />;
  if (kind === 'timestamp')
    return (
      <span class="line">
        <input
          {...shared}
          type="datetime-local"
          step={1}
          value={value.replace(/Z$/, '')}
          onInput={({ currentTarget: { value: moment } }) => onInput(timestampFrom(moment))}
        />
        <span class="soft small">UTC</span>
      </span>
    );
  return (
    <>
      <input
        {...shared}
        {
          // Preact's types know each type of an input by itself alone.
          ...({ type: kind === 'secret' ? 'password' : kind } as { readonly type: 'text' })
        }
        autocomplete={kind === 'secret' ? 'new-password' : 'off'}
        inputMode={inputMode ?? 'text'}
        spellcheck={false}
        list={suggestions.length > 0 ? list : undefined}
      />
      <datalist id={list}>
        {suggestions.map(({ value: known, label }) => (
          <option key={known} value={known}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** What a picker of moments can show. */
const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;

function kindFor({ kind = 'text', value }: ValueControlProps): ValueKind {
  if (kind === 'timestamp' && !MOMENT.test(value)) return 'text';
  return kind === 'text' && (value.length > 80 || value.includes('\n')) ? 'lines' : kind;
}

function timestampFrom(moment: string): string {
  if (moment === '') return '';
  return `${moment}${moment.length === '2026-03-29T12:30'.length ? ':00' : ''}Z`;
}

const MOST_ROWS = 16;

function rowsFor(value: string): number {
  return Math.min(MOST_ROWS, Math.max(3, value.split('\n').length + Math.floor(value.length / 80)));
}

function focus(element: HTMLElement | null): void {
  element?.focus();
}

/** The value is typed if there are none. */
function useSuggestions(names: Named | null | undefined): readonly Suggestion[] {
  const load = async (): Promise<readonly Suggestion[]> => (names ? suggestionsFor(names) : []);
  return useLoading(load, [names?.model, names?.field]).value ?? [];
}

/** Tells the form that one file more is being sent, or one less. */
export const Uploads = createContext<(by: 1 | -1) => void>(() => undefined);

/** The number of files that a form is sending. It has no values for them yet, so it cannot be saved. */
export function useUploads() {
  return useReducer((count: number, by: 1 | -1) => count + by, 0);
}

/** The file is sent as soon as it is chosen. */
function FileControl({ attributes, disabled, onInput, upload }: ValueControlProps): JSX.Element {
  const { isBusy, rejection, send } = useSending();
  // Other values may be typed while the file is sent.
  const latest = useRef(onInput);
  latest.current = onInput;
  const count = useContext(Uploads);
  const choose = (file: File | undefined): void => {
    if (!file || !upload) return;
    count(1);
    void send(async () => latest.current(await upload(file))).finally(() => count(-1));
  };
  return (
    <>
      <input
        {...attributes}
        class="input"
        type="file"
        disabled={disabled || isBusy}
        onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
      />
      {isBusy && (
        <p class="soft small" role="status">
          Uploading … The form can be sent after it.
        </p>
      )}
      {rejection && (
        <FieldError>
          {rejection.message ??
            Object.entries(rejection.columns)
              .map((each) => each.join(' '))
              .join(', ')}
        </FieldError>
      )}
    </>
  );
}
