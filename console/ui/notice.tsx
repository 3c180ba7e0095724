import type { ComponentChildren, JSX } from 'preact';
import { Button } from './button.tsx';
import { withCode } from './text.tsx';

interface NoticeProps {
  readonly kind?: 'info' | 'error' | 'empty';
  /** In a text, backticks are around code. */
  readonly children: ComponentChildren;
}

export function Notice({ kind = 'info', children }: NoticeProps): JSX.Element {
  return (
    <div class={`notice is-${kind}`} {...(kind === 'error' ? { role: 'alert' } : {})}>
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
    <p class="spinner" role="status">
      {label}
    </p>
  );
}
