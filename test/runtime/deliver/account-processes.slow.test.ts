/** Mails of accounts where applications run: two releases at once, and several processes behind a pooler. */
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { buildOnce } from '../../support/build-once.ts';
import { POOLER_ENVIRONMENT, startPooler, whyNoPooler } from '../../support/pooler.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { skipFor } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';
import { ImageProcesses } from '../jobs/image-processes.ts';
import { chainOf } from '../migrate/compiled-chain.ts';
import { migrated } from '../migrate/databases.ts';
import { definitionOf } from '../operations/running.ts';
import { type MailServer, mailServer } from './mail-server.ts';

const FILES = { 'mails/token.html': '<p>Hello.</p>' };
const mail = (name: string, purpose: string, more = '') =>
  `mail ${name} { input user { to User } input token { type string } ${more} to user.email subject "${purpose} " + token body "token.html" }`;
const source = (members: string, mails: string, auth: string) => `
model User {
  ${members}
  field email { type string, unique, normalise { trim, lower }, validate { isEmail() } }
  field password_hash { type string, secret }
}
${mails}
auth { model User, login email, password password_hash, ${auth} }
api { entrypoint User { list endpoint { authorize { true } response { email } } } }`;

const ALL = [mail('Confirm', 'verify'), mail('NewPassword', 'reset'), mail('Invitation', 'invite')].join('\n');
const OLD = source('', mail('Confirm', 'verify'), 'verify with Confirm');
const NEXT = source(
  'field nickname { type string, nullable }',
  ALL.replace('to user.email', 'input greeting { type string, default "Hello" } to user.email'),
  'verify with Confirm, reset with NewPassword, invite with Invitation',
);
const UUIDS = source(
  'field id { type uuid }',
  ALL,
  'verify with Confirm, reset with NewPassword, invite with Invitation',
);

const PASSWORD = 'a long password';
const NEW = 'quite another password';

describe('mails of accounts of processes', function () {
  this.timeout(120_000);
  const images: ImageProcesses[] = [];
  let database: TestDatabase;
  let mails: MailServer;

  before(() => buildOnce());
  beforeEach(async () => {
    database = await createDatabase();
    mails = await mailServer();
  });
  afterEach(async () => {
    for (const image of images.splice(0)) {
      await image.kill();
      image.remove();
    }
    await mails.close();
  });

  function imageOf(...definitions: readonly [Definition, ...Definition[]]) {
    const chain = chainOf(definitions);
    const image = new ImageProcesses({ definition: definitions.at(-1) as Definition, chain });
    images.push(image);
    return { image, chain };
  }
  const environment = () => ({ DATABASE_URL: database.url, MAIL_URL: mails.url, MAIL_FROM: 'app@example.com' });
  const post = (port: number, route: string, body: object) =>
    ask(port, `/api/auth/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const statusOf = async (...asked: Parameters<typeof post>) => (await post(...asked)).status;
  /** The token of the last mail for a purpose to an address. */
  const tokenFor = async (purpose: string, email: string): Promise<string> => {
    const found = () =>
      mails.received
        .filter(({ to }) => to.includes(email))
        .map(({ headers }) => String(headers.get('subject')).split(' '))
        .findLast(([subject]) => subject === purpose)?.[1];
    await until(() => found() !== undefined, { limit: 30_000, otherwise: () => images[0]?.output.slice(-2000) ?? '' });
    return found() as string;
  };

  it('work on two releases side by side, the first of which knows fewer of them', async () => {
    const [old, next] = [await definitionOf(OLD, {}, FILES), await definitionOf(NEXT, {}, FILES)];
    const first = imageOf(old);
    const second = imageOf(old, next);
    await migrated(first.chain, database.url);
    const { port: oldPort } = await first.image.serve(environment());
    expect(await statusOf(oldPort, 'register', { email: 'ada@example.com', password: PASSWORD })).to.equal(202);
    const ada = await tokenFor('verify', 'ada@example.com');
    expect((await migrated(second.chain, database.url)).result).to.include({ kind: 'done' });
    const { port: newPort } = await second.image.serve(environment());
    // A token of the one is taken by the other, both ways.
    expect(await statusOf(newPort, 'verify', { token: ada, password: PASSWORD })).to.equal(200);
    expect(await statusOf(newPort, 'register', { email: 'bob@example.com', password: PASSWORD })).to.equal(202);
    const bob = await tokenFor('verify', 'bob@example.com');
    expect(await statusOf(oldPort, 'login', { email: 'bob@example.com', password: PASSWORD })).to.equal(403);
    expect(await statusOf(oldPort, 'verify', { token: bob, password: PASSWORD })).to.equal(200);
    expect(await statusOf(newPort, 'login', { email: 'bob@example.com', password: PASSWORD })).to.equal(200);
    // The old one has no such route, and does not take the mail that it cannot read.
    expect(await statusOf(oldPort, 'forgot', { email: 'ada@example.com' })).to.equal(404);
    expect(await statusOf(newPort, 'forgot', { email: 'ada@example.com' })).to.equal(202);
    const reset = await tokenFor('reset', 'ada@example.com');
    const session = JSON.parse((await post(oldPort, 'login', { email: 'ada@example.com', password: PASSWORD })).text);
    expect(await statusOf(newPort, 'reset', { token: reset, password: NEW })).to.equal(200);
    const headers = { authorization: `Bearer ${session.token}` };
    expect((await ask(oldPort, '/api/auth/me', { headers })).status).to.equal(401);
    expect(await statusOf(oldPort, 'login', { email: 'ada@example.com', password: PASSWORD })).to.equal(401);
    expect(await statusOf(oldPort, 'login', { email: 'ada@example.com', password: NEW })).to.equal(200);
    expect(first.image.output + second.image.output).to.not.include('"level":"error"');
  });

  it('are used once by four processes behind a pooler, also where ids are uuids', async function () {
    skipFor(this, 'tests of a pooler', whyNoPooler());
    const { image, chain } = imageOf(await definitionOf(UUIDS, {}, FILES));
    await migrated(chain, database.url);
    const pooled = new URL(database.url);
    pooled.port = String(await startPooler(pooled, { default_pool_size: '6' }));
    const more = { ...POOLER_ENVIRONMENT, DATABASE_URL: pooled.href, WORKERS: '4' };
    const { port } = await image.serve({ ...environment(), ...more });
    const people = Array.from({ length: 6 }, (_, at) => `p${at}@example.com`);
    for (const email of people) {
      expect(await statusOf(port, 'register', { email, password: PASSWORD })).to.equal(202);
      const token = await tokenFor('verify', email);
      expect(await statusOf(port, 'verify', { token, password: PASSWORD })).to.equal(200);
    }
    for (const email of people) {
      expect(await statusOf(port, 'forgot', { email })).to.equal(202);
      const token = await tokenFor('reset', email);
      const passwords = Array.from({ length: 5 }, (_, at) => `${NEW} ${at}`);
      const answers = await Promise.all(passwords.map((password) => statusOf(port, 'reset', { token, password })));
      const winners = passwords.filter((_, at) => answers[at] === 200);
      expect(winners, answers.join()).to.have.length(1);
      expect(await statusOf(port, 'login', { email, password: String(winners[0]) })).to.equal(200);
    }
    expect(mails.received).to.have.length(2 * people.length);
    const { rows } = await database.client.query('SELECT id FROM "user"');
    for (const { id } of rows) expect(id).to.match(/^[0-9a-f]{8}-/);
    expect(image.output).to.not.include('"level":"error"');
  });
});
