/**
 * What reads on a replica take from the primary, and what the position costs a write: `npm run bench:replicas`. The same
 * server with a replica and without, on one database; every read of the first has a position.
 */
import { startEmbeddedReplica } from '../../test/support/postgres-embedded.ts';
import { openArena } from '../api/arena.ts';
import { medianFigure } from '../api/comparison.ts';
import type { Run } from '../api/load.ts';
import { optionsFromArguments, type Workload } from '../api/options.ts';
import { measureWorkload, type Runs } from '../api/rounds.ts';
import { table, whole } from '../api/table.ts';

const READS: readonly Workload[] = ['R1', 'R2', 'R3'];
const POSITION = 'kiln-position: 0000000000000000';
const [ALONE, BESIDE] = ['kiln', 'kiln with a replica'] as const;
const MOST_OF_READS = 0.1;
const MOST_OF_WRITES = 1.05;

const options = optionsFromArguments(['--only', 'R1,R2,R3,R4', ...process.argv.slice(2)]);
const arena = await openArena();
const alone = await arena.commandFor(ALONE);
const { pathname } = new URL(alone.environment.DATABASE_URL ?? '');
const replica = await startEmbeddedReplica(arena.cluster, 'replica');
try {
  const DATABASE_READ_URL = `postgres://postgres:postgres@${replica.host}:${replica.port}${pathname}`;
  const beside = { ...alone, name: BESIDE, environment: { ...alone.environment, DATABASE_READ_URL } };
  const measured = [await arena.start(alone), await arena.start(beside)];
  const setting = { ...arena.setting, headers: [POSITION] };
  const rows: (readonly [Workload, Runs])[] = [];
  for (const workload of options.only)
    rows.push([workload, await measureWorkload(workload, measured, options, arena.cluster, setting)]);
  process.stdout.write(table(['workload', 'server', 'req/s', 'server us', 'primary us'], rows.flatMap(cellsOf)));
  for (const [workload, runs] of rows) judge(workload, runs);
} finally {
  await arena.close();
  await replica.stop();
}

function cellsOf([workload, runs]: readonly [Workload, Runs]): readonly (readonly string[])[] {
  return [...runs].map(([name, own]) => [
    workload,
    name,
    whole(medianFigure(own, (run) => run.requestsPerSecond)),
    whole(medianFigure(own, (run) => run.serverCpu)),
    whole(medianFigure(own, (run) => run.postgresCpu)),
  ]);
}

/** Processor time is disturbed least by the rest of the machine. */
function judge(workload: Workload, runs: Runs): void {
  const isRead = READS.includes(workload);
  const cost = ({ serverCpu, postgresCpu }: Run) => (isRead ? postgresCpu : serverCpu + postgresCpu);
  const share = medianFigure(runs.get(BESIDE), cost) / medianFigure(runs.get(ALONE), cost);
  const most = isRead ? MOST_OF_READS : MOST_OF_WRITES;
  const what = isRead ? "the primary's processor time" : 'the processor time of server and primary';
  process.stdout.write(`${workload}: ${what} is ${share.toFixed(2)} of that without a replica (goal: ${most})\n`);
  if (share > most) process.exitCode = 1;
}
