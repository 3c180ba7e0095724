import type { Repository } from '../git/repository.ts';
import { trailersBetween } from '../git/trailers.ts';

/** The trailer of a commit that gives the reason: `Breaking: <reason>`. */
export const BREAKING = 'Breaking';

/** The reasons that commits since the release before give for breaking changes of the API. */
export function breakingReasons(repository: Repository, previous: string | null, revision: string): readonly string[] {
  return previous === null ? [] : trailersBetween(repository, previous, revision, BREAKING);
}
