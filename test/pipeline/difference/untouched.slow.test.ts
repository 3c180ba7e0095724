/**
 * A difference works out only the endpoints that a change may touch. Here every endpoint is worked out, and it comes to the
 * same.
 */
import { resolve } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../../../compiler/compile.ts';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Endpoint } from '../../../compiler/definition/endpoint.ts';
import { accessRules } from '../../../compiler/difference/access-rules.ts';
import { routesOf } from '../../../compiler/difference/api-routes.ts';
import { formerNames } from '../../../compiler/difference/meaning.ts';
import { untouchedBetween } from '../../../compiler/difference/touched.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../../files/file-text.ts';
import { readSources } from '../../../files/read-sources.ts';
import { planOf } from '../../../runtime/plan/endpoint-plan.ts';
import { statementCountIn } from '../../../runtime/plan/statement-count.ts';
import { lackingIndexes } from '../../../runtime/query/index-advice.ts';
import { SLIP, type Slip, slipped } from '../../compiler/difference/api/slips.ts';

const EXAMPLES = ['blog', 'bookings', 'helpdesk', 'projects', 'shop'];
/** A few in each run; `SLIPS=200` tries more. */
const RUNS = Number(process.env.SLIPS ?? 8);

describe('the difference after random edits', () => {
  before(() => loadGrammar());

  for (const name of EXAMPLES) {
    it(`is the same for ${name}, whether or not unchanged endpoints are left out`, () => {
      const folder = resolve(import.meta.dirname, '../../../examples', name);
      const { sources } = readSources(folder);
      const compiled = (slips: readonly Slip[]) =>
        compile(slips.reduce(slipped, sources), fileTextIn(folder)).definition;
      const text = definitionText(compiled([]) as Definition);
      const seen = { compared: 0, untouched: 0 };
      fc.assert(
        fc.property(fc.array(SLIP, { minLength: 1, maxLength: 3 }), (slips) => {
          // What is wrong together may be right alone.
          const after = compiled(slips) ?? compiled(slips.slice(0, 1));
          if (after === undefined) return;
          seen.compared++;
          seen.untouched += expectUntouchedToBeSame(JSON.parse(text) as Definition, after);
        }),
        { numRuns: RUNS },
      );
      expect(seen.compared).to.be.greaterThan(0);
      expect(seen.untouched).to.be.greaterThan(0);
    });
  }

  it('notices that an endpoint changed through a field that it reads', () => {
    const [before, after] = ['integer', 'string'].map((type) => definitionOf(`type ${type}`)) as [
      Definition,
      Definition,
    ];
    expect(pairsOf(before, after).filter(isUntouchedIn(before, after))).to.deep.equal([]);
  });
});

function definitionOf(field: string): Definition {
  const text = `model Note {
  field size { ${field} }
}

api {
  entrypoint Note {
    response { id, size }
    list endpoint {}
    create endpoint { action { create { input { size } } } }
  }
}
`;
  return compile([{ path: 'note.kiln', text }]).definition as Definition;
}

type Pair = readonly [before: Endpoint, after: Endpoint];

function pairsOf(before: Definition, after: Definition): readonly Pair[] {
  const former = new Map(before.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  return after.endpoints.flatMap((endpoint) => {
    const one = former.get(endpoint.id);
    return one ? [[one, endpoint] as const] : [];
  });
}

function isUntouchedIn(before: Definition, after: Definition): (pair: Pair) => boolean {
  const isUntouched = untouchedBetween(before, after);
  return ([one, other]) => isUntouched(one, other);
}

/** Gives how many there were. */
function expectUntouchedToBeSame(before: Definition, after: Definition): number {
  const untouched = pairsOf(before, after).filter(isUntouchedIn(before, after));
  const names = formerNames(before, after);
  const [earlier, later] = [workedOut(before, accessRules(before)), workedOut(after, accessRules(after, names))];
  for (const [one, other] of untouched) expect(earlier(one), other.id).to.deep.equal(later(other));
  return untouched.length;
}

/** What the endpoints of a definition are for callers, whom they let in, and what they cost. */
function workedOut(definition: Definition, rules: ReturnType<typeof accessRules>): (endpoint: Endpoint) => object {
  const routes = new Map(routesOf(definition).map((route) => [route.endpoint.id, route]));
  const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
  const countOf = statementCountIn(definition);
  const lacking = lackingIndexes(definition);
  return (endpoint) => ({
    contract: withoutWords(routes.get(endpoint.id)?.contract()),
    rule: ruleOf.get(endpoint.id),
    statements: countOf(planOf(endpoint, definition)),
    lacking: lacking.get(endpoint.id),
  });
}

/** Words for people are no part of a difference. */
function withoutWords(contract: unknown): unknown {
  return JSON.parse(JSON.stringify(contract, (key, value) => (key === 'description' ? undefined : value)));
}
