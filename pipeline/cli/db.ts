/** `kiln db`: the development database, a step at a time. */

import { readSources } from '../../files/read-sources.ts';
import type { Config } from '../../runtime/config/config.ts';
import { withClient } from '../database/connect.ts';
import { DATA_FOLDER, runningDatabaseUrl } from '../database/project-database.ts';
import { type NewestRelease, provenanceOf, refuseMisfits } from '../database/tables.ts';
import { answerTo, everythingQuestion, questionText, RESET_WORD } from '../dev/decide-loss.ts';
import { POPULATOR } from '../dev/dev-server.ts';
import { DuplicatesRefusal, duplicatesText } from '../dev/duplicates.ts';
import { countRows, emptyDatabase, pendingChanges, prepareTables, SyncRefusal, syncDatabase } from '../dev/sync.ts';
import {
  askAboutLoss,
  type ProjectDefinition,
  projectDefinition,
  projectHooks,
  settingsOf,
  showLoss,
} from './compiled-project.ts';
import {
  databaseSentence,
  type LocalDatabase,
  localConfig,
  populateDatabase,
  projectEnvironment,
  withLocalDatabase,
} from './local-database.ts';
import { reportProblems } from './project.ts';
import { complain, EXIT, type ExitCode, note, print, refuse } from './terminal.ts';

interface Opened extends ProjectDefinition {
  readonly database: LocalDatabase;
  /** Whether it is the project's own Postgres. */
  readonly isOwn: boolean;
  readonly config: Config;
}

async function withDatabase(dir: string, work: (opened: Opened) => Promise<ExitCode>): Promise<ExitCode> {
  const found = await projectDefinition(dir);
  if (!found) return EXIT.errors;
  const project = projectEnvironment(found.folder);
  if (project.problems.length > 0) return refuse(...project.problems);
  const result = await localConfig({}, project);
  if ('problems' in result) return refuse(result.problems.join('\n'));
  const isOwn = result.databaseUrl === null;
  try {
    return await withLocalDatabase(found.folder, result.databaseUrl, (database) =>
      work({ ...found, database, isOwn, config: { ...result.config, databaseUrl: database.url } }),
    );
  } catch (error) {
    if (error instanceof SyncRefusal) return declined(error);
    const sentence = error instanceof DuplicatesRefusal ? duplicatesText(error, found) : databaseSentence(error);
    if (sentence === undefined) throw error;
    return refuse(sentence);
  }
}

/** Chooses the exit code: declining is no error, but having nobody who could agree is one. */
function declined(refusal: SyncRefusal): ExitCode {
  if (refusal.decision === 'sources-changed') throw refusal;
  if (refusal.decision === 'unanswered')
    return refuse('nothing was changed; without a terminal, `--yes` accepts the loss');
  note('Cancelled. Nothing was changed.');
  return EXIT.ok;
}

interface Agreement {
  /** Whether every loss is accepted. */
  readonly yes?: boolean;
}

/** Brings the database to what the sources say. */
export async function sync(dir: string, choices: Agreement): Promise<ExitCode> {
  try {
    return await syncOnce(dir, choices);
  } catch (error) {
    // The sources say something else now.
    if (error instanceof SyncRefusal && error.decision === 'sources-changed') return sync(dir, choices);
    throw error;
  }
}

function syncOnce(dir: string, { yes = false }: Agreement): Promise<ExitCode> {
  return withDatabase(dir, async ({ database, ...project }) => {
    const result = await syncDatabase(database.url, project.definition, async (loss) => {
      if (!yes) return askAboutLoss(loss, project);
      showLoss(loss, project);
      return 'delete';
    });
    if (result.kind === 'changed') for (const done of result.says) print(`  ${done}`);
    print(SYNCED[result.kind](database.name));
    return EXIT.ok;
  });
}

const SYNCED = {
  created: (name: string) => `Created the tables (database: ${name})`,
  unchanged: (name: string) => `The database already matches the sources (database: ${name})`,
  changed: (name: string) => `The database now matches the sources (database: ${name})`,
};

interface ResetChoices extends Agreement, Pick<PopulateChoices, 'clock'> {
  /** Adds the records of the populator `Dev` afterwards. */
  readonly populate?: boolean;
}

