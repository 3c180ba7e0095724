/** Programs that run as whole applications, on a database of their own, with what they log at hand. */
import { compile } from '../../../compiler/compile.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { renderText } from '../../../compiler/diagnostics/render-text.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { SourceMap } from '../../../compiler/source/line-index.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import type { HookContext } from '../../../runtime/hooks/context.ts';
import type { HookModules } from '../../../runtime/hooks/hook-code.ts';
import { type Application, type ApplicationOptions, startApplication } from '../../support/application.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type Asked, ask, type Received } from '../http/serving.ts';

export type { Received } from '../http/serving.ts';

type Line = Readonly<Record<string, unknown>>;

export interface Running {
  readonly application: Application;
  readonly database: TestDatabase;
  readonly definition: Definition;
  readonly port: number;
  /** The lines of the log so far. */
  readonly lines: readonly Line[];
  /** A body that is given is sent as JSON. */
  ask(methodAndPath: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Received>;
}

export type Code = (args: Readonly<Record<string, unknown>>, context: HookContext) => unknown;

export interface RunOptions {
  /** The exports of `hooks/code.ts`. */
  readonly code?: Readonly<Record<string, Code>>;
  readonly hooks?: HookModules;
  /** Templates of mails, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly openApi?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly lane?: 'fast' | 'express';
  readonly sweepEvery?: number;
  readonly tokensEvery?: number;
  /** Another way to the database. */
  readonly databaseUrl?: (url: string) => Promise<string>;
  /** What is done with the schema; otherwise its tables are made. */
  readonly prepare?: (database: TestDatabase, schema: string) => Promise<unknown>;
  readonly console?: ApplicationOptions['console'];
  readonly live?: ApplicationOptions['live'];
}

const running: Application[] = [];

export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((application) => application.stop()));
}

/** Stops this one, while others go on. */
export async function stop({ application }: Running): Promise<void> {
  running.splice(running.indexOf(application), 1);
  await application.stop();
}

/** Leaves no row in any table, and the next ids are the first ones again. No job may be running. */
export async function emptyTables({ database: { client } }: Running): Promise<void> {
  const names = "SELECT string_agg(quote_ident(tablename), ', ') AS names FROM pg_tables WHERE schemaname = 'public'";
  const { rows } = await client.query(names);
  await client.query(`TRUNCATE ${rows[0].names} RESTART IDENTITY`);
}

export async function run(source: string, options: RunOptions = {}): Promise<Running> {
  const {
    code = {},
    hooks = modulesOf(code),
    openApi,
    environment = {},
    lane,
    prepare = createTables,
    sweepEvery,
  } = options;
  const definition = await definitionOf(source, code, options.files);
  const database = await createDatabase();
  await prepare(database, schemaSql(schemaFromDefinition(definition)));
  const databaseUrl = (await options.databaseUrl?.(database.url)) ?? database.url;
  const lines: Line[] = [];
  const log = (line: string) => {
    lines.push(JSON.parse(line));
    options.live?.logged(line);
  };
  const application = await startApplication({
    definition,
    databaseUrl,
    hooks,
    openApi,
    lane,
    environment,
    sweepEvery,
    tokensEvery: options.tokensEvery,
    log,
    console: options.console,
    live: options.live,
  });
  running.push(application);
  const port = Number(new URL(application.url).port);
  return { application, database, definition, port, lines, ask: (...asked) => send(port, ...asked) };
}

async function createTables({ client }: TestDatabase, schema: string): Promise<void> {
  await client.query(schema);
}

export async function definitionOf(
  source: string,
  code: Readonly<Record<string, Code>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Definition> {
  await loadGrammar();
  const sources = [{ path: 'main.kiln', text: source }];
  const module = Object.keys(code).map((name) => `export function ${name}() {}\n`);
  const { definition, diagnostics } = compile(sources, (path) =>
    path === 'hooks/code.ts' ? module.join('') : files[path],
  );
  if (!definition) throw new Error(renderText(diagnostics, new SourceMap(sources), { colour: false }));
  return definition;
}

export function modulesOf(code: Readonly<Record<string, Code>>): HookModules {
  return Object.fromEntries(Object.entries(code).map(([name, each]) => [`hooks/code.ts#${name}`, each as never]));
}

function send(
  port: number,
  methodAndPath: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const [method = 'GET', path = '/'] = methodAndPath.split(' ');
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return ask(port, path, { method, headers: { ...type, ...headers }, ...json } as Asked);
}

export const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` });

/** A promise and what settles it. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let resolve: (() => void) | undefined;
  const passed = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { passed, open: () => resolve?.() };
}

/** How many statements wait for a lock. Within a transaction Postgres would give the same answer again and again. */
export async function waiting({ database: { client } }: Running): Promise<number | null> {
  await client.query('SELECT pg_stat_clear_snapshot()');
  const sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await client.query(sql)).rowCount;
}

export function countOf<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
