import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Endpoint } from '../../../compiler/definition/endpoint.ts';
import type { Row } from '../../../pipeline/smoke/test-sandbox.ts';
import { type AccessTested, accessPlan, testAccess, untestedLines } from '../../support/access/access-test.ts';
import { startApplication } from '../../support/application.ts';
import { type Running, run, stopAll } from './running.ts';

const NOTES = `
enum Plan { free, paid }
model User {
  field email { type string, unique, normalise { trim, lower }, validate { isEmail() } }
  field name { type string, validate { minLength(3) and maxLength(12) } }
  field age { type integer, validate { min(18) } }
  field plan { type Plan }
  field hash { type string, secret, validate { minLength(20) } }
  field admin { type boolean, default false, internal }
  relation notes { from Note, through owner }
  relation desk { from Desk, through user }
}
model Desk { reference user { to User, unique }, field code { type string, unique } }
model Note {
  reference owner { to User }
  field text { type string, default "" }
  field made { type timestamp, unique, default now() }
  relation pages { from Page, through note }
}
model Page { reference note { to Note, on delete restrict }, field number { type integer }, unique { note, number } }
auth { model User, login email, password hash }
api {
  entrypoint Note as note {
    list endpoint { authorize { @auth is not null }, filter { owner is @auth } }
    get endpoint { authorize { note.owner is @auth } }
    create endpoint { authorize { @auth.admin }, action { create { set owner @auth } } }
    delete endpoint { authorize { note.owner is @auth or @auth.admin } }
    POST one "shout" { authorize { @auth.desk is not null }, action { update note { set text "!" } } }
    entrypoint pages as page {
      authorize { note.owner is @auth }
      identify { through number }
      get endpoint {}
    }
  }
  entrypoint Note as timed { path "timed" identify { through made } get endpoint { authorize { timed.owner is @auth } } }
  entrypoint Desk as desk { identify { through user.email } get endpoint { authorize { desk.user is @auth } } }
  entrypoint User as user { get endpoint { authorize { user is @auth } } }
  entrypoint @auth as me { entrypoint notes as note { get endpoint {} } }
}
`;

const ROWS = `
  INSERT INTO "user" (email, name, age, plan, hash) VALUES ('ada@example.com', 'Ada', 36, 'free', 'x');
  INSERT INTO desk (user_id, code) SELECT id, 'a' FROM "user";
  INSERT INTO note (owner_id, made) SELECT id, '2020-01-02T03:04:05Z' FROM "user";
  INSERT INTO page (note_id, number) SELECT id, 7 FROM note;`;

const { signal } = new AbortController();

