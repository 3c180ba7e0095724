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

  it('completes in a second run when its process was killed inside of any statement', async () => {
    await atEvery(1, async ({ url }, at) => {
      expect(await exitWhenKilledAt(program, url, at), `the process at ${at}`).to.deep.equal([null, 'SIGKILL']);
    });
  });

  it('completes in a second run when its connection was cut between two statements', async () => {
    await atEvery(SOMETIMES, async ({ url }, at) => {
      const { reason } = await throughProxy(url, { at, when: 'before', act: () => undefined });
      expect(reason, `cut before statement ${at}`).to.equal('unavailable');
    });
  });

  it('completes in a second run when Postgres ended its session', async () => {
    await atEvery(SOMETIMES, async (database, at) => {
      const { reason } = await throughProxy(database.url, { at, when: 'inside', act: () => database.terminateJob() });
      expect(reason, `terminated at statement ${at}`).to.equal('unavailable');
    });
  });

  async function atEvery(stride: number, disturb: (database: ResettableDatabase, at: number) => Promise<void>) {
    const places = Array.from({ length: Math.floor(statements / stride) }, (_, index) => index * stride + 1).values();
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

/** To Postgres a client that is cut off is much like one that is killed: these are tried at some places only. */
const SOMETIMES = process.env.CUT_EVERYWHERE ? 1 : 4;

async function exitWhenKilledAt(program: string, url: string, at: number): Promise<unknown> {
  let child: ChildProcess | undefined;
  const proxy = await openMessageProxy(url, { at, when: 'inside', act: () => void child?.kill('SIGKILL') });
  child = spawn(process.execPath, [program, proxy.url], { stdio: 'ignore', env: {} });
  const exit = await once(child, 'exit');
  await proxy.close();
  return exit;
}

async function throughProxy(url: string, cut: Cut) {
  const proxy = await openMessageProxy(url, cut);
  const outcome = await migrated(TEN_RELEASES, proxy.url);
  await proxy.close();
  return outcome;
}
