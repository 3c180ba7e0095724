/** What became of a model or a member since the last release: a sign for the eye, a word for the ear. */
import type { JSX } from 'preact';
import type { ChangeKind } from '../../runtime/console/api/release-changes.ts';

export const SIGNS: Readonly<Record<ChangeKind, string>> = { added: '+', changed: '~', removed: '−' };
const WORDS: Readonly<Record<ChangeKind, string>> = { added: 'new', changed: 'changed', removed: 'removed' };

export function ChangeMark({ change }: { readonly change: ChangeKind | undefined }): JSX.Element | null {
  if (change === undefined) return null;
  return <span class={`change is-${change}`}>{WORDS[change]}</span>;
}
