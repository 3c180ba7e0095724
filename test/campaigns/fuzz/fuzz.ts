/**
 * `npm run fuzz -- [--minutes 5] [--seed 1] [--clients 8] [--example blog] [--operation postList]`: every application for its share of the
 * time. The clients of a run with one client send the same requests for the same seed.
 */
import { startDatabases, withClient } from '../databases.ts';
import { campaignOptions, showProgress } from '../options.ts';
import { applicationNamed, NAMES } from './applications.ts';
import { fuzzApplication } from './campaign.ts';
import { measureGrowth } from './growth.ts';
import { Report } from './report.ts';

const { minutes, seed, clients, examples, operations: only } = campaignOptions(process.argv.slice(2), 8);
const applications = await Promise.all((examples.length > 0 ? examples : NAMES).map(applicationNamed));
const weights = applications.reduce((sum, { weight }) => sum + weight, 0);
const report = new Report();
const databases = await startDatabases();
try {
  if (examples.length === 0)
    await withClient(await databases.create(), (client) => measureGrowth(client, report, showProgress));
  for (const application of applications) {
    const limit = { seconds: (minutes * 60 * application.weight) / weights };
    const databaseUrl = await databases.create();
    await fuzzApplication({ application, databaseUrl, seed, limit, clients, only, report, progress: showProgress });
  }
} finally {
  await databases.stop();
}
showProgress('');
process.stdout.write(`seed ${seed}\n${report.text()}\n`);
// The package of Postgres ends the process with 0 unless it is ended here.
process.exit(report.failures.size > 0 ? 1 : 0);