describe('access rules on a running server', () => {
  after(stopAll);

  /** By the rules of `plan`, whatever the server does. */
  async function tested({ application, database }: Pick<Running, 'application' | 'database'>, definition: Definition) {
    const plan = accessPlan(definition);
    if (!plan) throw new Error('nobody is refused');
    const firstRows = async (statements: readonly string[]) => {
      const results = [await database.client.query<Row>(statements.join('; '))].flat();
      return results.map(({ rows }) => rows[0]);
    };
    return testAccess(plan, { address: application.url, firstRows, signal });
  }

  async function changed(running: Running, change: (endpoint: Endpoint) => Partial<Endpoint>): Promise<AccessTested> {
    const { definition, database } = running;
    await database.client.query(`TRUNCATE "user" CASCADE; ${ROWS}`);
    const endpoints = definition.endpoints.map((endpoint) => ({ ...endpoint, ...change(endpoint) }));
    const application = await startApplication({ definition: { ...definition, endpoints }, databaseUrl: database.url });
    try {
      return await tested({ application, database }, definition);
    } finally {
      await application.stop();
    }
  }

  it('sees every refusal, and changes nothing of what was there', async () => {
    const running = await run(NOTES);
    await running.database.client.query(ROWS);
    const result = await tested(running, running.definition);
    expect(result).to.deep.equal({ seen: 21, expected: 21, untested: [], letIn: [] });
    const { rows } = await running.database.client.query(
      'SELECT (SELECT count(*) FROM note) + (SELECT count(*) FROM page) AS n',
    );
    expect(rows).to.deep.equal([{ n: '2' }]);
  });

  it('fails for each rule that a server does not keep, and for each record that it does not hide', async () => {
    const running = await run(NOTES);
    const open = await changed(running, () => ({ authorize: [] }));
    expect(open.letIn[0]).to.equal(
      '`GET /api/desk/{desk_user_email}` does not reject a caller who is not signed in: it is answered with 200, but its rule is `desk.user is @auth`',
    );
    const known = [{ kind: 'authenticated', type: { kind: 'boolean' } }] as const;
    const weak = await changed(running, () => ({ authorize: known }));
    expect(weak.letIn.map(shortText)).to.deep.equal([
      'GET /api/desk/{desk_user_email} 200',
      'POST /api/note 201',
      'DELETE /api/note/{note_id} 409',
      'GET /api/note/{note_id} 200',
      'GET /api/note/{note_id}/pages/{page_number} 200',
      'POST /api/note/{note_id}/shout 204',
      'GET /api/timed/{note_made} 200',
      'GET /api/user/{user_id} 200',
    ]);
    expect(weak.letIn.at(-1)).to.equal(
      '`GET /api/user/{user_id}` does not reject an account that owns nothing: it is answered with 200, but its rule is `user is @auth`',
    );
    // All endpoints that have a rule, for both callers, but for those of accounts and what is only hidden.
    expect(open.letIn).to.have.length(9 + weak.letIn.length);

    const found = await changed(running, ({ id, records }) =>
      id === 'me.notes.get'
        ? { records: records.map(({ origin: _, ...record }) => ({ ...record, through: null })) }
        : {},
    );
    expect(found.letIn).to.deep.equal([
      '`GET /api/me/notes/{note_id}` does not reject an account that owns nothing: it is answered with 200, but it gives only `note in @auth.notes`',
    ]);
  });

  it('counts and names what it cannot try', async () => {
    const empty = await run(NOTES);
    const result = await tested(empty, empty.definition);
    expect(result.letIn).to.deep.equal([]);
    expect(result).to.include({ seen: 14, expected: 21 });
    expect(untestedLines(result).join('\n')).to.match(
      /^not tested as stranger, since there is no record to try it with: /,
    );

    const off = await run(NOTES.replace('password hash }', 'password hash, register off }'));
    expect(untestedLines(await tested(off, off.definition)).join('\n')).to.match(
      /^not tested as stranger, since `register` is off: .*GET \/api\/note\/\{note_id\}/,
    );

    const odd = await run(NOTES.replace('maxLength(12)', 'pattern("^[A-Z]+$")'));
    expect(untestedLines(await tested(odd, odd.definition)).join('\n')).to.match(
      /since no account could be made: `register` is answered with 422 \(name pattern\): /,
    );

    const outside = await run(
      NOTES.replace('login email, password hash }', 'subject email }').replace(
        'field hash { type string, secret, validate { minLength(20) } }',
        '',
      ),
      {
        environment: {
          KILN_JWT_SECRET: 'a key that is long enough for everybody',
          KILN_JWT_ISSUER: 'i',
          KILN_JWT_AUDIENCE: 'a',
        },
      },
    );
    expect(untestedLines(await tested(outside, outside.definition)).join('\n')).to.match(
      /since accounts come from an identity provider: /,
    );
  });

  it('has nothing to do where nobody is refused', async () => {
    const { definition } = await run('model A {} api { entrypoint A as a { list endpoint {} } }');
    expect(accessPlan(definition)).to.equal(null);
  });
});

function shortText(sentence: string): string {
  return sentence.replace(/^`(.*?)` .* answered with (\d+),.*$/, '$1 $2');
}
