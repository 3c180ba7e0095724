import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { bundled } from '../../support/bundled.ts';
import { migrated, type Remains, ResettableDatabase } from './databases.ts';
import { type Cut, openMessageProxy } from './message-proxy.ts';
import { TEN_RELEASES } from './ten-releases.ts';

/** Ten releases, cut off at every statement that the job sends, and then run again. */
describe('migrate, killed', function () {
  this.timeout(600_000);

  let program: string;
  const databases: ResettableDatabase[] = [];
  let undisturbed: Remains;
  let statements: number;

  before(async () => {
    program = bundled(import.meta.resolve('./migrate-process.ts'));
    for (let lane = 0; lane < LANES; lane++) databases.push(await ResettableDatabase.create());
    const [database] = databases as [ResettableDatabase];
    await database.reset();
    const proxy = await openMessageProxy(database.url);
    await migrated(TEN_RELEASES, proxy.url);
    await proxy.close();
    statements = proxy.seen();
    undisturbed = await database.remains();
  });

  it('has enough statements to be killed at', () => {
    expect(statements).to.be.greaterThan(80);
  });

  /** To Postgres a client that is cut off is much like one that is killed, so each of them is tried at some places. */
  const disturbances = {
    'its process was killed inside of a statement': async ({ url }: ResettableDatabase, at: number) => {
      const { exit, seen } = await exitWhenKilledAt(program, url, at);
      return seen < at || expect(exit).to.deep.equal([null, 'SIGKILL']);
    },
    'its connection was cut inside of a statement': ({ url }: ResettableDatabase, at: number) =>
      cutOff(url, { at, when: 'inside', act: () => undefined }),
    'its connection was cut between two statements': ({ url }: ResettableDatabase, at: number) =>
      cutOff(url, { at, when: 'before', act: () => undefined }),
    'Postgres ended its session': (database: ResettableDatabase, at: number) =>
      cutOff(database.url, { at, when: 'inside', act: () => database.terminateJob() }),
  };

  for (const [index, [title, disturb]] of Object.entries(disturbances).entries()) {
    it(`completes in a second run when ${title}`, async () => {
      const stride = process.env.CUT_EVERYWHERE ? 1 : Object.keys(disturbances).length;
      const places = Array.from({ length: statements }, (_, place) => place + 1).filter(
        (at) => at % stride === index % stride,
      );
      await inLanes(places.values(), disturb);
    });
  }

  async function cutOff(url: string, cut: Cut): Promise<void> {
    const proxy = await openMessageProxy(url, cut);
    const { reason } = await migrated(TEN_RELEASES, proxy.url);
    await proxy.close();
    // With the last ones the lock is released: all work is done by then, and the result is known.
    if (cut.at < statements - 3) expect(reason, `cut ${cut.when} ${cut.at}`).to.equal('unavailable');
  }

  async function inLanes(
    places: Iterable<number>,
    disturb: (database: ResettableDatabase, at: number) => Promise<unknown>,
  ): Promise<void> {
    const lane = async (database: ResettableDatabase) => {
      for (const at of places) {
        await database.reset();
        await disturb(database, at);
        const { result } = await migrated(TEN_RELEASES, database.url);
        expect(result.kind, `the second run, after ${at}: ${JSON.stringify(result)}`).to.equal('done');
        expect(await database.remains(), `after ${at}`).to.deep.equal(undisturbed);
      }
    };
    await Promise.all(databases.map(lane));
  }
});

/** What waits for Postgres leaves the processor to another. */
const LANES = 3;

/** `seen` is less than `at` where this run had fewer statements: a job that waits for others asks more than once. */
async function exitWhenKilledAt(program: string, url: string, at: number) {
  let child: ChildProcess | undefined;
  const proxy = await openMessageProxy(url, { at, when: 'inside', act: () => void child?.kill('SIGKILL') });
  child = spawn(process.execPath, [program, proxy.url], { stdio: 'ignore', env: {} });
  const exit: unknown = await once(child, 'exit');
  await proxy.close();
  return { exit, seen: proxy.seen() };
}
