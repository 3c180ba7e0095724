import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OWN_VARIABLES } from '../../compiler/definition/contract/variables.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { nearWord } from '../../compiler/diagnostics/words/near-name.ts';
import { DOTENV, readDotenv } from '../../files/dotenv.ts';
import { kilnFolderOf } from '../../files/write-file.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { PopulateError } from '../../runtime/populate/populate-error.ts';
import type { Report } from '../../runtime/populate/progress.ts';
import type { SettingValues } from '../../runtime/values/settings.ts';
import { codeOf, DatabaseRefusal, databaseName, ensureDatabase } from '../database/connect.ts';
import { openProjectDatabase, shownDataFolder } from '../database/project-database.ts';
import { note } from './terminal.ts';

export interface LocalDatabase {
  readonly url: string;
  /** The name of the database in messages. */
  readonly name: string;
  stop(): Promise<void>;
}

/** The database of DATABASE_URL, or the project's own Postgres, which is started for it. */
export async function localDatabase(folder: string, databaseUrl: string | null): Promise<LocalDatabase> {
  const database = databaseUrl === null ? await ownDatabase(folder) : givenDatabase(databaseUrl);
  try {
    const isNew = await ensureDatabase(database.url);
    // A slip in the URL looks the same, so it is never done in silence.
    if (isNew && databaseUrl !== null)
      note(`Created the database ${database.name}: DATABASE_URL names it, and it did not exist`);
    return database;
  } catch (error) {
    await database.stop();
    if (databaseUrl !== null && error instanceof DatabaseRefusal) throw withOrigin(error);
    throw error;
  }
}

/** The variable may have been exported for something else, long ago in the same terminal, or be in `.env` for Compose. */
function withOrigin({ message, cause }: DatabaseRefusal): DatabaseRefusal {
  const [where, how] =
    process.env.DATABASE_URL === undefined ? [` in \`${DOTENV}\``, 'remove that line'] : ['', 'unset it'];
  return new DatabaseRefusal(`${message}. DATABASE_URL${where} names it; ${how} to use Kiln's own Postgres.`, {
    cause,
  });
}

/** The database is there for as long as the work takes. */
export async function withLocalDatabase<T>(
  folder: string,
  databaseUrl: string | null,
  work: (database: LocalDatabase) => Promise<T>,
): Promise<T> {
  const database = await localDatabase(folder, databaseUrl);
  try {
    return await work(database);
  } finally {
    await database.stop();
  }
}

async function ownDatabase(folder: string): Promise<LocalDatabase> {
  const { url, startedBy, stop } = await openProjectDatabase(folder, note);
  const place = shownDataFolder(folder);
  return { url, name: startedBy === null ? place : `${place}, run by process ${startedBy}`, stop };
}

function givenDatabase(url: string): LocalDatabase {
  const { database, server } = databaseName(url);
  return { url, name: `${database} on ${server}`, stop: async () => undefined };
}

/** The sentence of a database that refuses, or of rows that cannot be made; undefined for anything else. */
export function databaseSentence(error: unknown): string | undefined {
  const isExpected = error instanceof DatabaseRefusal || (error instanceof Error && error.name === 'PopulateError');
  return isExpected ? (error as Error).message : undefined;
}

// ── Start config ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface StartOptions {
  readonly port?: number;
  readonly host?: string;
}

type LocalConfig =
  | { readonly config: Config; readonly databaseUrl: string | null }
  | { readonly problems: readonly string[] };

interface ProjectEnvironment {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By the name of a variable whose value is from `.env`: where it is. */
  readonly places: Readonly<Record<string, string | undefined>>;
  readonly problems: readonly string[];
}

/** In `.env`, Compose reads an address without a port as a free port of that address. */
const PORT_OF_COMPOSE = /:$/;

/** The environment, and under it what `.env` says of Kiln's own variables and of the settings. Files are in `.kiln/files`. */
export function projectEnvironment(folder: string, settings: Definition['settings'] = []): ProjectEnvironment {
  const { values, places, problems } = readDotenv(folder);
  const names = [...OWN_VARIABLES, ...settings.map(({ name }) => name)].filter(
    (name) => Object.hasOwn(values, name) && process.env[name] === undefined,
  );
  const read = names.filter((name) => name !== 'PORT' || !PORT_OF_COMPOSE.test(values.PORT ?? ''));
  const among = (all: Readonly<Record<string, string>>) => Object.fromEntries(read.map((name) => [name, all[name]]));
  const own: ProjectEnvironment['environment'] = { ...among(values), ...process.env };
  const FILES_URL = own.FILES_URL || pathToFileURL(join(resolve(kilnFolderOf(folder)), 'files')).href;
  return { environment: { ...own, FILES_URL }, places: among(places), problems };
}

