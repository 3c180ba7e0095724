/** What is said of an enum or a shape is said once, whatever the number of its endpoints. */
import { quoted } from './api-names.ts';
import type { ApiChange } from './difference.ts';

export function together(changes: readonly ApiChange[]): readonly ApiChange[] {
  const groups = new Map<string, [ApiChange, ...ApiChange[]]>();
  for (const change of changes) {
    const key = isShared(change) ? JSON.stringify([change.rule, wordsOf(change)]) : change.says;
    const known = groups.get(key);
    if (known) known.push(change);
    else groups.set(key, [change]);
  }
  return [...groups.values()].map(([first, ...others]) => joined(first, others));
}

function isShared({ subject }: ApiChange): boolean {
  return subject.kind === 'enum' || subject.kind === 'application';
}

function wordsOf({ says, endpoint }: ApiChange): string {
  return says.slice(`${endpoint}: `.length);
}

function joined(first: ApiChange, others: readonly ApiChange[]): ApiChange {
  const endpoints = [...new Set([first, ...others].flatMap(({ endpoint }) => endpoint ?? []))].sort();
  if (endpoints.length <= 1) return first;
  const [one = '', ...more] = endpoints;
  const rest = more.length === 1 ? `and ${quoted(more[0] ?? '')}` : `and ${more.length} more endpoints`;
  return { ...first, endpoint: null, says: `${wordsOf(first)} (${quoted(one)} ${rest})` };
}
