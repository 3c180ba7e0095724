import type * as program from '../program/program.ts';

/** Gives what was made of a part before, where that part is the same. */
export interface KeptParts {
  /** `key` says what else it is made of. */
  made<T>(part: program.Model | program.Endpoint, key: string, make: () => T): T;
}

export const NOTHING_KEPT: KeptParts = { made: (_part, _key, make) => make() };
