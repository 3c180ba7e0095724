import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { indexFindings } from '../../../runtime/query/index-advice.ts';
import {
  definitionOf,
  EXAMPLES,
  everythingDefinition,
  exampleDefinition,
  exampleFolder,
} from '../../compiler/openapi/documents.ts';
import { exampleHooks } from '../../support/example-hooks.ts';
import { comparisonsIn, explainedIndexes } from '../../support/explained-indexes.ts';
import { createDatabase } from '../../support/postgres.ts';
import { expectedAdvice, planCases, withIndexes } from './plan-cases.ts';

/** Enough rows for Postgres to have an opinion of its own. */
const RECORDS = `
  INSERT INTO author (name, email) SELECT 'a' || n, 'a' || n FROM generate_series(1, 50) AS n;
  INSERT INTO post (author_id, title, status, score)
    SELECT 1 + n % 50, 't' || n, 'open', n FROM generate_series(1, 3000) AS n;
  INSERT INTO comment (post_id, body) SELECT 1 + n % 3000, 'b' FROM generate_series(1, 6000) AS n;
  ANALYZE`;

describe('the indexes that a definition lacks', () => {
  before(() => loadGrammar());

  it('are named for each endpoint, and Postgres lacks the same', async () => {
    const definition = casesWith([]);
    expect(adviceIn(definition)).to.have.members(expectedAdvice());
    expect(await explainedAdvice(definition)).to.have.members(expectedAdvice());
  });

  it('are none where all of them are there, for Postgres too', async () => {
    const definition = casesWith(expectedAdvice().map((line) => line.slice(line.indexOf(': ') + 2)));
    expect(adviceIn(definition)).to.deep.equal([]);
    expect(await explainedAdvice(definition)).to.deep.equal([]);
  });

  it('are told with what is filtered or ordered by', () => {
    const findings = indexFindings(casesWith([]));
    const says = (path: string) => findings.find(({ sender }) => sender === `GET /api/post/${path}`)?.says;
    expect(says('two_tables')).to.equal('reads every `Post` to filter by `status`');
    expect(says('order')).to.equal('sorts every matching `Post` by `created_at` to give a part of them');
    expect(says(':post_id/comments/page')).to.include('sorts every matching `Comment` by `created_at`');
  });

  for (const example of EXAMPLES) {
    it(`are those of the plans of ${example}, with and without its indexes`, async () => {
      const definition = exampleDefinition(example);
      const hooks = await exampleHooks(exampleFolder(example), definition);
      expect(adviceIn(definition)).to.deep.equal([]);
      expect(await explainedAdvice(definition, hooks)).to.deep.equal([]);
      const bare = withoutIndexes(definition);
      expect(adviceIn(bare)).to.have.members(await explainedAdvice(bare, hooks)).and.not.to.be.empty;
    });
  }

  it('are those of the plans of a program with one of everything', async () => {
    const definition = withoutIndexes(everythingDefinition());
    expect(adviceIn(definition)).to.have.members(await explainedAdvice(definition));
  });
});

describe('the plans that the advice is compared with', () => {
  it('are the same in a database with records that Postgres has counted', async () => {
    expect(await explainedAdvice(casesWith([]), {}, RECORDS)).to.have.members(expectedAdvice());
  });

  it('have conditions as Postgres prints them', () => {
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

function casesWith(advice: readonly string[]): Definition {
  return definitionOf([{ path: 'cases.kiln', text: withIndexes(planCases(), advice) }]);
}

function withoutIndexes(definition: Definition): Definition {
  const models = definition.models.map((model) => ({
    ...model,
    indexes: [],
    fields: model.fields.map((field) => ({ ...field, index: false })),
  }));
  return { ...definition, models };
}

function adviceIn(definition: Definition): readonly string[] {
  return indexFindings(definition).map(({ sender, advice }) => `${sender}: ${advice}`);
}

async function explainedAdvice(definition: Definition, hooks = {}, records = ''): Promise<readonly string[]> {
  const { client } = await createDatabase();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  if (records !== '') await client.query(records);
  const found = await explainedIndexes(definition, client, hooks);
  return found.map(({ sender, advice }) => `${sender}: ${advice}`);
}
