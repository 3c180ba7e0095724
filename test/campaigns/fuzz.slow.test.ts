/** A short run of the campaign, and whether it would notice what it looks for. */
import { expect } from 'chai';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { randomFrom } from '../../runtime/populate/random.ts';
import { definitionOf } from '../compiler/openapi/documents.ts';
import { createDatabase } from '../support/postgres.ts';
import { disagreements, refusesNobody } from './fuzz/access.ts';
import { applicationNamed } from './fuzz/applications.ts';
import { fuzzApplication } from './fuzz/campaign.ts';
import { inconsistencies } from './fuzz/database-check.ts';
import { growsTooFast, HOSTILE_TEXTS } from './fuzz/growth.ts';
import { KnownValues } from './fuzz/known-values.ts';
import { leaksInAnswer, leaksInLog } from './fuzz/leaks.ts';
import { PASSWORD, SECRET_NUMBER, SECRET_TEXT, SENT } from './fuzz/marks.ts';
import { Operations } from './fuzz/operations.ts';
import { curlOf, Report } from './fuzz/report.ts';
import { Requests, requestOf } from './fuzz/requests.ts';
import { Values } from './fuzz/values.ts';
import { wildRequest } from './fuzz/wild.ts';
import type { ReceivedAnswer } from './send.ts';
import { startTamperingProxy, type Tamper, type TamperingProxy, withJson } from './tampering-proxy.ts';

/** By operation and rule. */
const EXPECTED = [
  'storeCategoriesList status',
  'storeProductsList leak',
  'storeProductsList schema',
  'storeOrdersList schema',
  'backofficeCouponsList access',
  'backofficeReviewsList no answer',
  'backofficeCustomersList leak',
  'backofficeOrdersList server fault',
  'backofficeProductsList header',
  'backofficeCouponsCreate leak',
];

const SEED = 7;
const REQUESTS = 400;
const CLIENTS = 6;

