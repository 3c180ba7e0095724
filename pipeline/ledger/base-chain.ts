/**
 * Where a branch without releases starts: at the newest release, on the ledger of any branch, whose revision the new
 * one descends from. A release of the very same revision is the newest there can be.
 */
import type { Repository } from '../git/repository.ts';
import { ancestorsOf, mainLineOf, newestOf } from '../git/revision.ts';
import { type LedgerLine, ledgerLines } from './ledger-lines.ts';
import { type RecordedRelease, readChain } from './read-chain.ts';

interface Candidate {
  readonly reference: string;
  readonly commit: string;
  readonly revision: string;
}

/** Oldest first; empty where no ancestor has been released. */
export function baseChain(repository: Repository, revision: string): readonly RecordedRelease[] {
  const ancestors = ancestorsOf(repository, revision);
  const known = new Set(ancestors);
  const candidates = ledgerLines(repository).flatMap((line) => candidateOf(line, revision, known));
  if (candidates.length === 0) return [];
  const newest = new Set(newestOf(repository, [...new Set(candidates.map((candidate) => candidate.revision))]));
  // After a merge several may be newest: the line that was merged into goes first.
  const chosen = [...mainLineOf(repository, revision), ...ancestors].find((each) => newest.has(each));
  const base = candidates.find((candidate) => candidate.revision === chosen);
  return base ? readChain(repository, base.reference, base.commit) : [];
}

/** The order of the ledger is that of the databases, so the last of its releases counts, not the nearest in history. */
function candidateOf(
  { reference, releases }: LedgerLine,
  revision: string,
  ancestors: ReadonlySet<string>,
): readonly Candidate[] {
  const same = releases.find((release) => release.revision === revision);
  const found = same ?? releases.find((release) => ancestors.has(release.revision));
  return found ? [{ reference, ...found }] : [];
}
