/** The entry of an image: `serve` (the default), `work`, `migrate`, `check`, `populate`, `invite`, `openapi`, `settings`, `version`, `health`. */
import { get } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import { HEALTH } from '../../compiler/definition/contract/routes.ts';
import type { Command } from './command.ts';

declare const KILN_VERSION: string;

/** Loaded when asked for: a migration needs no web server, and a server no generator of rows. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  work: async () => (await import('./serve.ts')).work,
  migrate: async () => (await import('./migrate.ts')).migrate,
  check: async () => (await import('./check.ts')).check,
  populate: async () => (await import('./populate.ts')).populate,
  invite: async () => (await import('./invite.ts')).invite,
  openapi: async () => openapi,
  settings: async () => settings,
  version: async () => version,
  health: async () => health,
};

const SERVERS: ReadonlySet<string> = new Set(['serve', 'work']);

/** The document of the API, as `/openapi.json` serves it. */
const openapi: Command = async (environment) => {
  const { applicationFolder, loadOpenApi } = await import('../load/application-folder.ts');
  process.stdout.write(loadOpenApi(applicationFolder(environment)));
  return 0;
};

/** The variables that the application declares, for whoever has to set them. */
const settings: Command = async (environment) => {
  const { applicationFolder, loadDefinition } = await import('../load/application-folder.ts');
  const { settings: declared = [] } = loadDefinition(applicationFolder(environment));
  process.stdout.write(`${JSON.stringify(declared)}\n`);
  return 0;
};

/** Prints the release and the version of Kiln that serves it. */
const version: Command = async (environment) => {
  const { applicationFolder, loadReleases } = await import('../load/application-folder.ts');
  const release = loadReleases(applicationFolder(environment)).releases.at(-1);
  const kiln = typeof KILN_VERSION === 'string' ? KILN_VERSION : 'unknown';
  process.stdout.write(`${JSON.stringify({ revision: release?.revision, schema: release?.fingerprint, kiln })}\n`);
  return 0;
};

/** Whether the server in this container is alive, for the engine that runs it. */
const health: Command = (environment) =>
  new Promise((resolve) => {
    const request = get(
      { host: '127.0.0.1', port: environment.PORT || 3000, path: `/${HEALTH}`, timeout: 3000 },
      (response) => resolve(response.resume().statusCode === 200 ? 0 : 1),
    );
    request.once('timeout', () => request.destroy()).once('error', () => resolve(1));
  });

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function run([name = 'serve', ...args]: readonly string[]): Promise<number | null> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  // What is not read any more (`migrate | head -1`) ends no command. Servers write their logs without these streams.
  if (!SERVERS.has(name)) for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  if (load) return (await load())(process.env, say, args);
  say(`There is no command \`${name}\`. The commands are ${Object.keys(COMMANDS).join(', ')}.`);
  return 2;
}

// The threads of a server for jobs with custom code begin here too, because an image has one entry.
if (!isMainThread) await import('../jobs/thread.ts');

try {
  const code = isMainThread ? await run(process.argv.slice(2)) : null;
  if (code !== null) process.exitCode = code;
} catch (error) {
  // An expected refusal has a sentence of its own; any other error is shown with its stack.
  const isExpected = error instanceof Error && (error.name === 'LoadRefusal' || error.cause !== undefined);
  say(isExpected ? (error as Error).message : String((error as Error)?.stack ?? error));
  process.exitCode = 1;
}
