/** `kiln migrate`: brings the database of DATABASE_URL to a release, as the image of that release would. */
import { duration, databaseUrl as readDatabaseUrl } from '../../runtime/config/reading.ts';
import { BuildRefusal } from '../bake/build-names.ts';
import { checkRelease } from '../bake/build-release.ts';
import { openRepository, type Repository, referenceId } from '../git/repository.ts';
import { currentBranch, revisionOf } from '../git/revision.ts';
import { ledgerBranches } from '../ledger/ledger.ts';
import { complain, type ExitCode, goOnUnread, print, Refusal, refuse } from './terminal.ts';

interface MigrateOptions {
  readonly rev: string;
  readonly branch?: string;
  readonly dryRun?: boolean;
  readonly contract?: boolean;
  readonly wait?: string;
  readonly json?: boolean;
}

/** The exit codes are those of the image's `migrate`. */
export async function migrate(dir: string, options: MigrateOptions): Promise<ExitCode> {
  const databaseUrl = process.env.DATABASE_URL;
  if (!databaseUrl) return refuse('DATABASE_URL is not set. Set it to the database to migrate');
  const address = readDatabaseUrl(databaseUrl);
  if (!address.ok) return refuse(`DATABASE_URL ${address.problem.replace(/\.$/, '')}`);
  const wait = options.wait === undefined ? undefined : duration(0)(options.wait);
  if (wait?.ok === false) throw new Refusal(`--wait ${wait.problem.replace(/\.$/, '')}`);
  const { chain } = await recordedRelease(dir, options);
  const { redrawOn, runMigrate, START_WAIT } = await import('../../runtime/migrate/run-migrate.ts');
  const { dryRun = false, contract = false, json = false } = options;
  if (!dryRun) goOnUnread();
  const code = await runMigrate(chain, {
    databaseUrl,
    dryRun,
    contract,
    json,
    ...(wait?.ok ? { contractWait: wait.value } : {}),
    startWait: START_WAIT,
    write: print,
    ...redrawOn(process.stdout),
    writeError: complain,
  });
  return code as ExitCode;
}

/** A new branch may be looked at before it has releases, as long as there is such a branch. */
function refuseUnknownBranch(repository: Repository, branch: string, dryRun: boolean): void {
  const released = ledgerBranches(repository);
  const isThere = dryRun && referenceId(repository, `refs/heads/${branch}`) !== null;
  if (released.includes(branch) || isThere) return;
  const others =
    released.length === 0
      ? 'nothing is released yet: `kiln build` makes a release'
      : `there are releases on ${released.map((name) => `\`${name}\``).join(', ')}`;
  throw new BuildRefusal(`there are no releases on the branch \`${branch}\`; ${others}`);
}

/**
 * Finds a recorded release. A revision that is not released yet may be inspected, but not applied to a shared database.
 */
async function recordedRelease(dir: string, { rev, branch, dryRun = false }: MigrateOptions) {
  const repository = openRepository(dir);
  if (branch !== undefined) refuseUnknownBranch(repository, branch, dryRun);
  const revision = revisionOf(repository, rev);
  const input = { repository, revision, branch: branch ?? currentBranch(repository), folder: repository.folder };
  const release = await checkRelease(input);
  if (release.isRecorded || dryRun) return release;
  throw new BuildRefusal(
    `${revision.slice(0, 12)} is not a release yet: \`kiln build\` makes it one, \`--dry-run\` shows what it would do`,
  );
}
