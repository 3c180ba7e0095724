/** Files of two releases: a rename costs nothing, and what is dropped is removed when the release is contracted. */
import { expect } from 'chai';
import { changesBetween } from '../../../compiler/change/changes-between.ts';
import { problemsBetween } from '../../../compiler/change/problems.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { apiChanges } from '../../../compiler/difference/api-changes.ts';
import { releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { definitionOf } from '../emit-sql-database.ts';

const programOf = (post: string, others = ''): Definition =>
  definitionOf([
    {
      path: 'main.kiln',
      text: `${others} model Post { field title { type string } ${post} } api { entrypoint Post { get endpoint {} create endpoint {} } }`,
    },
  ]);

const COVER = 'field cover { type file, nullable }';
const SCAN = 'field scan { type file, nullable }';
const NOTE = 'model Note { field scan { type file } }';

/** The jobs that are stored when the second release follows the first, and is contracted. */
async function jobsAfter(before: Definition, after: Definition, rows: string): Promise<readonly unknown[]> {
  const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(before)));
  await client.query(rows);
  const { steps, contract } = releaseBetween(before, after);
  await runSteps(client, steps);
  expect((await client.query('SELECT FROM kiln_jobs')).rowCount).to.equal(0);
  await runSteps(client, contract);
  const { rows: jobs } = await client.query<{ kind: string; input: object }>(
    'SELECT kind, input FROM kiln_jobs ORDER BY id',
  );
  return jobs.map(({ kind, input }) => [kind, input]);
}

describe('files of two releases', () => {
  before(() => loadGrammar());

  it('removes the files of a field that is dropped', async () => {
    const rows = `INSERT INTO post (title, cover, scan) VALUES ('a', '{"id":"1"}', '{"id":"2"}'), ('b', null, '{"id":"3"}')`;
    const after = programOf(`drop cover ${SCAN}`);
    expect(await jobsAfter(programOf(COVER + SCAN), after, rows)).to.deep.equal([
      ['remove file(file string)', { file: '1' }],
    ]);
  });

  it('removes the files of a model that is dropped', async () => {
    const [before, after] = [programOf(COVER, NOTE), programOf(COVER, 'drop model Note')];
    const rows = `INSERT INTO note (scan) VALUES ('{"id":"1"}'), ('{"id":"2"}')`;
    const jobs = await jobsAfter(before, after, rows);
    expect(jobs.map((job) => JSON.stringify(job)).sort()).to.deep.equal([
      '["remove file(file string)",{"file":"1"}]',
      '["remove file(file string)",{"file":"2"}]',
    ]);
  });

  it('renames a field without touching its files', async () => {
    const rows = `INSERT INTO post (title, cover) VALUES ('a', '{"id":"1"}')`;
    const after = programOf('field picture { type file, nullable, was cover }');
    expect(await jobsAfter(programOf(COVER), after, rows)).to.deep.equal([]);
  });

  it('keeps the table of uploads, and asks for no `drop job` where the last file goes', () => {
    const [first, second, none] = [programOf(COVER), programOf(COVER + SCAN), programOf('drop cover')];
    expect(changesBetween(first, second).map(({ kind }) => kind)).to.not.include('retire-table');
    expect(problemsBetween(first, none)).to.deep.equal([]);
  });

  it('tells callers of types and sizes that are not taken any more', () => {
    const limited = (rules: string) => programOf(`field cover { type file, nullable, ${rules} }`);
    const told = (before: Definition, after: Definition) =>
      apiChanges(before, after).map(({ level, rule }) => `${level} ${rule}`);
    const [wide, narrow] = [limited('accept { "image/*" }, max "5mb"'), limited('accept { "image/png" }, max "1mb"')];
    expect(told(wide, narrow)).to.deep.equal(['breaking input-stricter', 'breaking input-stricter']);
    expect(told(narrow, wide)).to.deep.equal(['compatible input-laxer', 'compatible input-laxer']);
    expect(told(programOf(COVER), limited('accept { "image/png" }'))).to.deep.equal(['breaking input-stricter']);
    expect(told(wide, wide)).to.deep.equal([]);
  });
});
