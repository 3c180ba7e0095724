/**
 * `migrate [--dry-run] [--contract] [--wait TIME] [--read-write] [--stop-after STEPS] [--json]`: brings the
 * database of DATABASE_URL to the release of this image, through all releases in between. With `--wait 10m` servers of older
 * releases get this long to stop where they are in the way. With `--contract` it also removes what only the previous release
 * needed. With `--read-write` it also changes a database whose settings say that it is read-only. With `--stop-after` it ends as if it had been killed
 * when so many steps of the next release were done.
 */
import { duration } from '../config/reading.ts';
import { applicationFolder, loadReleases } from '../load/application-folder.ts';
import { redrawOn, runMigrate, START_WAIT } from '../migrate/run-migrate.ts';
import { type Command, databaseUrlIn, flagsFrom } from './command.ts';

const STOP_AFTER = 'stop-after';

const OPTIONS = {
  'dry-run': 'flag',
  contract: 'flag',
  wait: 'value',
  'read-write': 'flag',
  [STOP_AFTER]: 'value',
  json: 'flag',
} as const;

export const migrate: Command = async (environment, say, args) => {
  const flags = flagsFrom(args, OPTIONS);
  const wait = typeof flags !== 'string' && flags.has('wait') ? duration(0)(flags.get('wait') ?? '') : undefined;
  const wrongWait = wait?.ok === false ? `\`--wait\` ${wait.problem}` : undefined;
  const mistake = typeof flags === 'string' ? flags : (mistakeIn(flags) ?? wrongWait);
  if (typeof flags === 'string' || mistake !== undefined) {
    say(String(mistake));
    return 2;
  }
  const databaseUrl = databaseUrlIn(environment, say, 'migrate');
  if (databaseUrl === null) return 1;
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => controller.abort());
  return runMigrate(loadReleases(applicationFolder(environment)), {
    databaseUrl,
    dryRun: flags.has('dry-run'),
    contract: flags.has('contract'),
    readWrite: flags.has('read-write'),
    json: flags.has('json'),
    ...(flags.has(STOP_AFTER) ? { stopAfter: Number(flags.get(STOP_AFTER)) } : {}),
    ...(wait?.ok ? { contractWait: wait.value } : {}),
    startWait: START_WAIT,
    signal: controller.signal,
    write: (line) => void process.stdout.write(`${line}\n`),
    ...redrawOn(process.stdout),
    writeError: say,
  });
};

function mistakeIn(flags: ReadonlyMap<string, string>): string | undefined {
  const steps = flags.get(STOP_AFTER);
  if (steps !== undefined && flags.has('dry-run'))
    return '`--stop-after` stops between steps, and `--dry-run` runs none. Use only one of them.';
  if (steps !== undefined && !/^[1-9]\d*$/.test(steps)) return '`--stop-after` needs a number of steps, at least 1.';
  return undefined;
}
