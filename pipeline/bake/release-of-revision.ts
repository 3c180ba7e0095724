/**
 * What a revision is as a release: compared with the release before it on its branch, or as it was recorded when it
 * was released already. Nothing is written here.
 */

import { changesBetween } from '../../compiler/change/changes-between.ts';
import type { ChangeProblem } from '../../compiler/change/problems.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { definitionText } from '../../compiler/definition/definition-text.ts';
import type { Release, ReleaseChain } from '../../compiler/definition/migration.ts';
import { migrationSql } from '../../compiler/emit/migration/migration-sql.ts';
import { releaseBetween } from '../../compiler/emit/migration/release-between.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { once } from '../../files/once.ts';
import type { Commit } from '../git/commit.ts';
import type { Repository } from '../git/repository.ts';
import { chainOf, type Ledger, newestRelease, readReleaseTexts, releaseOf } from '../ledger/ledger.ts';
import type { ReleaseTexts } from '../ledger/release-files.ts';
import { reportText } from './report.ts';

export interface PreparedRelease {
  /** Written out when they are first asked for: whoever only checks a push has no use for them. */
  readonly texts: ReleaseTexts;
  readonly definition: Definition;
  /** With this release at its end. */
  readonly chain: ReleaseChain;
  readonly isRecorded: boolean;
  /** What it was compared with: only where the ledger still ends there may it be appended. */
  readonly ledger: Ledger;
}

interface ReleaseInput {
  readonly application: string;
  readonly commit: Commit;
  readonly definition: Definition;
  readonly ledger: Ledger;
}

export function preparedRelease(
  repository: Repository,
  input: ReleaseInput,
): PreparedRelease | readonly ChangeProblem[] {
  const { ledger, commit } = input;
  const recorded = releaseInLedger(repository, ledger, commit.revision);
  if (recorded) return recorded;
  const newest = newestRelease(ledger);
  const previous = newest ? (JSON.parse(readReleaseTexts(repository, newest)['definition.json']) as Definition) : null;
  return newRelease(input, previous);
}

/** As it was recorded; nothing where the revision has not been released. */
export function releaseInLedger(repository: Repository, ledger: Ledger, revision: string): PreparedRelease | undefined {
  const recorded = releaseOf(ledger, revision);
  return recorded && recordedRelease(readReleaseTexts(repository, recorded), ledger, revision);
}

function recordedRelease(texts: ReleaseTexts, ledger: Ledger, revision: string): PreparedRelease {
  const definition = JSON.parse(texts['definition.json']) as Definition;
  const chain = chainFrom(chainOf(ledger, revision), definition, texts['schema.sql']);
  return { texts, definition, chain, isRecorded: true, ledger };
}

function newRelease(
  { application, commit, definition, ledger }: ReleaseInput,
  previous: Definition | null,
): PreparedRelease | readonly ChangeProblem[] {
  const problems = previous ? changesBetween(previous, definition).problems : [];
  if (problems.length > 0) return problems;
  const schema = schemaFromDefinition(definition);
  const release: Release = {
    revision: commit.revision,
    fingerprint: storageFingerprint(definition),
    ...(previous ? releaseBetween(previous, definition) : { steps: [] }),
  };
  const sql = schemaSql(schema);
  const texts = once(
    (): ReleaseTexts => ({
      'definition.json': definitionText(definition),
      'schema.sql': sql,
      'migration.sql': migrationSql(release.steps, release.contract),
      'migration.json': `${JSON.stringify(release, null, 2)}\n`,
      'openapi.json': openApiText(
        openApiFromDefinition(definition, { title: application, version: commit.revision.slice(0, 12) }),
      ),
      'report.json': reportText({ application, commit, definition, previous, release }),
    }),
  );
  const chain = chainFrom([...chainOf(ledger), release], definition, sql);
  return {
    get texts() {
      return texts();
    },
    definition,
    chain,
    isRecorded: false,
    ledger,
  };
}

function chainFrom(releases: readonly Release[], definition: Definition, sql: string): ReleaseChain {
  return { version: 1, releases, schema: schemaFromDefinition(definition), schemaSql: sql };
}
