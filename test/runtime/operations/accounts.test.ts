import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { startApplication } from '../../support/application.ts';
import { quickHash } from '../../support/quick-hash.ts';
import { describeSlowly, itSlowly } from '../../support/slow.ts';
import { until } from '../../support/until.ts';
import { watched } from '../../support/watched.ts';
import { ask } from '../http/serving.ts';
import { bearer, countOf, emptyTables, type Running, run, stopAll } from './running.ts';

const USERS = `
model User {
  field email { type string, unique }
  field hash { type string, secret }
  field provider_id { type string, unique, nullable }
}
auth { model User, login email, password hash, subject provider_id }
api { entrypoint User as user { get endpoint {} } }
`;
const ADA = { email: 'ada@example.com', password: 'a long password' };
const BEN = { email: 'ben@example.com', password: 'the password of ben' };

async function insertAccounts({ database: { client } }: Running, ...users: readonly (typeof ADA)[]): Promise<void> {
  for (const { email, password } of users)
    await client.query('INSERT INTO "user" (email, hash) VALUES ($1, $2)', [email, quickHash(password)]);
}

describe('an account', () => {
  let app: Running;

  before(async () => {
    app = await run(USERS);
  });
  beforeEach(async () => {
    await emptyTables(app);
    await insertAccounts(app, ADA);
  });
  after(stopAll);

  const login = async (body: object = ADA) => app.ask('POST /api/auth/login', body);
  const me = async (token: unknown) => (await app.ask('GET /api/auth/me', undefined, bearer(token))).status;
  const rows = async (sql: string) => (await app.database.client.query(sql)).rows;

  it('has a password of which only a hash by scrypt is stored', async () => {
    await emptyTables(app);
    expect((await app.ask('POST /api/auth/register', ADA)).status).to.equal(201);
    const [{ hash }] = await rows('SELECT hash FROM "user"');
    expect(hash).to.match(/^scrypt\$\d+\$\d+\$\d+\$[\w-]+\$[\w-]+$/);
    expect(JSON.stringify(await rows('SELECT * FROM "user"'))).to.not.include(ADA.password);
  });

  it('has tokens of which only a hash is stored', async () => {
    const { json } = await login();
    const token = String(json.token);
    expect(token).to.match(/^[\w-]{32,}$/);
    const stored = await rows('SELECT * FROM kiln_tokens');
    expect(stored).to.have.length(1);
    expect(stored[0].token_hash.equals(createHash('sha256').update(token).digest())).to.equal(true);
    const dump = await rows("SELECT t::text AS text, encode(token_hash, 'escape') AS bytes FROM kiln_tokens t");
    expect(JSON.stringify(dump)).to.not.include(token);
  });

  it('has another token after each login, and a token that ended is a 401', async () => {
    const [first, second] = [(await login()).json.token, (await login()).json.token];
    expect(first).to.not.equal(second);
    expect([await me(first), await me(second)]).to.deep.equal([200, 200]);
    await app.database.client.query("UPDATE kiln_tokens SET expires_at = now() - interval '1 second'");
    expect([await me(first), await me(second)]).to.deep.equal([401, 401]);
  });

  it('has a token for as long as the answer says', async () => {
    const { json } = await login();
    const [{ expires_at }] = await rows('SELECT expires_at FROM kiln_tokens');
    expect(new Date(String(json.expiresAt)).getTime()).to.equal(expires_at.getTime());
    expect(expires_at.getTime()).to.be.greaterThan(Date.now());
  });

  it('ends one token by a logout, and no other', async () => {
    const [first, second] = [(await login()).json.token, (await login()).json.token];
    expect((await app.ask('POST /api/auth/logout', undefined, bearer(first))).status).to.equal(204);
    expect([await me(first), await me(second)]).to.deep.equal([401, 200]);
    expect((await app.ask('POST /api/auth/logout', undefined, bearer(first))).status).to.equal(401);
    expect((await app.ask('POST /api/auth/logout')).status).to.equal(401);
  });

  it('is refused by a token that is wrong where none is needed, but not before a record that is missing', async () => {
    const status = async (path: string, token: string) =>
      (await app.ask(`GET /api/user/${path}`, undefined, bearer(token))).status;
    expect((await app.ask('GET /api/user/1')).status).to.equal(200);
    for (const token of ['wrong', 'a.b.c']) {
      expect([await status('1', token), await status('99', token)]).to.deep.equal([401, 404]);
    }
  });

  it('is refused with the same words and the same work, whether or not it is there', async () => {
    const nobody = { email: 'nobody@example.com', password: 'a long password' };
    const wrong = { ...ADA, password: 'not the password' };
    await login(nobody);
    const [unknown, known] = [await watched(() => login(nobody)), await watched(() => login(wrong))];
    expect([unknown.scrypts, known.scrypts]).to.deep.equal([1, 1]);
    const told = [unknown, known].map(({ result: { status, json } }) => ({ status, ...json, requestId: '' }));
    expect(told[0]).to.include({ status: 401, code: 'unauthenticated' });
    expect(told[0]).to.deep.equal(told[1]);
  });
});

