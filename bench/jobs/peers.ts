/** Other queues on Postgres, with jobs that do nothing: one at a time in each of five loops, and in batches. */
import { EventEmitter, once } from 'node:events';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import PgBoss from 'pg-boss';
import { pino } from 'pino';

export interface Peer {
  readonly name: string;
  /** Stores so many jobs, and gives what does them. Resolves when all are done. */
  prepare(url: string, jobs: number): Promise<() => Promise<void>>;
}

const LOOPS = 5;
/** A line for each job would cost more than the job. */
const QUIET = new Logger(() => () => undefined);
const BATCH = 100;

export const PEERS: readonly Peer[] = [
  { name: 'graphile-worker 0.17', prepare: (url, jobs) => graphile(url, jobs, false) },
  { name: 'graphile-worker 0.17, local queue and batches', prepare: (url, jobs) => graphile(url, jobs, true) },
  { name: 'pg-boss 10', prepare: (url, jobs) => boss(url, jobs, 1) },
  { name: `pg-boss 10, batches of ${BATCH}`, prepare: (url, jobs) => boss(url, jobs, BATCH) },
];

async function graphile(url: string, jobs: number, inBatches: boolean): Promise<() => Promise<void>> {
  const utils = await makeWorkerUtils({ connectionString: url });
  await utils.migrate();
  await utils.withPgClient((client) =>
    client.query(
      `SELECT graphile_worker.add_jobs(array_agg(('nothing', '{}'::json, NULL, NULL, NULL, NULL, NULL, NULL)::graphile_worker.job_spec)) FROM generate_series(1, ${jobs})`,
    ),
  );
  await utils.release();
  return async () => {
    const done = new EventEmitter();
    const end = once(done, 'end');
    let left = jobs;
    const nothing = () => {
      if (--left === 0) done.emit('end');
    };
    const batches = {
      localQueue: { size: BATCH },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    };
    const runner = await run({
      connectionString: url,
      concurrency: LOOPS,
      maxPoolSize: LOOPS + 1,
      taskList: { nothing },
      noHandleSignals: true,
      logger: QUIET,
      preset: { worker: inBatches ? batches : {} },
    });
    await end;
    await runner.stop();
  };
}

async function boss(url: string, jobs: number, batchSize: number): Promise<() => Promise<void>> {
  const queue = 'nothing';
  const boss = new PgBoss({ connectionString: url, max: LOOPS + 1, supervise: false, schedule: false });
  boss.on('error', (error) => pino().error(error));
  await boss.start();
  await boss.createQueue(queue);
  for (let at = 0; at < jobs; at += 1000)
    await boss.insert(Array.from({ length: Math.min(1000, jobs - at) }, () => ({ name: queue, data: {} })));
  const loop = async (): Promise<void> => {
    for (;;) {
      const found = await boss.fetch(queue, { batchSize });
      if (found.length === 0) return;
      await boss.complete(
        queue,
        found.map(({ id }) => id),
      );
    }
  };
  return async () => {
    await Promise.all(Array.from({ length: LOOPS }, loop));
    await boss.stop({ graceful: false });
  };
}
