/** `npm run chaos -- [--minutes 5] [--seed 1] [--clients 64]`: what clients are told stays true while Postgres fails. */
import { startDatabases } from '../databases.ts';
import { campaignOptions, showProgress } from '../options.ts';
import { DURABLE, runChaos } from './campaign.ts';
import { Findings } from './findings.ts';

const CRASH_SECONDS = 30;

const { minutes, seed, clients } = campaignOptions(process.argv.slice(2), 64);
const findings = new Findings();
const databases = await startDatabases(DURABLE);
try {
  await runChaos({
    databaseUrl: await databases.create(),
    seed,
    limit: { seconds: minutes * 60 },
    clients,
    crashSeconds: Math.min(CRASH_SECONDS, minutes * 20),
    findings,
    progress: showProgress,
  });
} finally {
  await databases.stop();
}
showProgress('');
process.stdout.write(`seed ${seed}\n${findings.text()}\n`);
// The package of Postgres ends the process with 0 unless it is ended here.
process.exit(findings.hasFaults ? 1 : 0);