const CHANGING = `
model User { field email { type string, unique }, field hash { type string, secret }, field name { type string, default "" } }
auth { model User, login email, password hash }
api {
  entrypoint User as user {
    response { id, name }
    POST one "password" {
      authorize { user is @auth }
      extra inputs { field new_password { type string } }
      action { update user { set hash cryptoHash(new_password) } }
    }
    POST one "by-hook" { action { execute { hook { arg id user.id, source change from "code.ts" } } } }
    update endpoint { action { update { input { name } } } }
  }
}
`;

describe('a password that changes', () => {
  let app: Running;
  const tokens: string[] = [];

  before(async () => {
    app = await run(CHANGING, {
      code: {
        change: async ({ id }, { db }) => {
          await db.User?.query().where({ id }).patch({ hash: 'scrypt$other' });
        },
      },
    });
  });
  beforeEach(async () => {
    await emptyTables(app);
    await insertAccounts(app, ADA, BEN);
    tokens.length = 0;
    for (const user of [ADA, ADA, BEN]) tokens.push(String((await app.ask('POST /api/auth/login', user)).json.token));
  });
  after(stopAll);

  const statuses = () =>
    Promise.all(tokens.map(async (token) => (await app.ask('GET /api/auth/me', undefined, bearer(token))).status));

  it('ends all tokens of the account, also the one that it was changed with, and no others', async () => {
    const change = { new_password: 'another password' };
    expect((await app.ask('POST /api/user/1/password', change, bearer(tokens[0]))).status).to.equal(204);
    expect(await statuses()).to.deep.equal([401, 401, 200]);
    const { status, json } = await app.ask('POST /api/auth/login', { ...ADA, password: change.new_password });
    expect(status).to.equal(200);
    expect((await app.ask('GET /api/auth/me', undefined, bearer(json.token))).status).to.equal(200);
  });

  it('ends them where a hook has changed it, or anybody in the database', async () => {
    expect((await app.ask('POST /api/user/1/by-hook')).status).to.equal(204);
    expect(await statuses()).to.deep.equal([401, 401, 200]);
    await app.database.client.query(`UPDATE "user" SET hash = hash || 'x' WHERE id = 2`);
    expect(await statuses()).to.deep.equal([401, 401, 401]);
  });

  it('is nothing else than a change of the hash', async () => {
    expect((await app.ask('PATCH /api/user/1', { name: 'Ada' })).status).to.equal(200);
    expect(await statuses()).to.deep.equal([200, 200, 200]);
  });

  it('leaves rows behind that the next login removes', async () => {
    const change = { new_password: 'another password' };
    await app.ask('POST /api/user/1/password', change, bearer(tokens[0]));
    await app.ask('POST /api/auth/login', { ...ADA, password: change.new_password });
    const { rows } = await app.database.client.query('SELECT user_id::int FROM kiln_tokens ORDER BY user_id');
    expect(rows).to.deep.equal([{ user_id: 1 }, { user_id: 2 }]);
  });
});

describe('rows that are over', () => {
  afterEach(stopAll);

  it('are removed by every server now and then, a thousand at a time', async () => {
    const app = await run(USERS, { sweepEvery: 50 });
    await insertAccounts(app, ADA);
    const { json } = await app.ask('POST /api/auth/login', ADA);
    await app.database.client.query(`
      INSERT INTO kiln_tokens (token_hash, user_id, expires_at)
        SELECT sha256(i::text::bytea), 1, now() - interval '1 s' FROM generate_series(1, 1200) AS i;
      INSERT INTO kiln_login_failures SELECT sha256(i::text::bytea), 1, now() - interval '1 s' FROM generate_series(1, 10) AS i;
      INSERT INTO kiln_login_failures VALUES ('\\x00', 1, now() + interval '1 h')`);
    const left = async () => {
      const { rows } = await app.database.client.query(
        'SELECT (SELECT count(*)::int FROM kiln_tokens) AS tokens, (SELECT count(*)::int FROM kiln_login_failures) AS failures',
      );
      return JSON.stringify(rows[0]);
    };
    await until(async () => (await left()) === '{"tokens":1,"failures":1}');
    expect((await app.ask('GET /api/auth/me', undefined, bearer(json.token))).status).to.equal(200);
  });
});

