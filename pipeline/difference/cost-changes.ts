import type { Definition } from '../../compiler/definition/definition.ts';
import type { Line } from '../../compiler/difference/difference.ts';

/** What a request costs the database, where that is not as it was. */
export interface CostChange extends Line {
  readonly endpoint: string;
  /** `index`: no index serves its filter or its order. */
  readonly kind: 'statements' | 'index';
  readonly direction: 'more' | 'less';
}

export function costChanges(_before: Definition, _after: Definition): readonly CostChange[] {
  return [];
}
