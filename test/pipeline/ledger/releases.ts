/** Releases for tests: their texts are short, and they differ by what is said to change. */
import type { Release } from '../../../compiler/definition/migration.ts';
import type { Repository } from '../../../pipeline/git/repository.ts';
import { type AppendedRelease, appendRelease } from '../../../pipeline/ledger/append-release.ts';
import { ledgerFor, newestRelease } from '../../../pipeline/ledger/ledger.ts';
import type { ReleaseTexts } from '../../../pipeline/ledger/release-files.ts';

export function releaseTexts(revision: string, before?: Release): ReleaseTexts {
  const statement = { sql: `ALTER TABLE "post" ADD COLUMN "c${revision.slice(0, 8)}" text`, says: 'add', hazards: [] };
  const steps = before ? [{ kind: 'transaction' as const, statements: [statement] }] : [];
  const release: Release = { revision, fingerprint: `schema-${revision.slice(0, 8)}`, steps };
  return {
    'definition.json': `{"of":"${revision}"}\n`,
    'migration.json': `${JSON.stringify(release)}\n`,
    'migration.sql': steps.length > 0 ? `${statement.sql};\n` : '',
    'openapi.json': '{}\n',
    'report.json': '{}\n',
    'schema.sql': '-- Überschrift\n',
  };
}

/** As a build does it: read, compare with the newest release, append. */
export function release(repository: Repository, branch: string, revision: string): AppendedRelease {
  const ledger = ledgerFor(repository, branch, revision);
  return appendRelease(repository, ledger, revision, releaseTexts(revision, newestRelease(ledger)?.release));
}
