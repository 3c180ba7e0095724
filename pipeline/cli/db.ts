/** `kiln db`: the development database, a step at a time. */

import { readSources } from '../../files/read-sources.ts';
import { withClient } from '../database/connect.ts';
import { DATA_FOLDER, runningDatabaseUrl } from '../database/project-database.ts';
import { type NewestRelease, provenanceOf } from '../database/provenance.ts';
import { refuseMisfits } from '../database/tables.ts';
import { agrees } from '../dev/ask.ts';
import { lossQuestion, lossText } from '../dev/loss-text.ts';
import { prepareTables } from '../dev/prepare-tables.ts';
import { countRows } from '../dev/rows.ts';
import { emptyDatabase, pendingChanges, SyncRefusal, syncDatabase } from '../dev/sync.ts';
import { type ProjectDefinition, projectDefinition } from './compiled-project.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { databaseSentence, type LocalDatabase, withLocalDatabase } from './local-database.ts';
import { populateDatabase } from './populating.ts';
import { reportProblems } from './project.ts';
import { projectHooks } from './project-hooks.ts';
import { localConfig } from './start-config.ts';
import { complain, pointToExplanation, print, refuse } from './terminal.ts';

interface Opened extends ProjectDefinition {
  readonly database: LocalDatabase;
  /** Whether it is the project's own Postgres. */
  readonly isOwn: boolean;
}

async function withDatabase(dir: string, work: (opened: Opened) => Promise<ExitCode>): Promise<ExitCode> {
  const found = await projectDefinition(dir);
  if (!found) return EXIT.errors;
  const result = await localConfig({}, process.env);
  if ('problems' in result) return refuse(result.problems.join('\n'));
  const isOwn = result.databaseUrl === null;
  try {
    return await withLocalDatabase(found.folder, result.databaseUrl, (database) => work({ ...found, database, isOwn }));
  } catch (error) {
    const sentence = error instanceof SyncRefusal ? LEFT : databaseSentence(error);
    if (sentence === undefined) throw error;
    return refuse(sentence);
  }
}

const LEFT = 'nothing was changed; `--yes` agrees where there is no terminal to ask';

interface Agreement {
  /** To every loss. */
  readonly yes?: boolean;
}

/** Brings the database to what the sources say. */
export function sync(dir: string, { yes = false }: Agreement): Promise<ExitCode> {
  return withDatabase(dir, async ({ definition, database, problemsText }) => {
    const result = await syncDatabase(database.url, definition, async (loss) => {
      process.stderr.write(`${lossText(loss, problemsText)}\n`);
      pointToExplanation(loss.problems[0]?.code);
      return yes || agrees(lossQuestion(loss));
    });
    if (result.kind === 'changed') for (const done of result.says) print(`  ${done}`);
    print(SYNCED[result.kind](database.name));
    return EXIT.ok;
  });
}

const SYNCED = {
  created: (name: string) => `The tables are made (database: ${name})`,
  unchanged: (name: string) => `The database fits the sources already (database: ${name})`,
  changed: (name: string) => `The database fits the sources now (database: ${name})`,
};

/** Empties the database and makes its tables anew. */
export function reset(dir: string, { yes = false }: Agreement): Promise<ExitCode> {
  return withDatabase(dir, async ({ definition, database }) => {
    const isAgreed = yes || (await agrees(`Delete everything in the database ${database.name}?`));
    if (!isAgreed) return refuse('nothing was deleted; `--yes` agrees where there is no terminal to ask');
    await withClient(database.url, emptyDatabase);
    await syncDatabase(database.url, definition, async () => true);
    print(`The tables are made anew, without rows (database: ${database.name})`);
    return EXIT.ok;
  });
}

interface PopulateChoices {
  readonly populator: string;
  readonly seed: number;
  readonly scale: number;
}

export function populate(dir: string, choices: PopulateChoices): Promise<ExitCode> {
  return withDatabase(dir, async ({ folder, definition, database }) => {
    const hooks = await projectHooks(folder, definition);
    if (!hooks) return EXIT.errors;
    await prepareTables(database.url, definition);
    print(await populateDatabase({ databaseUrl: database.url, definition, hooks, ...choices }));
    return EXIT.ok;
  });
}

/** What is in the database, and whether it fits. */
export function status(dir: string): Promise<ExitCode> {
  return withDatabase(dir, async ({ definition, database, isOwn }) => {
    print(`Database: ${database.name}`);
    if (isOwn) print('  `kiln db url` prints its URL, as long as a `kiln dev` or `kiln start` runs it');
    const provenance = await provenanceOf(database.url);
    if (provenance.kind === 'empty') {
      print('It is empty: `kiln db sync` makes its tables');
      return EXIT.ok;
    }
    if (provenance.kind === 'releases') for (const line of releasedText(provenance.newest)) print(line);
    const pending = provenance.kind === 'development' ? await pendingChanges(database.url, definition) : [];
    if (pending.length > 0) return misfit(pending);
    await refuseMisfits(database.url, definition);
    const counts = await countRows(database.url, definition);
    for (const [model, count] of counts) print(`  ${model.padEnd(longest(counts))}  ${count.toLocaleString('en')}`);
    print('It fits the sources');
    return EXIT.ok;
  });
}

function releasedText(newest: NewestRelease | null): readonly string[] {
  const at = newest === null ? '' : ` (it is at release ${newest.position}, ${newest.revision.slice(0, 12)})`;
  const pending = newest?.isContractionPending
    ? [
        `Release ${newest.position} still keeps what only the release before it needs: \`kiln migrate --contract\` removes it`,
      ]
    : [];
  return [`Releases bring it up to date${at}: \`kiln migrate\` brings it to another one`, ...pending];
}

/** Where the database is, for other programs. Nothing is started for it: such a Postgres would be gone at once. */
export function url(dir: string): ExitCode {
  const given = process.env.DATABASE_URL?.trim();
  const { folder, problems } = readSources(dir);
  if (!given && problems.length > 0) return reportProblems(problems);
  const found = given || runningDatabaseUrl(folder);
  if (!found)
    return refuse(
      `the Postgres in ${DATA_FOLDER} does not run: start \`kiln dev\` or \`kiln start\`, and ask again while it runs`,
    );
  print(found);
  return EXIT.ok;
}

function misfit(pending: readonly string[]): ExitCode {
  complain('the database does not fit the sources; `kiln db sync` would');
  for (const deed of pending) process.stderr.write(`  ${deed}\n`);
  return EXIT.errors;
}

function longest(counts: ReadonlyMap<string, number>): number {
  return Math.max(...[...counts.keys()].map(({ length }) => length));
}