describe('fuzzing, in a short run', () => {
  let report: Report;
  let spoiled: Report;

  before(async function () {
    this.timeout(180_000);
    [report, spoiled] = await Promise.all([fuzzed(), fuzzed(planted)]);
  });

  it('finds nothing wrong with the shop', () => {
    expect(report.requests).to.be.at.least(REQUESTS);
    expect(report.text()).to.include('\n0 failures');
  });

  for (const each of EXPECTED) {
    it(`finds what is planted in an answer: ${each}`, () => {
      expect([...spoiled.failures.values()].map(({ place, rule }) => `${place} ${rule}`)).to.include(each);
    });
  }

  it('says how a failure can be seen again', () => {
    const failure = [...spoiled.failures.values()].find(({ place }) => place === 'storeProductsList');
    expect(failure?.repro)
      .to.match(/seed 7, request \d+/)
      .and.match(/curl -i .*'http:/);
  });
});

async function fuzzed(tamper?: Tamper): Promise<Report> {
  const report = new Report();
  const { url: databaseUrl } = await createDatabase();
  const application = await applicationNamed('shop');
  const proxies: TamperingProxy[] = [];
  const through = async (url: string) => {
    if (tamper) proxies.push(await startTamperingProxy(url, tamper));
    return proxies[0]?.url ?? url;
  };
  const only = tamper ? EXPECTED.map((each) => each.split(' ')[0] ?? '') : [];
  const limit = { requests: REQUESTS };
  await fuzzApplication({ application, databaseUrl, seed: SEED, limit, clients: CLIENTS, report, only, through });
  await Promise.all(proxies.map((proxy) => proxy.close()));
  return report;
}

// ── Planted faults ──────────────────────────────────────────────────────────────────────────────────────────────────

type Planted = (answer: ReceivedAnswer, authorization: string) => ReceivedAnswer | null;

/** By method and path. */
const PLANTED: Readonly<Record<string, Planted>> = {
  'GET /api/store/categories': (answer) => ({ ...answer, status: 299 }),
  'GET /api/store/products': (answer) =>
    ifOk(answer, (body: { data: object[] }) => ({
      ...body,
      data: body.data.map((each) => ({ ...each, cost: `${SECRET_NUMBER}.5` })),
    })),
  'GET /api/store/orders': (answer) => ifOk(answer, (body: object) => ({ ...body, page: 'one' })),
  'GET /api/backoffice/coupons': (answer) => (answer.status === 401 ? { ...answer, status: 200, text: '[]' } : answer),
  'GET /api/backoffice/reviews': (answer) => (answer.status === 403 ? null : answer),
  'GET /api/backoffice/customers': (answer, authorization) =>
    ifOk(answer, (body: object) => ({ ...body, note: authorization })),
  'GET /api/backoffice/orders': (answer) => (answer.status === 403 ? { ...answer, status: 500 } : answer),
  'GET /api/backoffice/products': (answer) => ({ ...answer, headers: { ...answer.headers, 'kiln-contract': 'x' } }),
  'POST /api/backoffice/coupons': (answer) =>
    answer.status < 400 ? answer : withJson(answer, (body: object) => ({ ...body, detail: STATEMENT })),
};

const STATEMENT = 'select "coupon"."id" from "coupon" where "code" = $1';

const planted: Tamper = async ({ method, target, headers }, forward) => {
  const answer = await forward();
  const plant = PLANTED[`${method} ${target.split('?')[0]}`];
  return plant ? plant(answer, headers.authorization ?? '') : answer;
};

function ifOk<T>(answer: ReceivedAnswer, change: (body: T) => unknown): ReceivedAnswer {
  return answer.status === 200 ? withJson(answer, change as (body: never) => unknown) : answer;
}

describe('the requests of a run', () => {
  it('are the same for the same seed, and others for another one', async () => {
    const { document, definition } = await applicationNamed('shop');
    const { client } = await createDatabase();
    const operations = new Operations(document, definition);
    const known = new KnownValues(definition, client);
    const caller = { name: 'nobody', token: null, isGood: null };
    const sent = (seed: string) => {
      const random = randomFrom(seed);
      const requests = new Requests(random, new Values(random, operations, known, definition), known);
      const drafts = operations.all.map((operation) => requests.spoiled(requests.draft(operation, caller)));
      return drafts.map((draft) => curlOf('', wildRequest(requestOf(draft, 'nearly valid'), random))).join('\n');
    };
    expect(sent('a')).to.equal(sent('a'));
    expect(sent('a')).to.not.equal(sent('b'));
  });
});

describe('growth', () => {
  it('is found where the time more than doubles twice over', () => {
    expect(growsTooFast([20, 40, 80])).to.equal(false);
    expect(growsTooFast([20, 80, 320])).to.equal(true);
    expect(growsTooFast([0.1, 0.5, 2])).to.equal(false);
  });

  it('is measured with texts that are as long as they should be', () => {
    for (const [name, make] of Object.entries(HOSTILE_TEXTS))
      expect(make(6000).length, name).to.be.within(3000, 13_000);
  });
});

// ── The parts ───────────────────────────────────────────────────────────────────────────────────────────────────────

const TOKENS = new Set(['a-token-of-somebody']);

describe('a leak', () => {
  for (const [what, text] of [
    ['a secret field', `{"code":"${SECRET_TEXT} 1"}`],
    ['a secret number', `{"cost":"${SECRET_NUMBER}.5"}`],
    ['a password', `{"x":"${PASSWORD}-1"}`],
    ['a hash of a password', '{"x":"scrypt$32768$8$1$a$b"}'],
    ['the address of the database', '{"x":"postgres://a:b@c/d"}'],
    ['a token', '{"x":"a-token-of-somebody"}'],
  ] as const) {
    it(`is found in an answer and in the log: ${what}`, () => {
      expect(leaksInAnswer(text, TOKENS)).to.deep.equal([what]);
      expect(leaksInLog(text, TOKENS)).to.deep.equal([what]);
    });
  }

  it('is found in an answer: statements, stack traces, paths', () => {
    const stack = 'Error\n    at Object.handle (file:///srv/app/main.js:10:5)';
    expect(leaksInAnswer(JSON.stringify({ detail: STATEMENT }), TOKENS)).to.deep.equal(['SQL']);
    expect(leaksInAnswer(JSON.stringify({ detail: stack }), TOKENS)).to.deep.equal(['a stack trace']);
    expect(leaksInAnswer(import.meta.filename, TOKENS)).to.deep.equal(['a path of the server']);
  });

  it('is found in the log: what a client sent, other than a path', () => {
    expect(leaksInLog(`{"path":"/api/\\"${SENT}","query":"x"}`, TOKENS)).to.deep.equal([]);
    expect(leaksInLog(`{"path":"/api","detail":"${SENT}"}`, TOKENS)).to.deep.equal(['something that was sent']);
  });
});

describe('who may call', () => {
  const program = (authorize: string) => `
    auth { model User, login name, password hash }
    model User { field name { type string, unique }, field hash { type string, secret } }
    model Note { field open { type boolean } }
    api { entrypoint Note as note { get endpoint { authorize { ${authorize} } } } }`;

  before(() => loadGrammar());

  for (const [authorize, isRefused] of [
    ['@auth is not null', true],
    ['@auth is not null and note.open is true', true],
    ['note.open is true', false],
    ['@auth is not null or note.open is true', false],
  ] as const) {
    it(`is worked out: nobody is ${isRefused ? 'always' : 'not always'} refused by ${authorize}`, () => {
      const { endpoints } = definitionOf([{ path: 'main.kiln', text: program(authorize) }]);
      expect(endpoints.map(refusesNobody)).to.deep.equal([isRefused]);
    });
  }

  it('is compared with the document', async () => {
    const { document, definition } = await applicationNamed('shop');
    const operations = new Operations(document, definition).all;
    expect(disagreements(operations)).to.deep.equal([]);
    const wrong = operations.map((each) => ({ ...each, needsSomebody: false }));
    expect(disagreements(wrong)).to.include('storeOrdersList: the document does without a token');
  });
});

describe('the rows that a run leaves behind', () => {
  it('are compared with the models, without the help of constraints', async () => {
    const text = `
      model Shelf { field code { type string, unique } }
      model Book { reference shelf { to Shelf }, field title { type string } }`;
    await loadGrammar();
    const definition = definitionOf([{ path: 'main.kiln', text }]);
    const { client } = await createDatabase();
    await client.query(schemaSql(schemaFromDefinition(definition)));
    await client.query("INSERT INTO shelf (code) VALUES ('a'); INSERT INTO book (shelf_id, title) VALUES (1, 'x')");
    expect(await inconsistencies(definition, client)).to.deep.equal([]);
    await client.query('SET session_replication_role = replica; ALTER TABLE book ALTER title DROP NOT NULL');
    await client.query('ALTER TABLE shelf DROP CONSTRAINT shelf_code_key');
    await client.query("INSERT INTO shelf (code) VALUES ('a'); INSERT INTO book (shelf_id, title) VALUES (9, NULL)");
    expect(await inconsistencies(definition, client)).to.deep.equal([
      'Book.title is required: 1 rows',
      'Book.shelf refers to a record: 1 rows',
      'Shelf.code is unique: 1 rows',
    ]);
  });
});
