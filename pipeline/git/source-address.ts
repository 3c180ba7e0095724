/**
 * Where the sources are published: `source` in `kiln.json`; null where it says nothing. The remote of a clone is not
 * asked, because another clone of the same commit may have another one.
 */
import { projectSettings } from './project-settings.ts';
import type { Repository } from './repository.ts';

export function sourceAddress(repository: Repository, revision: string, folder = repository.folder): string | null {
  return projectSettings(repository, revision, folder).source ?? null;
}
