import type { JSX } from 'preact';

/** `get`, in the colour of the method. */
export function MethodBadge({ method }: { readonly method: string }): JSX.Element {
  const name = method.toLowerCase();
  return <span class={`method is-${name}`}>{name === 'delete' ? 'DEL' : name.toUpperCase()}</span>;
}

/** The status of a response: green, blue, amber or red. */
export function StatusBadge({ status }: { readonly status: number | string }): JSX.Element {
  return <span class={`status is-${String(status)[0]}xx`}>{status}</span>;
}
