/**
 * Ledgers between clones. Git fetches and pushes branches alone unless it is told, so a build outside of the repository
 * that keeps the ledgers brings them first and hands its release back. Neither way is forced: history is only added.
 */
import { gitFailure } from '../git/git-refusal.ts';
import { moveReference, type Reference, referencesFromText, referencesIn } from '../git/references.ts';
import { askGit, type Repository } from '../git/repository.ts';
import { isAncestor } from '../git/revision.ts';
import type { GitResult } from '../git/run-git.ts';
import { recordsOf } from './ledger-reference.ts';
import { LedgerRefusal } from './ledger-refusal.ts';

/** Afterwards each ledger here is at least as far as the other repository's; one that is further stays so. */
export function fetchLedgers(repository: Repository, remote: string): void {
  const own = new Map(referencesIn(repository, recordsOf(repository, 'releases')).map(({ name, id }) => [name, id]));
  const changed = ledgersOf(repository, remote).filter(({ name, id }) => own.get(name) !== id);
  if (changed.length === 0) return;
  reached(remote, askGit(repository, ['fetch', '--quiet', '--no-tags', remote, ...changed.map(({ name }) => name)]));
  for (const reference of changed) follow(repository, remote, reference, own.get(reference.name) ?? null);
}

export function pushLedger(repository: Repository, remote: string, reference: string): void {
  const result = askGit(repository, ['push', '--quiet', '--no-verify', remote, `${reference}:${reference}`]);
  if (/\[(remote )?rejected\]/.test(result.stderr)) throw notTaken(remote, reference);
  reached(remote, result);
}

function notTaken(remote: string, reference: string): LedgerRefusal {
  const why = 'another build recorded a release first, or such pushes are refused there';
  const what = `\`${remote}\` did not take \`${reference}\`: ${why}; fetch the ledgers and build again`;
  return new LedgerRefusal('overtaken', what);
}

function ledgersOf(repository: Repository, remote: string): readonly Reference[] {
  const result = askGit(repository, ['ls-remote', '--quiet', remote, `${recordsOf(repository, 'releases')}/*`]);
  reached(remote, result);
  return referencesFromText(result.bytes.toString('utf8'));
}

function follow(repository: Repository, remote: string, { name, id }: Reference, own: string | null): void {
  const isBehind = own === null || isAncestor(repository, own, id);
  if (!isBehind && !isAncestor(repository, id, own)) throw diverged(remote, name);
  if (isBehind) moveReference(repository, name, own, id);
}

function diverged(remote: string, name: string): LedgerRefusal {
  const what = `\`${name}\` here and at \`${remote}\` have gone different ways`;
  const advice = `to take theirs, run \`git fetch ${remote} '+${name}:${name}'\``;
  return new LedgerRefusal('not-exchanged', `${what}; ${advice}`);
}

function reached(remote: string, { status, stderr }: GitResult): void {
  if (status === 0) return;
  throw new LedgerRefusal('not-exchanged', gitFailure(`exchange ledgers with \`${remote}\``, stderr).message);
}
