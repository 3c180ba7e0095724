import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { run, stopAll } from './running.ts';

const USERS = `
model User { field email { type string, unique }, field name { type string, default "" } }
api {
  entrypoint User as user {
    create endpoint {}
    update endpoint {}
    list endpoint { response { id } }
    POST many "joined" { extra inputs { field half { type string } } action { create User { set email half + half, set name "" } } }
  }
}
`;

/** Postgres compresses what it can, so the text must be random. */
const TOO_LONG_FOR_AN_INDEX = randomBytes(6000).toString('base64');

describe('a text that is too long for the index of its field', () => {
  afterEach(stopAll);

  it('is a 422 that names the input, and nothing is stored', async () => {
    const app = await run(USERS);
    const created = await app.ask('POST /api/user', { email: TOO_LONG_FOR_AN_INDEX, name: TOO_LONG_FOR_AN_INDEX });
    expect([created.status, created.json.errors]).to.deep.equal([
      422,
      [
        {
          path: 'email',
          code: 'max-length',
          message: 'is too long for a field that is unique or has an index: 2700 bytes always fit',
          params: { max: 2700 },
        },
      ],
    ]);
    expect((await app.ask('GET /api/user')).text).to.equal('[]');
    expect((await app.ask('POST /api/user', { email: 'a', name: TOO_LONG_FOR_AN_INDEX })).status).to.equal(201);
    expect((await app.ask('PATCH /api/user/2', { email: TOO_LONG_FOR_AN_INDEX })).status).to.equal(422);
    const joined = await app.ask('POST /api/user/joined', { half: TOO_LONG_FOR_AN_INDEX });
    expect([joined.status, joined.json.detail]).to.deep.equal([
      400,
      'A text is too long for a field that is unique or has an index.',
    ]);
    expect(app.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});

describe('a record whose identifier is too long for a URL', () => {
  afterEach(stopAll);

  it('is made, and has no Location', async () => {
    const app = await run(`
      model Tag { field name { type string, unique } }
      api { entrypoint Tag { identify { through name }, create endpoint {}, get endpoint {} } }
    `);
    const long = await app.ask('POST /api/tag', { name: 'x'.repeat(90_000) });
    expect([long.status, long.headers.location]).to.deep.equal([201, undefined]);
    const short = await app.ask('POST /api/tag', { name: 'tea' });
    expect([short.status, short.headers.location]).to.deep.equal([201, '/api/tag/tea']);
  });
});
