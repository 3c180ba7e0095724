import type { Definition } from '../definition/definition.ts';
import type { DataDifference } from './difference.ts';

/** What a database of the earlier definition goes through. */
export function dataDifference(_before: Definition, _after: Definition): DataDifference {
  return { steps: [], later: [], unsafeBeside: null };
}
