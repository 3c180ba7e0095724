/**
 * What a release costs those who use the one before it: `npm run bench:rollout [-- --rows 245000 --rate 80 --seconds 3
 * --hold 10 --only renamed]`. Each kind of change as a rollout under load, with the number of failed requests, the slowest
 * answer of each phase, and the time of `migrate`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { startDatabases } from '../../test/campaigns/databases.ts';
import { CASES } from '../../test/runtime/rollout/cases.ts';
import { type RolledOut, type RolloutOptions, rollOut } from '../../test/runtime/rollout/rollout.ts';
import type { RolloutCase } from '../../test/runtime/rollout/rollout-case.ts';
import { PHASES } from '../../test/runtime/rollout/traffic.ts';
import { tenths, whole } from '../api/table.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '245000' },
    rate: { type: 'string', default: '80' },
    seconds: { type: 'string', default: '3' },
    hold: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
  },
});
const CLIENTS = 8;

await loadGrammar();
const databases = await startDatabases();
let failed = 0;
try {
  console.log(
    `| | failed, older image | failed, newer image | ${PHASES.map((phase) => `${phase}, ms`).join(' | ')} | migrate, s | contract, s |`,
  );
  console.log(`|---|--:|--:|${PHASES.map(() => '--:|').join('')}--:|--:|`);
  for (const rollout of CASES.filter(({ title }) => title.includes(values.only))) await show(rollout);
  const behind = CASES.find(({ title }) => title === 'field renamed') as RolloutCase;
  if (`behind a lock`.includes(values.only)) await show({ ...behind, title: 'behind a lock' }, holdLock);
} finally {
  await databases.stop();
}
// The package of Postgres ends the process with 0 unless it is ended here.
process.exit(failed === 0 ? 0 : 1);

async function show(rollout: RolloutCase, meanwhile?: RolloutOptions['meanwhile']): Promise<void> {
  const done = await rollOut(rollout, {
    databaseUrl: await databases.create(),
    rows: Number(values.rows),
    requestsPerSecond: Number(values.rate),
    clients: CLIENTS,
    phase: Number(values.seconds) * 1000,
    ...(meanwhile ? { meanwhile } : {}),
  });
  failed += done.counted.old.failed + done.counted.new.failed;
  console.log(`| ${[rollout.title, ...cells(done)].join(' | ')} |`);
  for (const example of done.examples) console.log(example);
}

function cells({ counted, slowest, migrate, contract }: RolledOut): readonly string[] {
  return [
    `${counted.old.failed} of ${whole(counted.old.requests)}`,
    `${counted.new.failed} of ${whole(counted.new.requests)}`,
    ...PHASES.map((phase) => whole(slowest[phase])),
    tenths(migrate / 1000),
    tenths(contract / 1000),
  ];
}

/** It has read, and then does something else. */
async function holdLock(client: pg.Client): Promise<void> {
  await client.query('BEGIN; SELECT FROM post LIMIT 1');
  await sleep(Number(values.hold) * 1000);
  await client.query('COMMIT');
}
