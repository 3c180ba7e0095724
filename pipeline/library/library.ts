/**
 * The exports of `import … from 'kiln-lang'`: the compiler and the server, for programs that want them without the command
 * line. The types here are narrow on purpose. They name no type of another package, so a program needs no further
 * types.
 */
import { compile as compileSources } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { JsonDiagnostic } from '../../compiler/diagnostics/json-diagnostic.ts';
import { renderJson } from '../../compiler/diagnostics/render-json.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { FileText, SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { configFromEnvironment } from '../../runtime/config/config.ts';
import { mailProblems } from '../../runtime/deliver/smtp.ts';
import { storeProblems } from '../../runtime/files/open-store.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import type { StartOptions } from '../../runtime/serve.ts';
import { settingsFromEnvironment } from '../../runtime/values/settings.ts';

export type { Definition, FileText, HookModules, JsonDiagnostic, SourceFile };

export interface Compiled {
  /** Undefined when there is an error among the diagnostics. */
  readonly definition: Definition | undefined;
  /** Errors and warnings, as `kiln check --json` prints them. */
  readonly diagnostics: readonly JsonDiagnostic[];
}

/** `fileText` finds the modules of hooks and the templates of mails. */
export async function compile(sources: readonly SourceFile[], fileText?: FileText): Promise<Compiled> {
  await loadGrammar();
  const { definition, diagnostics } = compileSources(sources, fileText);
  return { definition, diagnostics: renderJson(diagnostics, new SourceMap(sources, '', fileText)) };
}

export interface ServerOptions {
  readonly definition: Definition;
  /** The title of the API's document. */
  readonly title: string;
  /** The variables of an image, `DATABASE_URL` and the settings of the application among them; those of this process when left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly hooks?: HookModules;
}

export interface Server {
  readonly url: string;
  readonly port: number;
  /** Whether every running request had its answer in time. */
  stop(): Promise<boolean>;
}

/** An application of Express, to be mounted in another one. */
export interface MountedApp {
  readonly app: (request: object, response: object, next?: (error?: unknown) => void) => void;
  /** Closes the connections to the database. Close the server around it first. */
  stop(): Promise<void>;
}

/** Serves an application on a database that has its tables. Throws when a variable is missing or wrong, and names all of them. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { startServer: start } = await import('../../runtime/serve.ts');
  const { url, port, stop } = await start(startOptions(options));
  return { url, port, stop };
}

/** The same without a port of its own: `HOST`, `PORT` and `METRICS_PORT` are ignored. */
export async function createApp(options: ServerOptions): Promise<MountedApp> {
  const { createApp: create } = await import('../../runtime/serve.ts');
  const { app, stop } = await create(startOptions(options));
  return { app: app as unknown as MountedApp['app'], stop };
}

function startOptions(options: ServerOptions): StartOptions {
  const { definition, title, environment = process.env, hooks = {} } = options;
  const read = configFromEnvironment(environment);
  const { settings, problems } = settingsFromEnvironment(definition, environment);
  const lacking = read.ok
    ? [...mailProblems(definition, read.config), ...storeProblems(definition, read.config)]
    : read.problems;
  const wrong = [...lacking, ...problems];
  if (!read.ok || wrong.length > 0) throw new Error(wrong.join('\n'));
  const openApi = openApiText(openApiFromDefinition(definition, { title, version: 'development' }));
  return { definition, hooks, settings, config: read.config, openApi };
}
