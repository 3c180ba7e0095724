/**
 * Ledgers, journals, reports and deployments that somebody pushes. They may be handed over and may grow, as when a CI job
 * hands back its release; nobody may shorten them from afar, which is what `git push --mirror` from a clone without them would do.
 */
import { readObjects } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { isAncestor } from '../git/revision.ts';
import { readChain } from '../ledger/read-chain.ts';
import { PushRefusal } from './push-refusal.ts';
import { idOrNull } from './pushed-branches.ts';

export interface PushedRecord {
  readonly reference: string;
  /** Null where it is new. */
  readonly from: string | null;
  /** Null where it is to be deleted. */
  readonly to: string | null;
}

export function pushedRecords(text: string): readonly PushedRecord[] {
  return text.split('\n').flatMap((line) => {
    const [, from = '', to = '', reference] = /^(\S+) (\S+) (refs\/kiln\/.+)$/.exec(line) ?? [];
    return reference === undefined ? [] : [{ reference, from: idOrNull(from), to: idOrNull(to) }];
  });
}

export function mustOnlyGrow(repository: Repository, { reference, from, to }: PushedRecord): void {
  if (to === null) throw kept(repository, reference, 'deleted');
  const kind = /\/(releases|builds|reports|deployed)\/[^/]+$/.exec(reference)?.[1];
  if (from !== null && !isGrown(repository, kind, from, to)) throw kept(repository, reference, 'rewritten');
  if (kind === 'releases') readChain(repository, reference, to);
}

function isGrown(repository: Repository, kind: string | undefined, from: string, to: string): boolean {
  if (kind === 'builds') return startsWith(repository, to, from);
  return kind !== undefined && isAncestor(repository, from, to);
}

/** A journal is a list of lines, behind no commit. */
function startsWith(repository: Repository, after: string, before: string): boolean {
  const [longer, shorter] = readObjects(repository, [after, before]);
  if (longer?.type !== 'blob' || shorter?.type !== 'blob') return false;
  return longer.content.subarray(0, shorter.content.length).equals(shorter.content);
}

function kept({ sharedFolder }: Repository, reference: string, how: string): PushRefusal {
  const what = `\`${reference}\` records what databases have gone through, so it is not ${how} by a push`;
  const advice = `push branches by their names, without --mirror; where you mean it, run \`git update-ref -d ${reference}\` in`;
  return new PushRefusal(`${what}; ${advice} \`${sharedFolder}\` first`);
}
