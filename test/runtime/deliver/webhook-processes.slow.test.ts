/** Webhooks where applications run: servers that are killed, two releases, certificates, a pooler with separate roles. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { expect } from 'chai';
import type pg from 'pg';
import { Webhook } from 'standardwebhooks';
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
import { mailServer } from './mail-server.ts';
import { never, type Receiver, receiver, status } from './receiver.ts';
import { selfSigned } from './self-signed.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

const MODELS = `
setting PARTNER_URL {}
setting PARTNER_SECRET { secret }
model Order { field number { type string } }
api { entrypoint Order { authorize { true } create endpoint {} } }`;
const webhook = (name: string) => `webhook "${name}" {
  on create of Order as order
  to { url setting(PARTNER_URL), secret setting(PARTNER_SECRET) }
  body { number }
}`;
const MAIL = `
mail Thanks { input number { type string }, to number + "@example.com", subject "Thanks", body "thanks.html" }
on create of Order as order { send Thanks { number: order.number } }`;

describe('webhooks of processes', () => {
  const images: ImageProcesses[] = [];
  let database: TestDatabase;
  let partner: Receiver;
  let created: Definition;

  before(async () => {
    buildOnce();
    created = await definitionOf(`${MODELS} ${webhook('order.created')}`);
  });
  beforeEach(async () => {
    database = await createDatabase();
    partner = await receiver();
  });
  afterEach(async () => {
    for (const image of images.splice(0)) {
      await image.kill();
      image.remove();
    }
    await partner.close();
  });

  /** The image of the last of these releases. */
  function imageOf(...definitions: readonly [Definition, ...Definition[]]) {
    const chain = chainOf(definitions);
    const image = new ImageProcesses({ definition: definitions.at(-1) as Definition, chain });
    images.push(image);
    return { image, chain };
  }
  const environment = (url = partner.url) => ({
    DATABASE_URL: database.url,
    PARTNER_URL: url,
    PARTNER_SECRET: SECRET,
    WEBHOOK_PRIVATE: 'allow',
  });
  const order = async (port: number, number: string) => {
    const headers = { 'content-type': 'application/json' };
    const made = await ask(port, '/api/order', { method: 'POST', headers, body: JSON.stringify({ number }) });
    expect(made.status).to.equal(201);
  };
  const jobs = async (client: pg.ClientBase = database.client) =>
    (await client.query('SELECT kind, error FROM kiln_jobs ORDER BY kind')).rows as { kind: string; error: string }[];
  const again = () => database.client.query('UPDATE kiln_jobs SET due_at = now()');
  const types = () => partner.received.map(({ body }) => (JSON.parse(body) as { type: string }).type).sort();

  it('are sent again with the same id and bytes after SIGKILL during the delivery', async () => {
    const { image, chain } = imageOf(created);
    await migrated(chain, database.url);
    partner.answer = never;
    const { port } = await image.serve(environment());
    await order(port, 'A-1');
    await until(() => partner.received.length === 1);
    await image.kill();
    expect(await jobs()).to.have.length(1);
    partner.answer = status(204);
    // The lease of the server that was killed would end after 30 s.
    await again();
    image.start('work', environment());
    await until(async () => (await jobs()).length === 0, { otherwise: () => image.output });
    const [first, second, ...others] = partner.received;
    expect(others).to.deep.equal([]);
    expect(second?.body).to.equal(first?.body);
    expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    new Webhook(SECRET).verify(second?.body ?? '', second?.headers as Record<string, string>);
  });

  it('of the release before are sent by the next one; those of a removed event wait, and are dropped at contraction', async () => {
    const both = await definitionOf(`${MODELS} ${webhook('order.created')} ${webhook('order.made')}`);
    const old = imageOf(both);
    const next = imageOf(both, created);
    await migrated(old.chain, database.url);
    partner.answer = status(500);
    const { port } = await old.image.serve(environment());
    await order(port, 'A-1');
    await until(async () => (await jobs()).filter(({ error }) => error).length === 2);
    await old.image.kill();
    expect((await migrated(next.chain, database.url)).result).to.include({ kind: 'done' });
    const before = [...partner.received];
    partner.answer = status(204);
    await again();
    const { port: nextPort } = await next.image.serve(environment());
    await until(async () => (await jobs()).length === 1, { otherwise: () => next.image.output });
    await order(nextPort, 'A-2');
    await until(async () => partner.received.length === 4 && (await jobs()).length === 1);
    expect(types().slice(0, 3)).to.deep.equal(['order.created', 'order.created', 'order.created']);
    const [sent] = partner.received.slice(2);
    const same = before.find(({ headers }) => headers['webhook-id'] === sent?.headers['webhook-id']);
    expect(sent?.body).to.equal(same?.body);
    expect((await jobs()).map(({ kind }) => kind)).to.deep.equal(['deliver order.made(event_body string)']);
    // The release before still sends what waits for it.
    await old.image.serve(environment());
    await until(async () => (await jobs()).length === 0, { otherwise: () => old.image.output });
    await database.client.query(
      `INSERT INTO kiln_jobs (kind, input, due_at) VALUES ('deliver order.made(event_body string)', '{"event_body":"{}"}', now() + '1 day')`,
    );
    await old.image.kill();
    expect((await migrated(next.chain, database.url, { contract: true })).result).to.include({ kind: 'done' });
    expect(await jobs()).to.deep.equal([]);
  });

  it('go to a receiver whose certificate is trusted, and to no other', async () => {
    const { files, key, cert } = selfSigned();
    const safe = await receiver(status(204), { key, cert });
    const url = safe.url.replace('127.0.0.1', 'localhost');
    try {
      const { image, chain } = imageOf(created);
      await migrated(chain, database.url);
      const { port } = await image.serve(environment(url));
      await order(port, 'A-1');
      await until(async () => (await jobs())[0]?.error !== null && (await jobs()).length === 1);
      expect((await jobs())[0]?.error).to.include('the certificate of the receiver is not trusted');
      expect(safe.received).to.deep.equal([]);
      await image.kill();
      await again();
      image.start('work', { ...environment(url), NODE_EXTRA_CA_CERTS: files.cert });
      await until(async () => (await jobs()).length === 0, { otherwise: () => image.output });
      expect(safe.received).to.have.length(1);
    } finally {
      await safe.close();
      rmSync(files.folder, { recursive: true });
    }
  });

  it('and mails are sent once by four processes of another role than that of `migrate`, through a pooler', async function () {
    skipFor(this, 'tests of a pooler', whyNoPooler());
    const files = { 'mails/thanks.html': '<p>Thanks</p>' };
    const { image } = imageOf(await definitionOf(`${MODELS} ${webhook('order.created')} ${MAIL}`, {}, files));
    const { database: name } = database.client;
    const [owner, server] = [`${name}_migrate`, `${name}_server`];
    await database.client.query(`CREATE ROLE "${owner}" LOGIN PASSWORD 'secret'; CREATE ROLE "${server}" LOGIN PASSWORD 'secret';
      GRANT CREATE ON DATABASE "${name}" TO "${owner}"; GRANT USAGE, CREATE ON SCHEMA public TO "${owner}";
      GRANT pg_read_all_stats TO "${owner}"; GRANT USAGE ON SCHEMA public TO "${server}";
      ALTER DEFAULT PRIVILEGES FOR ROLE "${owner}" GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "${server}"`);
    const urlOf = (role: string) => {
      const url = new URL(database.url);
      url.username = encodeURIComponent(role);
      url.password = 'secret';
      return url;
    };
    const [code] = await once(image.start('migrate', { DATABASE_URL: urlOf(owner).href }), 'exit');
    expect(code, image.output).to.equal(0);
    const pooled = urlOf(server);
    pooled.port = String(await startPooler(pooled, { default_pool_size: '4' }));
    const owners = await database.client.query(`SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'`);
    expect(owners.rows).to.deep.equal([{ tableowner: owner }]);
    const mails = await mailServer();
    try {
      const mail = { MAIL_URL: mails.url, MAIL_FROM: 'shop@example.com' };
      const more = { ...POOLER_ENVIRONMENT, DATABASE_URL: pooled.href, WORKERS: '4' };
      const { port } = await image.serve({ ...environment(), ...mail, ...more });
      const numbers = Array.from({ length: 40 }, (_, at) => `n${at}`);
      await Promise.all(numbers.map((number) => order(port, number)));
      await until(async () => (await jobs()).length === 0, { otherwise: () => image.output.slice(-3000) });
      const told = partner.received.map(({ body }) => (JSON.parse(body) as { data: { number: string } }).data.number);
      expect(told).to.have.members(numbers);
      expect(mails.received.flatMap(({ to }) => to)).to.have.members(numbers.map((each) => `${each}@example.com`));
    } finally {
      await mails.close();
    }
  });
});
