import type { Definition } from '../definition/definition.ts';
import type { ApiChange } from './difference.ts';

/** What callers notice, by the rules that clients live by. */
export function apiChanges(_before: Definition, _after: Definition): readonly ApiChange[] {
  return [];
}
