/**
 * `migrate [--dry-run] [--contract] [--certify] [--json]`: brings the database of DATABASE_URL to the release of this image. With
 * `--contract` it also removes what only the release before needed, and with `--certify` it says for each statement which
 * locks it took and which were predicted.
 */
import { applicationFolder, loadReleases } from '../load/application-folder.ts';
import { redrawOn, runMigrate, START_WAIT } from '../migrate/run-migrate.ts';
import type { Command } from './command.ts';
import { flagsFrom } from './flags.ts';

export const migrate: Command = async (environment, say, args) => {
  const flags = flagsFrom(args, { 'dry-run': 'flag', contract: 'flag', certify: 'flag', json: 'flag' });
  if (typeof flags === 'string') {
    say(flags);
    return 2;
  }
  if (flags.has('certify') && flags.has('dry-run')) {
    say('`--certify` observes the statements, and `--dry-run` runs none. Use only one of them.');
    return 2;
  }
  const databaseUrl = environment.DATABASE_URL;
  if (!databaseUrl) {
    say('DATABASE_URL is not set. Set it to the database to migrate.');
    return 1;
  }
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => controller.abort());
  return runMigrate(loadReleases(applicationFolder(environment)), {
    databaseUrl,
    dryRun: flags.has('dry-run'),
    contract: flags.has('contract'),
    certify: flags.has('certify'),
    json: flags.has('json'),
    startWait: START_WAIT,
    signal: controller.signal,
    write: (line) => void process.stdout.write(`${line}\n`),
    ...redrawOn(process.stdout),
    writeError: say,
  });
};
