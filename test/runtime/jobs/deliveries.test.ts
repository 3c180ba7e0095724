/** The places that deliveries have on a server, when nobody answers. */
import { expect } from 'chai';
import pino from 'pino';
import { jobKind } from '../../../compiler/definition/work.ts';
import { HostSlots } from '../../../runtime/deliver/host-slots.ts';
import type { JobRoutes } from '../../../runtime/endpoints/application.ts';
import type { WorkRoute } from '../../../runtime/endpoints/work-route.ts';
import { JobRunner } from '../../../runtime/jobs/runner.ts';
import { createMetrics } from '../../../runtime/observe/metrics.ts';
import { openDatabase } from '../../../runtime/query/connections/open-database.ts';
import { until } from '../../support/until.ts';
import { run, stopAll } from '../operations/running.ts';

const SOURCE = `
model Order { field url { type string }  field secret { type string, secret } }
mail Greeting { to "ada@example.com", subject "Hello", body "hello.html" }
webhook "order.created" {
  on create of Order as order
  to { url order.url, secret order.secret }
  body { id }
}
api { entrypoint Order { POST many "greet" { action { send Greeting {} } } } }`;

const MOST = 2500;

describe('deliveries', () => {
  after(stopAll);

  it('of webhooks keep no mail waiting, even where no more of them can be under way', async () => {
    const log = pino({ level: 'silent' });
    const files = { 'mails/hello.html': '<p>Hello</p>' };
    const { database: test, definition } = await run(SOURCE, { files, environment: { JOBS: '0' } });
    const times = { statementTimeout: 20_000, acquireTimeout: 20_000 };
    const database = openDatabase({ url: test.url, poolMax: 2, ...times, applicationName: 'deliveries', log });
    const underWay = { file: 0, mail: 0, webhook: 0 };
    /** Nobody answers, until the server stops. */
    const routeOf = (delivers: keyof typeof underWay): WorkRoute => ({
      usesHooks: false,
      records: new Set(),
      statements: () => [],
      perform: ({ signal }) => {
        underWay[delivers] += 1;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const routes = (definition.jobs ?? []).flatMap((job): readonly JobRoutes[] => {
      const kind = jobKind(job, definition);
      const { delivers } = job;
      return delivers
        ? [{ job, kind, reads: (each) => each === kind, actions: routeOf(delivers), onFailure: null }]
        : [];
    });
    const kindOf = (delivers: string) => routes.find(({ job }) => job.delivers === delivers)?.kind;
    const store = (delivers: string, count: number) =>
      test.client.query(`INSERT INTO kiln_jobs (kind, input) SELECT $1, '{}' FROM generate_series(1, $2)`, [
        kindOf(delivers),
        count,
      ]);
    await store('webhook', MOST + 100);
    const tally = createMetrics().jobs();
    const options = { database, log, most: 1, server: 'one', tally, slots: new HostSlots() };
    const runner = new JobRunner({ routes, threads: null }, options);
    try {
      await until(() => underWay.webhook === MOST, { limit: 60_000 });
      await store('mail', 1);
      runner.nudge();
      await until(() => underWay.mail === 1, { limit: 5000 });
      expect(underWay.webhook).to.equal(MOST);
    } finally {
      await runner.stop(0);
      await database.close();
    }
    const { rows } = await test.client.query('SELECT count(*)::int FROM kiln_jobs WHERE running_on IS NOT NULL');
    expect(rows).to.deep.equal([{ count: 0 }]);
  }).timeout(120_000);
});
