/** By which a database knows what was run in it: the same text means the same statements in the same order. */
import { createHash } from 'node:crypto';
import { type MigrationStep, type Release, type ReleaseChain, schemaParts } from './migration.ts';

/** Of all that is run, in order. The words about it and its hazards may be put better without being another release. */
export function releaseChecksum({ steps, contract }: Pick<Release, 'steps' | 'contract'>): string {
  const parts = steps.map(partsThatRun);
  const removed = contract?.map(partsThatRun);
  return createHash('sha256')
    .update(JSON.stringify(removed === undefined ? parts : [parts, removed]))
    .digest('hex');
}

/** Of what undoes a release, in the order in which it is run. */
export function undoChecksum(steps: readonly MigrationStep[]): string {
  return `${UNDO}${createHash('sha256')
    .update(JSON.stringify(steps.map(partsThatRun)))
    .digest('hex')}`;
}

/** How it begins. */
export const UNDO = 'undo ';

export function isUndoChecksum(checksum: string): boolean {
  return checksum.startsWith(UNDO);
}

/** How it begins for a release that a database has given up. */
export const WITHDRAWN = 'withdrawn by ';

/** What the row of a withdrawn release has in place of a checksum. Its fingerprint is that of the release before. */
export function withdrawnMark(by: string): string {
  return `${WITHDRAWN}${by}`;
}

/** The revision of the release that this one was withdrawn by; nothing for one that is complete. */
export function withdrawnBy({ checksum }: { readonly checksum: string }): string | undefined {
  return checksum.startsWith(WITHDRAWN) ? checksum.slice(WITHDRAWN.length) : undefined;
}

function partsThatRun(step: MigrationStep): readonly unknown[] {
  switch (step.kind) {
    case 'transaction':
      return [step.kind, step.statements.map(({ sql }) => sql)];
    case 'index':
      return [step.kind, step.name, step.statement.sql];
    case 'backfill':
      return [step.kind, step.pending, step.statement.sql];
  }
}

/** Of what makes the tables of an empty database, part by part: another build of Kiln may cut it elsewhere. */
export function partsChecksum(chain: ReleaseChain): string {
  return createHash('sha256')
    .update(JSON.stringify(schemaParts(chain)))
    .digest('hex');
}
