import { join } from 'node:path';
import { expect } from 'chai';
import { problemsBetween } from '../../../compiler/change/problems.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { ReleaseChain } from '../../../compiler/definition/migration.ts';
import { releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { storageFingerprint } from '../../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { definitionOf } from '../../compiler/emit-sql-database.ts';
import { type CaseFile, caseFiles } from '../../support/case-file.ts';
import { createDatabase } from '../../support/postgres.ts';
import { migrated } from './databases.ts';

/** Every case of a migration as a release: what `migrate` finds after each of its parts is as it should be. */
describe('`migrate` with releases of the compiler', () => {
  before(() => loadGrammar());

  for (const testCase of caseFiles(join(import.meta.dirname, '../../compiler/migrations'))) {
    it(testCase.name, async function () {
      const [previous, next] = [definitionIn(testCase, 'before'), definitionIn(testCase, 'after')];
      if (problemsBetween(previous, next).length > 0) return this.skip();
      const { client, url } = await createDatabase();
      await migrated(chainOf(previous), url);
      await client.query(testCase.files.get('rows.sql') ?? '');
      const chain = chainOf(previous, next);
      const { result } = await migrated(chain, url);
      expect(result, JSON.stringify(result)).to.include({ kind: 'done', position: 2 });
      const again = await migrated(chain, url, { dryRun: true });
      expect(again.result, JSON.stringify(again.result)).to.deep.include({ kind: 'done', applied: [] });
      const contracted = await migrated(chain, url, { contract: true });
      expect(contracted.result, JSON.stringify(contracted.result)).to.deep.include({ kind: 'done', pending: null });
    });
  }
});

function definitionIn({ sources }: CaseFile, name: string): Definition {
  return definitionOf(sources.filter(({ path }) => path === `${name}.kiln`));
}

function chainOf(previous: Definition, next?: Definition): ReleaseChain {
  const schema = schemaFromDefinition(next ?? previous);
  const first = { revision: '1'.repeat(40), fingerprint: storageFingerprint(previous), steps: [] };
  const second = next && {
    revision: '2'.repeat(40),
    fingerprint: storageFingerprint(next),
    ...releaseBetween(previous, next),
  };
  return { version: 1, releases: second ? [first, second] : [first], schema, schemaSql: schemaSql(schema) };
}