describe('an Authorization header', () => {
  let app: Running;
  before(async () => {
    app = await run(USERS);
  });
  after(stopAll);

  for (const [header, detail] of [
    ['Basic YWRhOnNlY3JldA==', 'The scheme `Basic` is not supported: send `Authorization: Bearer <token>`.'],
    ['Token abc', 'The scheme `Token` is not supported: send `Authorization: Bearer <token>`.'],
    ['Bearer', 'The header has no token: send `Authorization: Bearer <token>`.'],
    ['Bearer a b', 'The token is invalid or has expired.'],
    ['Bearer unknown', 'The token is invalid or has expired.'],
    ['{"a":1}', 'The header is malformed: send `Authorization: Bearer <token>`.'],
  ] as const) {
    it(`that is \`${header}\` is a 401 with its own words`, async () => {
      const { status, json, headers } = await app.ask('GET /api/auth/me', undefined, { authorization: header });
      expect([status, json.code, json.detail]).to.deep.equal([401, 'unauthenticated', detail]);
      expect(headers['www-authenticate']).to.equal('Bearer');
    });
  }
});

describeSlowly('logins that fail', () => {
  let app: Running;
  afterEach(stopAll);

  const start = async (environment: Record<string, string> = {}) => {
    app = await run(USERS, { environment: { LOGIN_LIMIT: '3/15m', TRUST_PROXY: '1', ...environment } });
    await insertAccounts(app, ADA, BEN);
  };
  const login = (body: object, address = '203.0.113.7') =>
    app.ask('POST /api/auth/login', body, { 'x-forwarded-for': address });
  const wrong = (user: typeof ADA, address?: string) => login({ ...user, password: 'not the password' }, address);
  const failuresLeft = async () =>
    (await app.database.client.query('SELECT failures::int FROM kiln_login_failures ORDER BY failures')).rows;

  it('are refused after so many, with the time to wait, even with the right password', async () => {
    await start();
    for (let count = 0; count < 3; count++) expect((await wrong(ADA)).status).to.equal(401);
    for (const answer of [await wrong(ADA), await login(ADA)]) {
      expect([answer.status, answer.json.code]).to.deep.equal([429, 'too-many-requests']);
      expect(Number(answer.headers['retry-after'])).to.be.within(800, 900);
      expect(answer.json.detail).to.match(/^Too many failed logins\. Try again in \d+ seconds\.$/);
    }
  });

  it('do not keep out the same account elsewhere, nor another account at the same address', async () => {
    await start();
    for (let count = 0; count < 5; count++) await wrong(ADA);
    expect((await login(ADA, '198.51.100.2')).status).to.equal(200);
    expect((await login(BEN)).status).to.equal(200);
  });

  it('are counted for an account that is not there, so that the answers are the same', async () => {
    await start();
    const nobody = { email: 'nobody@example.com', password: 'a long password' };
    const answers = [];
    for (let count = 0; count < 4; count++) answers.push([(await wrong(nobody)).status, (await wrong(ADA)).status]);
    expect(answers).to.deep.equal([
      [401, 401],
      [401, 401],
      [401, 401],
      [429, 429],
    ]);
  });

  it('are not more where they come all at once, or to several servers', async () => {
    await start();
    const other = await startApplication({
      definition: app.definition,
      databaseUrl: app.database.url,
      environment: { LOGIN_LIMIT: '3/15m', TRUST_PROXY: '1' },
    });
    try {
      const ports = [app.port, Number(new URL(other.url).port)];
      const body = JSON.stringify({ ...ADA, password: 'not the password' });
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          ask(ports[at % 2] as number, '/api/auth/login', { method: 'POST', headers, body }),
        ),
      );
      expect(countOf(answers.map(({ status }) => status))).to.deep.equal(
        new Map([
          [429, 17],
          [401, 3],
        ]),
      );
    } finally {
      await other.stop();
    }
  });

  it('are forgotten with a login that succeeds', async () => {
    await start();
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 2; count++) expect((await wrong(ADA)).status).to.equal(401);
      expect((await login(ADA)).status).to.equal(200);
    }
    expect(await failuresLeft()).to.deep.equal([{ failures: 6 }]);
  });

  it('are forgotten after their time', async () => {
    await start();
    for (let count = 0; count < 4; count++) await wrong(ADA);
    await app.database.client.query("UPDATE kiln_login_failures SET ends_at = now() - interval '1 s'");
    expect((await wrong(ADA)).status).to.equal(401);
    expect((await login(ADA)).status).to.equal(200);
  });

  it('are refused for an address that has tried many accounts, and leave no more rows', async () => {
    await start({ LOGIN_LIMIT: '1/15m' });
    const tried = async (at: number) => (await wrong({ ...ADA, email: `user${at}@example.com` })).status;
    for (let at = 0; at < 10; at++) expect(await tried(at)).to.equal(401);
    for (let at = 10; at < 15; at++) expect(await tried(at)).to.equal(429);
    expect(await failuresLeft()).to.have.length(11);
    expect((await login(ADA)).status).to.equal(429);
    expect((await login(ADA, '198.51.100.2')).status).to.equal(200);
  });

  it('of one IPv6 network count together', async () => {
    await start();
    for (let at = 1; at < 4; at++) expect((await wrong(ADA, `2001:db8:1:2::${at}`)).status).to.equal(401);
    expect((await wrong(ADA, '2001:db8:1:2:ffff::1')).status).to.equal(429);
    expect((await wrong(ADA, '2001:db8:1:3::1')).status).to.equal(401);
  });

  it('are counted by the connection where no proxy is trusted, whatever a client says', async () => {
    await start({ TRUST_PROXY: '0' });
    for (let at = 0; at < 3; at++) expect((await wrong(ADA, `203.0.113.${at}`)).status).to.equal(401);
    expect((await wrong(ADA, '203.0.113.99')).status).to.equal(429);
    const warnings = app.lines.filter(({ msg }) => String(msg).includes('TRUST_PROXY'));
    expect(warnings).to.have.length(1);
  });

  it('are not limited where the limit is off', async () => {
    await start({ LOGIN_LIMIT: 'off' });
    for (let count = 0; count < 5; count++) expect((await wrong(ADA)).status).to.equal(401);
    expect(await failuresLeft()).to.deep.equal([]);
  });
});

