/** Texts of a page: with code in them, times and sizes, badges, and notices while there is nothing else to show. */
import type { ComponentChildren, JSX } from 'preact';
import type { Loaded as LoadedState } from '../state/store.ts';
import { Button } from './controls.tsx';

/** A text in which backticks are around code. */
export function withCode(text: string): ComponentChildren {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

/** A text of an author: it has only paragraphs, lists and code. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="prose">
      {text.split(/\n\n+/).map((block) => {
        const lines = block.split('\n');
        if (!lines.every((line) => line.startsWith('- '))) return <p key={block}>{withCode(block)}</p>;
        return (
          <ul key={block}>
            {lines.map((line) => (
              <li key={line}>{withCode(line.slice(2))}</li>
            ))}
          </ul>
        );
      })}
    </div>
  );
}

// ── Times and sizes for people ───────────────────────────────────────────────────────────────────────────────────────

export function msText(milliseconds: number): string {
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds >= 100) return `${Math.round(milliseconds)} ms`;
  return milliseconds >= 10 ? `${milliseconds.toFixed(1)} ms` : `${milliseconds.toFixed(2)} ms`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The time of the day, in the time zone of the browser. */
export const clockText = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
}).format;

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

// ── Badges ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `get`, in the colour of the method. */
export function MethodBadge({ method }: { readonly method: string }): JSX.Element {
  const name = method.toLowerCase();
  return <span class={`method is-${name}`}>{name === 'delete' ? 'DEL' : name.toUpperCase()}</span>;
}

/** The status of a response: green, blue, amber or red. */
export function StatusBadge({ status }: { readonly status: number | string }): JSX.Element {
  return <span class={`status is-${String(status)[0]}xx`}>{status}</span>;
}

// ── Notices ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface NoticeProps {
  readonly kind?: 'info' | 'error' | 'empty';
  /** The content. Backticks in a text mark code. */
  readonly children: ComponentChildren;
}

export function Notice({ kind = 'info', children }: NoticeProps): JSX.Element {
  return (
    <div class={`notice box padded soft is-${kind}`} {...(kind === 'error' ? { role: 'alert' } : {})}>
      {typeof children === 'string' ? withCode(children) : children}
    </div>
  );
}

export function Failed({ error, onRetry }: { readonly error: string; readonly onRetry: () => void }): JSX.Element {
  return (
    <>
      <Notice kind="error">{error}</Notice>
      <Button onClick={onRetry}>Retry</Button>
    </>
  );
}

export function Spinner({ label }: { readonly label: string }): JSX.Element {
  return (
    <p class="padded soft" role="status">
      {label}
    </p>
  );
}

interface LoadedProps<T> {
  readonly of: LoadedState<T> & { readonly reload?: () => void };
  readonly label?: string;
  readonly children: (value: T) => JSX.Element;
}

/** Shows a value once it is loaded; before that a spinner, and the error if there is one. */
export function Loaded<T>({ of, label = 'Loading …', children }: LoadedProps<T>): JSX.Element {
  const { value, error, reload } = of;
  return (
    <>
      {error !== null && (reload ? <Failed error={error} onRetry={reload} /> : <Notice kind="error">{error}</Notice>)}
      {value !== null ? children(value) : error === null && <Spinner label={label} />}
    </>
  );
}
