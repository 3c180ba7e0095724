/** Addresses that are verified, passwords that are reset and invitations, through a real mail server. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { checkApplication } from '../../../runtime/check.ts';
import { configFromEnvironment } from '../../../runtime/config/config.ts';
import { inviteAccount } from '../../../runtime/invite.ts';
import { type CountedDatabase, countedDatabase } from '../../support/counted-database.ts';
import { quickHash } from '../../support/quick-hash.ts';
import { until } from '../../support/until.ts';
import { watched } from '../../support/watched.ts';
import { bearer, emptyTables, type Received, type Running, type RunOptions, run, stop } from '../operations/running.ts';
import { type MailServer, mailServer } from './mail-server.ts';

const SOURCE = `
enum Role { member, admin }
model User {
  field email { type string, unique, normalise { trim, lower }, validate { isEmail() } }
  field password_hash { type string, secret }
  field nickname { type string, unique, nullable }
  field role { type Role, default "member", internal }
  field changes { type integer, default 0, internal }
  field changed_at { type timestamp, nullable, internal, on update now() }
}
mail ConfirmAddress {
  input user { to User } input token { type string }
  to user.email  subject "verify " + token  body "token.html"
}
mail NewPassword {
  input token { type string } input user { to User } input greeting { type string, default "Hello" }
  to user.email  subject "reset " + token  body "token.html"
}
mail Invitation {
  input user { to User } input token { type string }
  to user.email  subject "invite " + token  body "token.html"
}
auth {
  model User, login email, password password_hash, register { input { nickname } }
  verify with ConfirmAddress, reset with NewPassword, invite with Invitation
}
api {
  entrypoint User as user {
    response { id, email }
    get endpoint { authorize { @auth is not null } }
    POST one "invite" { authorize { true } action { send Invitation { user: user } } }
    POST one "password" { authorize { true } action { update user { set password_hash cryptoHash("another password") } } }
  }
}`;

const VALIDATOR = `
validator isFree {
  arg value { type string }
  assert { hook { arg value value, source isFree from "code.ts", returns boolean } }
  error { code "not-free" }
}`;

const ADA = { email: 'ada@example.com', password: 'a long password' };
const NEW = 'quite another password';
const FILES = { 'mails/token.html': '<p>Hello.</p>' };

describe('mails of accounts', () => {
  /** One for all tests that need no other settings. */
  let shared: { readonly server: MailServer; readonly app: Running };
  let server: MailServer;
  let app: Running;
  let counted: CountedDatabase | null = null;

  before(async () => {
    await startOwn();
    shared = { server, app };
  });
  beforeEach(async () => {
    ({ server, app } = shared);
    await until(async () => (await rowsIn('kiln_jobs WHERE running_on IS NOT NULL OR due_at <= now()')) === 0);
    await emptyTables(app);
    server.received.length = 0;
    server.answer = 'take';
  });
  afterEach(async () => {
    if (app !== shared.app) await stopOwn();
  });
  after(async () => {
    ({ server, app } = shared);
    await stopOwn();
  });

  /** An application with a database and a mail server of its own. */
  const startOwn = async ({ environment, ...options }: RunOptions = {}, source = SOURCE) => {
    server = await mailServer();
    const mail = { MAIL_URL: server.url, MAIL_FROM: 'app@example.com' };
    app = await run(source, { files: FILES, ...options, environment: { ...mail, ...environment } });
  };
  const stopOwn = async () => {
    await stop(app);
    await counted?.close();
    counted = null;
    await server.close();
  };
  const post = (route: string, body?: object) => app.ask(`POST /api/auth/${route}`, body);
  const verify = (token: string, password = ADA.password) => post('verify', { token, password });
  const query = async (sql: string) => (await app.database.client.query(sql)).rows;
  const rowsIn = async (table: string) => Number((await query(`SELECT count(*) FROM ${table}`))[0].count);
  const subjects = () => server.received.map(({ headers }) => String(headers.get('subject')));
  /** The token of the newest mail, when there are so many. */
  const tokenOf = async (count: number): Promise<string> => {
    await until(() => server.received.length === count);
    return String(subjects().at(-1)?.split(' ')[1]);
  };
  const seen = ({ status, json }: Received) => [status, json?.code ?? null, json?.errors ?? null];
  const isSession = async ({ status, json }: Received) => {
    expect(status).to.equal(200);
    expect((await app.ask('GET /api/auth/me', undefined, bearer(json.token))).status).to.equal(200);
  };
  const BAD = [
    422,
    'validation-failed',
    [{ path: 'token', code: 'bad-token', message: 'is wrong, was used or has expired', params: {} }],
  ];
  /** An account that can sign in. */
  const verified = () =>
    query(`INSERT INTO "user" (email, password_hash) VALUES ('${ADA.email}', '${quickHash(ADA.password)}')`);
  /** An account as \`register\` makes it, without the mail. */
  const unverified = async () => {
    await verified();
    await query('INSERT INTO kiln_unverified (user_id) SELECT id FROM "user"');
  };

  it('verify an address before anybody can sign in with it', async () => {
    const registered = await post('register', ADA);
    expect([registered.status, registered.text]).to.deep.equal([202, '']);
    const token = await tokenOf(1);
    expect(subjects()).to.deep.equal([`verify ${token}`]);
    expect(seen(await post('login', ADA)).slice(0, 2)).to.deep.equal([403, 'not-verified']);
    expect(seen(await post('login', { ...ADA, password: NEW })).slice(0, 2)).to.deep.equal([401, 'unauthenticated']);
    await isSession(await verify(token));
    await isSession(await post('login', ADA));
    expect(seen(await verify(token))).to.deep.equal(BAD);
  });

  it('give no account to somebody who has registered the address of another', async () => {
    await post('register', { ...ADA, password: 'the password of eve' });
    await tokenOf(1);
    await post('register', ADA);
    const token = await tokenOf(2);
    const refused = await verify(token);
    expect([refused.status, refused.json.errors]).to.deep.equal([
      422,
      [
        {
          path: 'password',
          code: 'bad-password',
          message: 'is not the one that the account was registered with',
          params: {},
        },
      ],
    ]);
    expect((await post('login', ADA)).status).to.equal(401);
    expect((await post('login', { ...ADA, password: 'the password of eve' })).status).to.equal(403);
    await post('forgot', { email: ADA.email });
    await isSession(await post('reset', { token: await tokenOf(3), password: ADA.password }));
    expect((await post('login', { ...ADA, password: 'the password of eve' })).status).to.equal(401);
    expect(seen(await verify(token, 'the password of eve'))).to.deep.equal(BAD);
  });

  it('limit passwords that are tried with a token, like logins', async () => {
    await startOwn({ environment: { LOGIN_LIMIT: '3/15m' } });
    await post('register', ADA);
    const token = await tokenOf(1);
    const answers = [];
    for (let at = 0; at < 4; at++) answers.push((await verify(token, NEW)).status);
    expect(answers).to.deep.equal([422, 422, 422, 429]);
  });

  it('do not tell whether a login is taken', async () => {
    await verified();
    const known = [
      await post('register', ADA),
      await post('register', { ...ADA, email: ' ADA@example.com' }),
      await post('register', { ...ADA, password: 'short' }),
      await post('forgot', { email: ADA.email }),
    ];
    const eve = { email: 'eve@example.com', password: ADA.password };
    const unknown = [
      await post('register', eve),
      await post('register', { ...eve, email: ' EVE@example.com' }),
      await post('register', { ...eve, password: 'short' }),
      await post('forgot', { email: 'nobody@example.com' }),
    ];
    expect(known.map(seen)).to.deep.equal(unknown.map(seen));
    expect(known.map(({ status }) => status)).to.deep.equal([202, 202, 422, 202]);
    expect(known.map(({ headers }) => Object.keys(headers))).to.deep.equal(
      unknown.map(({ headers }) => Object.keys(headers)),
    );
    await until(() => server.received.length === 3);
    const mails = server.received.map(({ to }, at) => `${to} ${subjects()[at]?.split(' ')[0]}`).sort();
    // Eve has registered twice, and Ada is verified.
    expect(mails).to.deep.equal(['ada@example.com reset', 'eve@example.com verify', 'eve@example.com verify']);
  });

  it('do not tell it by another value that is taken', async () => {
    await post('register', { ...ADA, nickname: 'ada' });
    const [known, unknown] = [
      await post('register', { ...ADA, nickname: 'ada' }),
      await post('register', { ...ADA, email: 'eve@example.com', nickname: 'ada' }),
    ];
    expect(known.status).to.equal(422);
    expect(seen(known)).to.deep.equal(seen(unknown));
  });

  it('do not tell it by the time of a hash, also where a hook checks the inputs', async () => {
    const source = SOURCE.replace('unique, nullable', 'unique, nullable, validate { isFree() }') + VALIDATOR;
    await startOwn({ code: { isFree: () => true } }, source);
    const hashesOf = async (email: string) => {
      const { result, scrypts } = await watched(() => post('register', { ...ADA, email, nickname: email }));
      return [result.status, scrypts];
    };
    expect(await hashesOf(ADA.email)).to.deep.equal([202, 1]);
    await query('UPDATE "user" SET nickname = NULL');
    expect(await hashesOf(ADA.email)).to.deep.equal([202, 1]);
  });

  it('are asked for with the same statements and commits, whether or not there is an account', async () => {
    await startOwn({
      environment: { JOBS: '0' },
      databaseUrl: async (url) => {
        counted = await countedDatabase(url);
        return counted.url;
      },
    });
    const { messages } = counted as CountedDatabase;
    const sentBy = async (route: string, body: object) => {
      const before = messages.length;
      expect((await post(route, body)).status).to.equal(202);
      // Other servers are told a moment later, and then the connection is free for the next request.
      await until(() => messages.slice(before).includes('B kiln_notify'));
      await new Promise((resolve) => setTimeout(resolve, 200));
      // An empty one only looks whether the connection is there.
      return messages.slice(before).filter((message) => message !== 'Q ');
    };
    await sentBy('register', ADA);
    const sentFor = (email: string) => sentBy('forgot', { email });
    await sentFor('first@example.com');
    const [known, unknown] = [await sentFor(ADA.email), await sentFor('nobody@example.com')];
    expect(known).to.deep.equal(unknown);
    expect(known.filter((message) => message === 'Q COMMIT')).to.have.length(1);
    expect(await rowsIn('kiln_jobs')).to.equal(2);
  });

  it('set a new password, which ends all sessions', async () => {
    await verified();
    const sessions = [(await post('login', ADA)).json.token, (await post('login', ADA)).json.token];
    await post('forgot', { email: 'ADA@example.com' });
    const token = await tokenOf(1);
    const wrong = await post('reset', { token, password: 'short' });
    expect([wrong.status, wrong.json.errors]).to.deep.include.members([422]);
    await isSession(await post('reset', { token, password: NEW }));
    for (const session of sessions)
      expect((await app.ask('GET /api/auth/me', undefined, bearer(session))).status).to.equal(401);
    expect((await post('login', ADA)).status).to.equal(401);
    await isSession(await post('login', { ...ADA, password: NEW }));
    expect(seen(await post('reset', { token, password: ADA.password }))).to.deep.equal(BAD);
    const [user] = await query('SELECT changed_at FROM "user"');
    expect(user.changed_at).to.be.an.instanceOf(Date);
  });

  it('verify the address by a new password', async () => {
    await unverified();
    await post('forgot', { email: ADA.email });
    await isSession(await post('reset', { token: await tokenOf(1), password: NEW }));
    await isSession(await post('login', { ...ADA, password: NEW }));
  });

  it('have tokens of which only a hash is stored, in no job and no log', async () => {
    await post('register', ADA);
    const token = await tokenOf(1);
    const [{ token_hash, purpose, seconds }] = await query(
      'SELECT token_hash, purpose, extract(epoch FROM expires_at - now()) AS seconds FROM kiln_mail_tokens',
    );
    expect(token_hash.equals(createHash('sha256').update(token).digest())).to.equal(true);
    expect([purpose, Math.round(Number(seconds) / 3600)]).to.deep.equal(['verify', 72]);
    expect(JSON.stringify([app.lines, await query('SELECT * FROM kiln_jobs')])).to.not.include(token);
  });

  it('have tokens for one purpose, until they expire or the password changes', async () => {
    await post('register', ADA);
    const first = await tokenOf(1);
    await post('forgot', { email: ADA.email });
    const reset = await tokenOf(2);
    expect(seen(await verify(reset))).to.deep.equal(BAD);
    expect(seen(await post('reset', { token: first, password: NEW }))).to.deep.equal(BAD);
    expect(seen(await post('accept', { token: reset, password: NEW }))).to.deep.equal(BAD);
    expect(seen(await verify('no-token'))).to.deep.equal(BAD);
    await query(`UPDATE kiln_mail_tokens SET expires_at = now() WHERE purpose = 'verify'`);
    expect(seen(await verify(first))).to.deep.equal(BAD);
    await app.ask('POST /api/user/1/password');
    expect(seen(await post('reset', { token: reset, password: NEW }))).to.deep.equal(BAD);
  });

  it('have tokens that end when the address is corrected', async () => {
    await query(`INSERT INTO "user" (email, password_hash) VALUES ('boss@exmaple.com', 'invited')`);
    await app.ask('POST /api/user/1/invite');
    const token = await tokenOf(1);
    await query(`UPDATE "user" SET email = 'boss@example.com'`);
    expect(seen(await post('accept', { token, password: NEW }))).to.deep.equal(BAD);
  });

  it('have tokens that work side by side until one of them is used, once', async () => {
    await post('register', ADA);
    const first = await tokenOf(1);
    await post('register', ADA);
    const second = await tokenOf(2);
    expect(first).to.not.equal(second);
    // Not more than can wait for their passwords to be looked at.
    const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => verify(at % 2 ? first : second)));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect(answers.filter(({ status }) => status === 422)).to.have.length(5);
    for (const token of [first, second]) expect(seen(await verify(token))).to.deep.equal(BAD);
    expect(await query('SELECT * FROM kiln_mail_tokens')).to.deep.equal([]);
  });

  it('let one of twenty parallel requests set a password', async () => {
    await verified();
    await post('forgot', { email: ADA.email });
    const token = await tokenOf(1);
    const passwords = Array.from({ length: 20 }, (_, at) => `${NEW} ${at}`);
    const answers = await Promise.all(passwords.map((password) => post('reset', { token, password })));
    const winners = passwords.filter((_, at) => answers[at]?.status === 200);
    expect(winners).to.have.length(1);
    await isSession(await post('login', { ...ADA, password: String(winners[0]) }));
  });

  it('are limited for each account, whether or not it exists', async () => {
    await startOwn({ environment: { LOGIN_LIMIT: '3/15m' } });
    await unverified();
    for (const email of [ADA.email, 'nobody@example.com']) {
      const answers = [];
      for (let at = 0; at < 5; at++) answers.push((await post('forgot', { email })).status);
      expect(answers.at(-1)).to.equal(429);
      expect((await post('register', { ...ADA, email })).status).to.equal(429);
    }
    expect((await post('forgot', { email: 'somebody@example.com' })).status).to.equal(202);
    expect(await rowsIn('"user"')).to.equal(1);
  });

  it('are sent by endpoints too, and make an account of its invitation', async () => {
    await query(`INSERT INTO "user" (email, password_hash, role) VALUES ('bob@example.com', 'invited', 'admin')`);
    expect((await app.ask('POST /api/user/1/invite')).status).to.equal(204);
    const token = await tokenOf(1);
    expect(subjects()).to.deep.equal([`invite ${token}`]);
    expect((await post('login', { email: 'bob@example.com', password: 'invited' })).status).to.equal(401);
    const accepted = await post('accept', { token, password: NEW });
    await isSession(accepted);
    const me = await app.ask('GET /api/auth/me', undefined, bearer(accepted.json.token));
    expect(me.json).to.include({ email: 'bob@example.com', role: 'admin' });
    await isSession(await post('login', { email: 'bob@example.com', password: NEW }));
  });

  const options = () => {
    const read = configFromEnvironment({ DATABASE_URL: app.database.url });
    if (!read.ok) throw new Error(read.problems.join());
    return { definition: app.definition, hooks: {}, settings: {}, config: read.config };
  };
  const invite = (login: string, values: Readonly<Record<string, string>> = {}) =>
    inviteAccount(options(), login, values);

  it('invite somebody whose address a stranger has registered', async () => {
    await post('register', { ...ADA, nickname: 'eve' });
    const old = await tokenOf(1);
    expect((await invite(ADA.email, { role: 'boss' })).problems).to.have.length(1);
    expect((await post('login', ADA)).status).to.equal(403);
    expect((await invite(ADA.email, { role: 'admin' })).done).to.include('had registered ada@example.com');
    const token = await tokenOf(2);
    expect((await post('login', ADA)).status).to.equal(401);
    expect(seen(await verify(old))).to.deep.equal(BAD);
    await isSession(await post('accept', { token, password: NEW }));
    await isSession(await post('login', { ...ADA, password: NEW }));
    expect(await query('SELECT email, role FROM "user"')).to.deep.equal([{ email: ADA.email, role: 'admin' }]);
    expect((await invite(ADA.email)).problems).to.have.length(1);
  });

  it('are tried without a token that is stored', async () => {
    await startOwn({ environment: { JOBS: '0' } });
    await post('register', ADA);
    const { jobs } = await checkApplication(options());
    expect(jobs).to.deep.equal({ tried: 1, withCode: [], failures: [] });
    expect(await rowsIn('kiln_mail_tokens')).to.equal(0);
  });

  it('count logins that tell that an address was free', async () => {
    await startOwn({ environment: { LOGIN_LIMIT: '3/15m' } });
    await unverified();
    const answers = [];
    for (let at = 0; at < 4; at++) answers.push((await post('login', ADA)).status);
    expect(answers).to.deep.equal([403, 403, 403, 429]);
  });

  it('make the first administrator, by a command', async () => {
    expect(await invite('ada', { role: 'boss', changes: 'x' })).to.deep.equal({
      problems: [
        '--set role=…: `role` must be one of member, admin.',
        '--set changes=…: `changes` must be an integer.',
        'ada: `email` must be an email address.',
      ],
    });
    expect(await invite(ADA.email, { rol: 'admin' })).to.deep.equal({
      problems: ['There is no field `rol` to set. There are nickname, role, changes, changed_at.'],
    });
    expect(await rowsIn('"user"')).to.equal(0);
    expect(await invite('Ada@example.com', { role: 'admin', changes: '3' })).to.have.property('done');
    const first = await tokenOf(1);
    expect((await invite(ADA.email)).done).to.include('was invited before');
    const second = await tokenOf(2);
    await isSession(await post('accept', { token: first, password: NEW }));
    expect(seen(await post('accept', { token: second, password: NEW }))).to.deep.equal(BAD);
    expect(await query('SELECT email, role, changes FROM "user"')).to.deep.equal([
      { email: ADA.email, role: 'admin', changes: '3' },
    ]);
    expect((await invite(ADA.email)).problems).to.deep.equal([
      'ada@example.com has an account with a password. Nothing was changed.',
    ]);
  });

  it('repeated by a broken mail server bring another token each time', async () => {
    server.answer = 451;
    await post('register', ADA);
    const first = await tokenOf(1);
    server.answer = 'take';
    await query('UPDATE kiln_jobs SET due_at = now()');
    const second = await tokenOf(2);
    expect(first).to.not.equal(second);
    await isSession(await verify(first));
    expect(seen(await verify(second))).to.deep.equal(BAD);
  });

  it('go with their account', async () => {
    await post('register', ADA);
    const token = await tokenOf(1);
    await query('DELETE FROM "user"');
    expect(seen(await verify(token))).to.deep.equal(BAD);
    expect([await rowsIn('kiln_mail_tokens'), await rowsIn('kiln_unverified')]).to.deep.equal([0, 0]);
  });
});
