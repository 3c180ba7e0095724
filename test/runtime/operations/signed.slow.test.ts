/** A server that dies after the commit of a signed request, before its response: the repeat does nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { ask, type Received } from '../http/serving.ts';
import { definitionOf } from './running.ts';

const SOURCE = `
setting STRIPE_SECRET { secret }
model Payment { field event { type string } }
api { entrypoint Payment { POST many "stripe" {
  signed by stripe { secret STRIPE_SECRET }
  extra inputs { field id { type string } }
  action { create Payment { set event id } }
} } }`;

/** The commit takes half a second: Postgres does not notice that the server has gone until it is done. */
const SLOW_COMMIT = `
CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON payment DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow_commit();`;

const MAIN = resolve(import.meta.dirname, '../../../dist/runtime/main.mjs');
const LISTENING = /"port":(\d+)[^\n]*"msg":"listening"/;
const STRIPE_SECRET = 'whsec_of_stripe';

describe('a signed request whose server dies between commit and response', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-signed-'));
  const started: ChildProcess[] = [];
  let database: TestDatabase;

  before(async () => {
    buildOnce();
    const definition = await definitionOf(SOURCE);
    database = await createDatabase();
    await database.client.query(schemaSql(schemaFromDefinition(definition)));
    await database.client.query(SLOW_COMMIT);
    writeFileSync(join(folder, 'definition.json'), definitionText(definition));
    writeFileSync(join(folder, 'openapi.json'), '{}');
  });

  after(async () => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function serve(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
    const own = { KILN_APP: folder, DATABASE_URL: database.url, HOST: '127.0.0.1', PORT: '0', STRIPE_SECRET };
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: { ...process.env, ...own },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    let output = '';
    child.stdout?.on('data', (chunk) => (output += String(chunk)));
    await until(() => LISTENING.test(output), { otherwise: () => output });
    const [, port] = LISTENING.exec(output) ?? [];
    return { child, port: Number(port) };
  }

  function send(port: number): Promise<Received> {
    const body = '{"id":"evt_1"}';
    const at = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', STRIPE_SECRET).update(`${at}.${body}`).digest('hex');
    const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${signature}` };
    return ask(port, '/api/payment/stripe', { method: 'POST', body, headers });
  }

  const count = async (sql: string) => Number((await database.client.query(sql)).rows[0].count);

  it('is done once: its repeat is a 200', async () => {
    const first = await serve();
    const lost = send(first.port).catch(() => 'lost');
    await until(async () => {
      const sleeping =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
      return (await count(sleeping)) === 1;
    });
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    expect(await lost).to.equal('lost');
    const second = await serve();
    expect((await send(second.port)).status).to.equal(200);
    expect(await count('SELECT count(*) FROM payment')).to.equal(1);
  });
});
