/** Which locks of Postgres are stronger than others. Not all can be compared, so what counts is who waits for them. */

/** From the manual of Postgres, "Conflicting Lock Modes". */
const CONFLICTS: Readonly<Record<string, readonly string[]>> = {
  'ACCESS SHARE': ['ACCESS EXCLUSIVE'],
  'ROW SHARE': ['EXCLUSIVE', 'ACCESS EXCLUSIVE'],
  'ROW EXCLUSIVE': ['SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'],
  'SHARE UPDATE EXCLUSIVE': ['SHARE UPDATE EXCLUSIVE', 'SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'],
  SHARE: ['ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'],
  'SHARE ROW EXCLUSIVE': [
    'ROW EXCLUSIVE',
    'SHARE UPDATE EXCLUSIVE',
    'SHARE',
    'SHARE ROW EXCLUSIVE',
    'EXCLUSIVE',
    'ACCESS EXCLUSIVE',
  ],
  EXCLUSIVE: [
    'ROW SHARE',
    'ROW EXCLUSIVE',
    'SHARE UPDATE EXCLUSIVE',
    'SHARE',
    'SHARE ROW EXCLUSIVE',
    'EXCLUSIVE',
    'ACCESS EXCLUSIVE',
  ],
};

/** A mode that is not known conflicts with everything, as ACCESS EXCLUSIVE does. */
function conflictsOf(mode: string): readonly string[] {
  return CONFLICTS[mode] ?? [...Object.keys(CONFLICTS), 'ACCESS EXCLUSIVE'];
}

/** Whether nobody waits for this lock who would not wait for the others too. */
export function isCovered(mode: string, others: readonly string[]): boolean {
  const waiting = new Set(others.flatMap(conflictsOf));
  return conflictsOf(mode).every((other) => waiting.has(other));
}

/**
 * A table is read with ACCESS SHARE, a row is kept with ROW SHARE. No request and no vacuum waits for these, so nothing
 * is predicted about them.
 */
export function counts(mode: string): boolean {
  return mode !== 'ACCESS SHARE' && mode !== 'ROW SHARE';
}

/** `AccessExclusiveLock` of `pg_locks` is `ACCESS EXCLUSIVE` in SQL. */
export function modeFromCatalog(name: string): string {
  return name
    .replace(/Lock$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();
}
