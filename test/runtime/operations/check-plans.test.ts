import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { checkApplication } from '../../../runtime/check.ts';
import { configFromEnvironment } from '../../../runtime/config/config-from-environment.ts';
import { checkPlans, type PlanCheck } from '../../../runtime/endpoints/check-plans.ts';
import { comparisonsIn } from '../../../runtime/endpoints/plan-conditions.ts';
import { createLog } from '../../../runtime/observe/log.ts';
import type { Database } from '../../../runtime/query/database.ts';
import { definitionOf, EXAMPLES, exampleDefinition, exampleFolder } from '../../compiler/openapi/documents.ts';
import { exampleHooks } from '../../support/example-hooks.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { expectedAdvice, planCases, withIndexes } from './plan-cases.ts';

describe('the check of plans', () => {
  let empty: PlanCheck;

  before(async () => {
    await loadGrammar();
    const definition = definitionFrom(planCases());
    empty = await explained(definition, await made(definition));
  });

  for (const example of EXAMPLES) {
    it(`finds an index for every filter and order of ${example}`, async () => {
      const definition = exampleDefinition(example);
      const hooks = await exampleHooks(exampleFolder(example), definition);
      const plans = await explained(definition, await made(definition), hooks);
      expect(adviceIn(plans)).to.deep.equal([]);
      expect(plans.explained).to.be.greaterThan(definition.endpoints.length / 2);
    });
  }

  it('names the index that each endpoint lacks', () => {
    expect(adviceIn(empty)).to.have.members(expectedAdvice());
  });

  it('says what is filtered or ordered by', () => {
    const says = (path: string) => empty.findings.find(({ sender }) => sender === `GET /api/post/${path}`)?.says;
    expect(says('two_tables')).to.equal('reads every `Post` to filter by `status`');
    expect(says('order')).to.equal('sorts every matching `Post` by `created_at` to give a part of them');
    expect(says(':post_id/comments/page')).to.include('sorts every matching `Comment` by `created_at`');
  });

  it('finds nothing any more where every index is added that it names', async () => {
    const advice = empty.findings.map((finding) => finding.advice);
    const definition = definitionFrom(withIndexes(planCases(), advice));
    expect(adviceIn(await explained(definition, await made(definition)))).to.deep.equal([]);
  });

  it('finds the same in a database with records that Postgres has counted', async () => {
    const definition = definitionFrom(planCases());
    const database = await made(definition);
    await database.client.query(`
      INSERT INTO author (name, email) SELECT 'a' || n, 'a' || n FROM generate_series(1, 50) AS n;
      INSERT INTO post (author_id, title, status, score)
        SELECT 1 + n % 50, 't' || n, 'open', n FROM generate_series(1, 3000) AS n;
      INSERT INTO comment (post_id, body) SELECT 1 + n % 3000, 'b' FROM generate_series(1, 6000) AS n;
      ANALYZE`);
    expect(adviceIn(await explained(definition, database))).to.have.members(expectedAdvice());
  });

  it('says so where the server is too old', async () => {
    const { findings, skipped } = await checkPlans([], definitionFrom(planCases()), serverOf('150004'));
    expect({ findings, skipped }).to.deep.equal({ findings: [], skipped: 'PostgreSQL 15 cannot explain them, 16 can' });
  });

  it('reads conditions as Postgres prints them', () => {
    const compared = (condition: string) =>
      comparisonsIn(condition, '#0').map(({ kind, column }) => `${kind} ${column}`);
    expect(compared(`(("#0".a = $1) AND (NOT "#0"."b c") AND "#0".d)`)).to.deep.equal([
      'equal a',
      'equal b c',
      'equal d',
    ]);
    expect(compared(`("#0".a = ANY ($1))`)).to.deep.equal(['range a']);
    expect(compared(`(("#0".a = 1) OR ("#0".a > 3))`)).to.deep.equal(['range a']);
    expect(compared(`(("#0".a = 1) OR ("#0".b = 3))`)).to.deep.equal([]);
    expect(compared(`(($1 OR ("#0".a = 1)) AND ("#0".b IS NULL))`)).to.deep.equal(['range b']);
    expect(compared(`(("#0".a = ' AND ("#0".z = 1)'::text) AND ("#1".b = 2))`)).to.deep.equal(['equal a']);
    expect(compared(`(lower("#0".a) = $1)`)).to.deep.equal([]);
    expect(compared(`(ROW("#0".a, "#0".id) > ROW($1, $2))`)).to.deep.equal(['range a']);
    expect(compared(`('3'::bigint < "#0".a)`)).to.deep.equal(['range a']);
  });
});

function definitionFrom(text: string): Definition {
  return definitionOf([{ path: 'plans.kiln', text }]);
}

function adviceIn({ findings }: PlanCheck): readonly string[] {
  return findings.map(({ sender, advice }) => `${sender}: ${advice}`);
}

async function made(definition: Definition): Promise<TestDatabase> {
  const database = await createDatabase();
  await database.client.query(schemaSql(schemaFromDefinition(definition)));
  return database;
}

async function explained(definition: Definition, { url }: TestDatabase, hooks = {}): Promise<PlanCheck> {
  const read = configFromEnvironment({ DATABASE_URL: url });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const log = createLog('silent');
  const { plans } = await checkApplication({ definition, hooks, config: read.config, log, explainsPlans: true });
  return plans as PlanCheck;
}

/** A server that says only of which version it is. */
function serverOf(version: string): Database {
  const session = () => ({
    query: (_: object, done: (error: null, result: object) => void) =>
      done(null, { rows: [{ server_version_num: version }] }),
  });
  return { transaction: (work: (transaction: object) => unknown) => work({ session }) } as unknown as Database;
}