describe('passwords', () => {
  afterEach(stopAll);

  /** Combining marks in an order that is not their normal one: to sort them takes the square of their number. */
  const slow = `a${'\u0316\u0301'.repeat(60_000)}`;

  it('that are too long are refused before anything is done with them, so that nobody waits', async () => {
    const app = await run(USERS);
    const { normalize } = String.prototype;
    let longest = 0;
    String.prototype.normalize = function (form) {
      longest = Math.max(longest, this.length);
      return normalize.call(this, form);
    };
    const answers = await Promise.all(
      ['register', 'login'].map((name) => app.ask(`POST /api/auth/${name}`, { ...ADA, password: slow })),
    ).finally(() => {
      String.prototype.normalize = normalize;
    });
    for (const { status, json } of answers) {
      expect(status).to.equal(422);
      expect(json.errors).to.deep.equal([
        { path: 'password', code: 'max-length', message: 'must have at most 1024 bytes', params: { max: 1024 } },
      ]);
    }
    expect(longest).to.be.below(slow.length);
  });

  itSlowly('that come too many at once are refused for a while, and others are answered meanwhile', async () => {
    const app = await run(USERS, { environment: { LOGIN_LIMIT: 'off' } });
    await app.ask('POST /api/auth/register', ADA);
    const logins = Array.from({ length: 140 }, () => app.ask('POST /api/auth/login', ADA));
    expect((await app.ask('GET /api/user/1')).status).to.equal(200);
    const answers = await Promise.all(logins);
    expect([...new Set(answers.map(({ status }) => status))].sort()).to.deep.equal([200, 503]);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.headers['retry-after']).to.match(/^\d+$/);
    expect(app.lines.find(({ status }) => status === 503)).to.include({ level: 'warn' });
    expect((await app.ask('POST /api/auth/login', ADA)).status).to.equal(200);
  });
});