type ProjectSettings = { readonly settings: SettingValues } | { readonly problems: readonly string[] };

export async function projectSettings(folder: string, definition: Definition): Promise<ProjectSettings> {
  const { settingsFromEnvironment } = await import('../../runtime/values/settings.ts');
  const project = projectEnvironment(folder, definition.settings);
  for (const sentence of misspeltSettings(folder, definition)) note(sentence);
  const read = settingsFromEnvironment(definition, project.environment);
  const wrong = [...project.problems, ...read.problems.map((problem) => withPlace(problem, project))];
  return wrong.length > 0 ? { problems: wrong } : { settings: read.settings };
}

/** Only names close to one that `.env` lacks: other variables there may be for Compose or for hooks. */
function misspeltSettings(folder: string, { settings = [] }: Definition): readonly string[] {
  const { places } = readDotenv(folder);
  const known = new Set([...OWN_VARIABLES, ...settings.map(({ name }) => name)]);
  const unset = settings.map(({ name }) => name).filter((name) => !Object.hasOwn(places, name));
  return Object.entries(places).flatMap(([name, place]) => {
    const near = known.has(name) ? undefined : nearWord(name, unset);
    return near ? [`${place} has ${name}, which no setting declares; did you mean ${near.name}?`] : [];
  });
}

/** A sentence about a variable, without its period, and with the place in `.env` where the variable is or could be. */
function withPlace(sentence: string, { places, environment }: ProjectEnvironment): string {
  const [name = ''] = sentence.split(' ', 1);
  const place = places[name];
  const isMissing = environment[name] === undefined && sentence.startsWith(`${name} is not set`);
  const where = place ? ` (${place})` : isMissing ? `; write \`${name}=…\` into \`${DOTENV}\`` : '';
  return sentence.replace(/\.$/, '') + where;
}

/** A placeholder for the project's own Postgres, so that everything else is checked before that is started. */
const OWN_DATABASE = 'postgres://localhost/kiln';

/**
 * The environment, and over it the options. Here, unlike in an image, nobody else on the network is let in unasked, and
 * no load balancer needs time to notice that the server stops.
 */
export async function localConfig({ port, host }: StartOptions, project: ProjectEnvironment): Promise<LocalConfig> {
  const { environment: env } = project;
  const { configFromEnvironment } = await import('../../runtime/config/config.ts');
  const databaseUrl = env.DATABASE_URL?.trim() || null;
  const result = configFromEnvironment({
    ...env,
    DATABASE_URL: databaseUrl ?? OWN_DATABASE,
    HOST: host ?? (env.HOST?.trim() || '127.0.0.1'),
    SHUTDOWN_GRACE: env.SHUTDOWN_GRACE?.trim() || '0',
    ...(port === undefined ? {} : { PORT: String(port) }),
  });
  if (result.ok) return { config: result.config, databaseUrl };
  return { problems: result.problems.map((problem) => withPlace(problem, project)) };
}

// ── Populating ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface Populating {
  readonly databaseUrl: string;
  readonly definition: Definition;
  readonly hooks: HookModules;
  readonly files: Config['files'];
  readonly populator: string;
  readonly seed?: number;
  readonly clock?: string | undefined;
  readonly scale?: number;
  /** Receives the progress too, beside the bar. */
  readonly report?: Report;
}

/** Fills the database, with a bar on a terminal and a line elsewhere. Gives the sentence that says what came of it. */
export async function populateDatabase({
  definition,
  populator,
  report: told,
  clock,
  ...options
}: Populating): Promise<string> {
  const { populate } = await import('../../runtime/populate/populate.ts');
  const { progressOutput } = await import('../../runtime/populate/progress.ts');
  const { report, end } = progressOutput(process.stderr);
  const both: Report = (progress) => {
    report(progress);
    told?.(progress);
  };
  try {
    const { rows, seconds } = await populate(definition, populator, {
      ...options,
      ...(clock && { clock }),
      report: both,
    });
    return `Populated with ${populator}: ${rows.toLocaleString('en')} records in ${seconds.toFixed(1)} s`;
  } catch (error) {
    throw withAdvice(error);
  } finally {
    end();
  }
}

const UNIQUE_VIOLATION = '23505';

/** Records from before may have the values that must be unique: most often those of the same populator. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof PopulateError) || codeOf(error.cause) !== UNIQUE_VIOLATION) return error;
  const advice = 'If the database was populated before, `kiln db reset` empties it';
  return new PopulateError(`${error.message}. ${advice}`, null, error.cause);
}
