/** `kiln db`: the development database, a step at a time. */

import type { Definition } from '../../compiler/definition/definition.ts';
import { withClient } from '../database/connect.ts';
import { isEmptyDatabase, refuseMisfits } from '../database/tables.ts';
import { agrees } from '../dev/ask.ts';
import { lossQuestion, lossText } from '../dev/loss-text.ts';
import { countRows } from '../dev/rows.ts';
import { emptyDatabase, pendingChanges, SyncRefusal, syncDatabase } from '../dev/sync.ts';
import { projectDefinition } from './compiled-project.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { databaseSentence, type LocalDatabase, localDatabase } from './local-database.ts';
import { populateDatabase } from './populating.ts';
import { projectHooks } from './project-hooks.ts';
import { localConfig } from './start-config.ts';
import { complain, print } from './terminal.ts';

interface Opened {
  readonly folder: string;
  readonly definition: Definition;
  readonly database: LocalDatabase;
}

async function withDatabase(dir: string, work: (opened: Opened) => Promise<ExitCode>): Promise<ExitCode> {
  const found = await projectDefinition(dir);
  if (!found) return EXIT.errors;
  const result = await localConfig({}, process.env);
  if ('problems' in result) return refuse(result.problems.join('\n'));
  try {
    const database = await localDatabase(found.folder, result.databaseUrl);
    try {
      return await work({ ...found, database });
    } finally {
      await database.stop();
    }
  } catch (error) {
    const sentence = error instanceof SyncRefusal ? LEFT : databaseSentence(error);
    if (sentence === undefined) throw error;
    return refuse(sentence);
  }
}

const LEFT = 'nothing was changed; `--yes` agrees where there is no terminal to ask';

function refuse(sentence: string): ExitCode {
  complain(sentence);
  return EXIT.errors;
}

/** Brings the database to what the sources say. `--yes` agrees to every loss. */
export function sync(dir: string, { yes }: { readonly yes: boolean }): Promise<ExitCode> {
  return withDatabase(dir, async ({ definition, database }) => {
    const result = await syncDatabase(database.url, definition, async (loss) => {
      process.stderr.write(`${lossText(loss)}\n`);
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
export function reset(dir: string, { yes }: { readonly yes: boolean }): Promise<ExitCode> {
  return withDatabase(dir, async ({ definition, database }) => {
    const isAgreed = yes || (await agrees(`Delete everything in the database ${database.name}?`));
    if (!isAgreed) return refuse('nothing was deleted; `--yes` agrees where there is no terminal to ask');
    await withClient(database.url, emptyDatabase);
    await syncDatabase(database.url, definition, async () => true);
    print(`The tables are made anew, without rows (database: ${database.name})`);
    return EXIT.ok;
  });
}

export interface PopulateChoices {
  readonly populator: string;
  readonly seed: number;
  readonly scale: number;
}

export function populate(dir: string, choices: PopulateChoices): Promise<ExitCode> {
  return withDatabase(dir, async ({ folder, definition, database }) => {
    const hooks = await projectHooks(folder, definition);
    if (!hooks) return EXIT.errors;
    if (await isEmptyDatabase(database.url)) await syncDatabase(database.url, definition, async () => false);
    await refuseMisfits(database.url, definition);
    print(await populateDatabase({ databaseUrl: database.url, definition, hooks, ...choices }));
    return EXIT.ok;
  });
}

/** What is in the database, and whether it fits. */
export function status(dir: string): Promise<ExitCode> {
  return withDatabase(dir, async ({ definition, database }) => {
    print(`Database: ${database.name}`);
    if (await isEmptyDatabase(database.url)) {
      print('It is empty: `kiln db sync` makes its tables');
      return EXIT.ok;
    }
    const pending = await pendingChanges(database.url, definition);
    if (pending.length > 0) return misfit(pending);
    await refuseMisfits(database.url, definition);
    const counts = await countRows(database.url, definition);
    for (const [model, count] of counts) print(`  ${model.padEnd(longest(counts))}  ${count.toLocaleString('en')}`);
    print('It fits the sources');
    return EXIT.ok;
  });
}

function misfit(pending: readonly string[]): ExitCode {
  complain('the database does not fit the sources; `kiln db sync` would');
  for (const deed of pending) process.stderr.write(`  ${deed}\n`);
  return EXIT.errors;
}

function longest(counts: ReadonlyMap<string, number>): number {
  return Math.max(...[...counts.keys()].map(({ length }) => length));
}
