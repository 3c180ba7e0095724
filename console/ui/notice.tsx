import type { ComponentChildren, JSX } from 'preact';

interface NoticeProps {
  readonly kind?: 'info' | 'error' | 'empty';
  readonly children: ComponentChildren;
}

export function Notice({ kind = 'info', children }: NoticeProps): JSX.Element {
  return (
    <div class={`notice is-${kind}`} {...(kind === 'error' ? { role: 'alert' } : {})}>
      {children}
    </div>
  );
}

export function Spinner({ label }: { readonly label: string }): JSX.Element {
  return (
    <p class="spinner" role="status">
      {label}
    </p>
  );
}
