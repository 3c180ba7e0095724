/**
 * The effects of a step of a migration on users of the database. A push, a difference and a report use the same words.
 */
import type { Hazard, LockMode } from '../definition/migration.ts';

/** The requests that wait for a lock. A request takes no lock that conflicts with the weaker ones. */
const WAITS_FOR_LOCK: Readonly<Record<LockMode, string>> = {
  'ACCESS EXCLUSIVE': 'reads and writes wait for a moment',
  'SHARE ROW EXCLUSIVE': 'writes wait for a moment',
  SHARE: 'writes wait for a moment',
  'SHARE UPDATE EXCLUSIVE': 'reads and writes continue',
  'ROW EXCLUSIVE': 'reads and writes continue',
};

const WAITS_FOR_SCAN: Readonly<Record<Extract<Hazard, { kind: 'scan' }>['blocks'], string>> = {
  everything: 'reads and writes wait until it is done',
  writes: 'writes wait until it is done',
  nothing: 'nothing waits',
};

/** One sentence, without a full stop, in two parts: what happens, and who waits for it. */
function partsOf(hazard: Hazard): readonly [what: string, waits?: string] {
  switch (hazard.kind) {
    case 'lock':
      return [`locks "${hazard.table}"`, WAITS_FOR_LOCK[hazard.mode]];
    case 'rewrite':
      return [`rewrites "${hazard.table}"`, 'reads and writes wait until it is done'];
    case 'scan':
      return [`scans "${hazard.table}"`, WAITS_FOR_SCAN[hazard.blocks]];
    case 'data-loss':
      return [`deletes ${hazard.what}`];
    case 'may-fail':
      return [`may fail: ${hazard.why}`];
    // Values that two releases share, and hazards that only a newer Kiln knows.
    default:
      return [hazard.what];
  }
}

export function hazardWords(hazard: Hazard): string {
  return partsOf(hazard).join(': ');
}

/** The words without those about waiting. Locks that block no requests are left out. */
export function shortHazardWords(hazard: Hazard): readonly string[] {
  const [what, waits] = partsOf(hazard);
  return hazard.kind === 'lock' && waits === WAITS_FOR_LOCK['ROW EXCLUSIVE'] ? [] : [what];
}
