import { expect } from 'chai';
import { pathPattern } from '../../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { checkApplication } from '../../../runtime/check.ts';
import { configFromEnvironment } from '../../../runtime/config/config-from-environment.ts';
import { adviceFor, missingIndexes } from '../../../runtime/plan/missing-indexes.ts';
import { wantedIndexesIn } from '../../../runtime/query/wanted-indexes.ts';
import {
  definitionOf,
  EXAMPLES,
  everythingDefinition,
  exampleDefinition,
  exampleFolder,
} from '../../compiler/openapi/documents.ts';
import { exampleHooks } from '../../support/example-hooks.ts';
import { createDatabase } from '../../support/postgres.ts';
import { expectedAdvice, planCases, withIndexes } from './plan-cases.ts';

describe('the indexes that a definition wants', () => {
  before(() => loadGrammar());

  it('are those that the check of plans names', () => {
    expect(adviceIn(casesWith([]))).to.have.members(expectedAdvice());
  });

  it('are none where all of them are there', () => {
    const advice = expectedAdvice().map((line) => line.slice(line.indexOf(': ') + 2));
    expect(adviceIn(casesWith(advice))).to.deep.equal([]);
  });

  for (const example of EXAMPLES) {
    it(`are those of the plans of ${example}, with and without its indexes`, async () => {
      const definition = exampleDefinition(example);
      expect(adviceIn(definition)).to.deep.equal([]);
      const hooks = await exampleHooks(exampleFolder(example), definition);
      const bare = withoutIndexes(definition);
      expect(adviceIn(bare)).to.have.members(await explainedAdvice(bare, hooks)).and.not.to.be.empty;
    });
  }

  it('are those of the plans of a program with one of everything', async () => {
    const definition = withoutIndexes(everythingDefinition());
    expect(adviceIn(definition)).to.have.members(await explainedAdvice(definition));
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
  const wantedBy = wantedIndexesIn(definition);
  const wanted = definition.endpoints.flatMap((endpoint) => wantedBy(endpoint).map((want) => ({ ...want, endpoint })));
  const lines = missingIndexes(wanted, definition).flatMap((missing, at) => {
    const { method = '', path = [] } = wanted[at]?.endpoint ?? {};
    return missing ? [`${method} ${pathPattern(path)}: ${adviceFor(missing, definition)}`] : [];
  });
  return [...new Set(lines)];
}

async function explainedAdvice(definition: Definition, hooks = {}): Promise<readonly string[]> {
  const { url, client } = await createDatabase();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  const read = configFromEnvironment({ DATABASE_URL: url });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { plans } = await checkApplication({ definition, hooks, config: read.config, explainsPlans: true });
  return plans?.findings.map(({ sender, advice }) => `${sender}: ${advice}`) ?? [];
}
