/** Where plans are guarded, a release without the indexes that its endpoints need is refused before anything is recorded. */
import { lackingIndexLines } from '../difference/lacking-indexes.ts';
import { gatesOf } from '../git/gates.ts';
import type { Repository } from '../git/repository.ts';
import { BuildRefusal } from './build-refusal.ts';
import type { PreparedRelease } from './release-of-revision.ts';

interface Revision {
  readonly repository: Repository;
  readonly revision: string;
  readonly folder: string;
}

/** What was recorded once is not refused later. The test of the push asks Postgres the same. */
export function mustHaveIndexes({ repository, revision, folder }: Revision, release: PreparedRelease): void {
  const why = gatesOf(repository, revision, folder).get('plans');
  if (release.isRecorded || why === undefined) return;
  const lines = lackingIndexLines(release.definition);
  if (lines.length === 0) return;
  throw new BuildRefusal(`endpoints of this release lack an index, and ${why}; add the indexes`, lines.join('\n'));
}
