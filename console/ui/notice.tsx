import type { ComponentChildren, JSX } from 'preact';
import type { Loaded as LoadedState } from '../state/api-document.ts';
import { Button } from './button.tsx';
import { withCode } from './text.tsx';

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