const ISSUER = 'https://id.example.com/';
const AUDIENCE = 'shop';
const CLAIMS: JWTPayload = { sub: ADA.email, iss: ISSUER, aud: AUDIENCE };

describe('a token of an outside provider', () => {
  let provider: Server;
  let app: Running;
  let privateKey: CryptoKey;
  let isDown = false;

  before(async () => {
    const pair = await generateKeyPair('ES256');
    privateKey = pair.privateKey;
    const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] };
    provider = createServer((_, response) => {
      if (isDown) response.destroy();
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(keys));
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  });

  beforeEach(async () => {
    isDown = false;
    const { port } = provider.address() as AddressInfo;
    const environment = {
      KILN_JWT_JWKS_URL: `http://127.0.0.1:${port}/keys.json`,
      KILN_JWT_ISSUER: ISSUER,
      KILN_JWT_AUDIENCE: AUDIENCE,
    };
    app = await run(USERS, { environment });
    await insertAccounts(app, ADA);
    await app.database.client.query('UPDATE "user" SET provider_id = email');
  });

  afterEach(stopAll);
  after(() => provider.close());

  const signed = (claims: JWTPayload, expires: number | string = '5m', key: CryptoKey = privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).setExpirationTime(expires).sign(key);
  const me = (token: string) => app.ask('GET /api/auth/me', undefined, bearer(token));

  it("is accepted where the provider's key has signed it", async () => {
    const { status, json } = await me(await signed(CLAIMS));
    expect([status, json.email]).to.deep.equal([200, ADA.email]);
  });

  it('is accepted beside tokens of a login', async () => {
    const { json } = await app.ask('POST /api/auth/login', ADA);
    expect((await me(String(json.token))).status).to.equal(200);
  });

  it('is refused for another issuer, another audience, nobody, no subject, or where it has expired', async () => {
    const { sub: _, ...anonymous } = CLAIMS;
    const tokens = {
      issuer: await signed({ ...CLAIMS, iss: 'https://evil.example.com/' }),
      audience: await signed({ ...CLAIMS, aud: 'other' }),
      nobody: await signed({ ...CLAIMS, sub: 'nobody@example.com' }),
      noSubject: await signed(anonymous),
      expired: await signed(CLAIMS, Math.floor(Date.now() / 1000) - 3600),
      eternal: await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey),
    };
    for (const [why, token] of Object.entries(tokens)) expect((await me(token)).status, why).to.equal(401);
  });

  it('is refused where nobody has signed it, or another key, or the public key taken for a secret', async () => {
    const { privateKey: otherKey } = await generateKeyPair('ES256');
    const [head = '', payload = '', signature = ''] = (await signed(CLAIMS)).split('.');
    const secret = new TextEncoder().encode(
      JSON.stringify(await exportJWK((await generateKeyPair('ES256', { extractable: true })).publicKey)),
    );
    const tokens = {
      none: new UnsecuredJWT(CLAIMS).setExpirationTime('5m').encode(),
      noneWithSignature: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.${signature}`,
      other: await signed(CLAIMS, '5m', otherKey),
      secret: await new SignJWT(CLAIMS)
        .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
        .setExpirationTime('5m')
        .sign(secret),
      changed: `${head}.${Buffer.from(JSON.stringify({ ...CLAIMS, exp: 9e9 })).toString('base64url')}.${signature}`,
      cut: `${head}.${payload}.`,
      nonsense: 'a.b.c',
    };
    for (const [why, token] of Object.entries(tokens)) expect((await me(token)).status, why).to.equal(401);
  });

  it('is not ended by a logout, which says so', async () => {
    const token = await signed(CLAIMS);
    const { status, json } = await app.ask('POST /api/auth/logout', undefined, bearer(token));
    expect([status, json.code]).to.deep.equal([409, 'conflict']);
    expect(json.detail).to.match(/^This token was issued by an identity provider and cannot be revoked here\./);
    expect((await me(token)).status).to.equal(200);
  });

  it('is a 503 while the keys of the provider cannot be fetched', async () => {
    isDown = true;
    const { status, headers, json } = await me(await signed(CLAIMS));
    expect([status, json.code]).to.deep.equal([503, 'unavailable']);
    expect(headers['retry-after']).to.match(/^\d+$/);
    isDown = false;
    expect((await me(await signed(CLAIMS))).status).to.equal(200);
  });
});