/** Deletes everything in the database and makes its tables again. */
export function reset(
  dir: string,
  { yes = false, populate: isPopulated = false, clock }: ResetChoices,
): Promise<ExitCode> {
  if (clock && !isPopulated) return Promise.resolve(refuse('`--clock` needs `--populate`; nothing was deleted'));
  return withDatabase(dir, async ({ folder, definition, database, config: { files } }) => {
    // Obstacles to populating are found before anything is deleted.
    if (isPopulated && !definition.populators.some(({ name }) => name === POPULATOR))
      return refuse(`there is no populator \`${POPULATOR}\`; nothing was deleted`);
    const hooks = isPopulated ? await projectHooks(folder, definition) : {};
    if (!hooks) return EXIT.errors;
    const answer = yes
      ? RESET_WORD
      : await answerTo(questionText(everythingQuestion(`This deletes everything in the database ${database.name}`)));
    if (answer === undefined) return refuse('nothing was deleted; without a terminal, `--yes` accepts the loss');
    if (answer !== RESET_WORD) {
      note('Cancelled. Nothing was deleted.');
      return EXIT.ok;
    }
    await withClient(database.url, emptyDatabase);
    await syncDatabase(database.url, definition, async () => 'delete');
    print(`Created the tables again, without rows (database: ${database.name})`);
    if (isPopulated)
      print(
        await populateDatabase({ databaseUrl: database.url, definition, hooks, files, populator: POPULATOR, clock }),
      );
    return EXIT.ok;
  });
}

interface PopulateChoices {
  readonly populator: string;
  readonly seed: number;
  readonly clock?: string;
  readonly scale: number;
}

export function populate(dir: string, choices: PopulateChoices): Promise<ExitCode> {
  return withDatabase(dir, async ({ folder, definition, database, config: { files } }) => {
    const hooks = await projectHooks(folder, definition);
    if (!hooks) return EXIT.errors;
    await prepareTables(database.url, definition);
    print(await populateDatabase({ databaseUrl: database.url, definition, hooks, files, ...choices }));
    return EXIT.ok;
  });
}

export function invite(
  login: string,
  dir: string,
  { set }: { readonly set: Readonly<Record<string, string>> },
): Promise<ExitCode> {
  return withDatabase(dir, async ({ folder, definition, database, config }) => {
    const hooks = await projectHooks(folder, definition);
    const settings = await settingsOf(folder, definition);
    if (!hooks || !settings) return EXIT.errors;
    await prepareTables(database.url, definition);
    const { inviteAccount } = await import('../../runtime/invite.ts');
    const { done, problems = [] } = await inviteAccount({ definition, hooks, settings, config }, login, set);
    if (done) print(done);
    for (const problem of problems) complain(problem);
    return done ? EXIT.ok : EXIT.errors;
  });
}

/** Prints the contents of the database, and whether it fits the sources. */
export function status(dir: string): Promise<ExitCode> {
  return withDatabase(dir, async ({ definition, database, isOwn }) => {
    print(`Database: ${database.name}`);
    if (isOwn) print('  `kiln db url` prints its URL, as long as a `kiln dev` or `kiln start` runs it');
    const provenance = await provenanceOf(database.url);
    if (provenance.kind === 'empty') {
      print('It is empty: `kiln db sync` creates its tables');
      return EXIT.ok;
    }
    if (provenance.kind === 'releases') for (const line of releasedText(provenance.newest)) print(line);
    const pending = provenance.kind === 'development' ? await pendingChanges(database.url, definition) : [];
    if (pending.length > 0) return misfit(pending);
    await refuseMisfits(database.url, definition);
    const counts = await countRows(database.url, definition);
    for (const [model, count] of counts) print(`  ${model.padEnd(longest(counts))}  ${count.toLocaleString('en')}`);
    print('It matches the sources');
    return EXIT.ok;
  });
}

function releasedText(newest: NewestRelease | null): readonly string[] {
  const at = newest === null ? '' : ` (it is at release ${newest.position}, ${newest.revision.slice(0, 12)})`;
  const pending = newest?.isContractionPending
    ? [
        `Release ${newest.position} still keeps what only the previous release needs: \`kiln migrate --contract\` removes it`,
      ]
    : [];
  return [`Releases bring it up to date${at}: \`kiln migrate\` brings it to another one`, ...pending];
}

/**
 * Prints the URL of the database, for other programs. Nothing is started for it: such a Postgres would be gone at once.
 */
export function url(dir: string): ExitCode {
  const { folder, problems } = readSources(dir);
  const given = projectEnvironment(folder).environment.DATABASE_URL?.trim();
  if (!given && problems.length > 0) return reportProblems(problems);
  const found = given || runningDatabaseUrl(folder);
  if (!found)
    return refuse(
      `the Postgres in ${DATA_FOLDER} is not running: start \`kiln dev\` or \`kiln start\`, and try again while it runs`,
    );
  print(found);
  return EXIT.ok;
}

function misfit(pending: readonly string[]): ExitCode {
  complain('the database does not match the sources; `kiln db sync` would');
  for (const step of pending) note(`  ${step}`);
  return EXIT.errors;
}

function longest(counts: ReadonlyMap<string, number>): number {
  return Math.max(...[...counts.keys()].map(({ length }) => length));
}
