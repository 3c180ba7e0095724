/**
 * `npm run chaos -- [--minutes 5] [--seed 1] [--clients 64]`: what clients are told stays true while Postgres fails, for
 * half of the time. For the other half every byte of the answers is compared.
 */
import { startDatabases } from '../databases.ts';
import { campaignOptions, showProgress } from '../options.ts';
import { DURABLE, runChaos } from './campaign.ts';
import { Findings } from './findings.ts';
import { runWhole, WholeFindings } from './whole.ts';

const CRASH_SECONDS = 30;
const CALM = 20;

const { minutes, seed, clients } = campaignOptions(process.argv.slice(2), 64);
const findings = new Findings();
const whole = new WholeFindings();
const databases = await startDatabases(DURABLE);
const limit = { seconds: minutes * 30 };
try {
  await runWhole({ databaseUrl: await databases.create(), seed, limit, clients, calm: CALM, findings: whole });
  await runChaos({
    databaseUrl: await databases.create(),
    seed,
    limit,
    clients,
    crashSeconds: Math.min(CRASH_SECONDS, minutes * 10),
    findings,
    progress: showProgress,
  });
} finally {
  await databases.stop();
}
showProgress('');
process.stdout.write(`seed ${seed}\n${findings.text()}\n${whole.text()}\n`);
// The package of Postgres ends the process with 0 unless it is ended here.
process.exit(findings.hasFaults || whole.broken.length > 0 ? 1 : 0);
