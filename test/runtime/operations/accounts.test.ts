import { createHook } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { bearer, type Running, run, stopAll } from './running.ts';

const USERS = `
model User { field email { type string, unique }, field hash { type string, secret } }
auth { model User, login email, password hash, subject email }
api { entrypoint User as user { get endpoint {} } }
`;
const ADA = { email: 'ada@example.com', password: 'a long password' };

describe('an account', () => {
  let app: Running;

  beforeEach(async () => {
    app = await run(USERS);
    expect((await app.ask('POST /api/auth/register', ADA)).status).to.equal(201);
  });
  afterEach(stopAll);

  const login = async (body: object = ADA) => app.ask('POST /api/auth/login', body);
  const me = async (token: unknown) => (await app.ask('GET /api/auth/me', undefined, bearer(token))).status;
  const rows = async (sql: string) => (await app.database.client.query(sql)).rows;

  it('has a password of which only a hash by scrypt is stored', async () => {
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

describe('passwords', () => {
  afterEach(stopAll);

  /** Combining marks in an order that is not their normal one: to sort them takes the square of their number. */
  const slow = `a${'\u0316\u0301'.repeat(60_000)}`;

  it('that are too long are refused before anything is done with them, so that nobody waits', async () => {
    const app = await run(USERS);
    const start = performance.now();
    const answers = await Promise.all(
      ['register', 'login'].map((name) => app.ask(`POST /api/auth/${name}`, { ...ADA, password: slow })),
    );
    for (const { status, json } of answers) {
      expect(status).to.equal(422);
      expect(json.errors).to.deep.equal([
        { path: 'password', code: 'max-length', message: 'must have at most 1024 bytes', params: { max: 1024 } },
      ]);
    }
    expect(performance.now() - start).to.be.lessThan(5000);
  });

  it('that come too many at once are refused for a while, and others are answered meanwhile', async () => {
    const app = await run(USERS, { environment: { LOGIN_LIMIT: 'off' } });
    await app.ask('POST /api/auth/register', ADA);
    const logins = Array.from({ length: 140 }, () => app.ask('POST /api/auth/login', ADA));
    expect((await app.ask('GET /api/user/1')).status).to.equal(200);
    const answers = await Promise.all(logins);
    expect([...new Set(answers.map(({ status }) => status))].sort()).to.deep.equal([200, 503]);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.headers['retry-after']).to.match(/^\d+$/);
    expect((await app.ask('POST /api/auth/login', ADA)).status).to.equal(200);
  });
});

/** How often scrypt was started meanwhile. */
async function watched<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly scrypts: number }> {
  let scrypts = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'SCRYPTREQUEST') scrypts++;
    },
  }).enable();
  try {
    return { result: await work(), scrypts };
  } finally {
    hook.disable();
  }
}

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
    await app.ask('POST /api/auth/register', ADA);
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

  it('is a 503 while the keys of the provider cannot be fetched', async () => {
    isDown = true;
    const { status, headers, json } = await me(await signed(CLAIMS));
    expect([status, json.code]).to.deep.equal([503, 'unavailable']);
    expect(headers['retry-after']).to.match(/^\d+$/);
    isDown = false;
    expect((await me(await signed(CLAIMS))).status).to.equal(200);
  });
});
