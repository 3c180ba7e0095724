import type { Definition } from '../definition/definition.ts';
import type { AccessChange } from './difference.ts';

/** Who may call what, where that is not as it was. */
export function accessChanges(_before: Definition, _after: Definition): readonly AccessChange[] {
  return [];
}
