/** The entry of an image: `serve` (the default), `migrate`, `check`, `populate`, `openapi`, `version`, `health`. */
import type { Command } from './command.ts';

/** Loaded when asked for: a migration needs no web server, and a server no generator of rows. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  migrate: async () => (await import('./migrate.ts')).migrate,
  check: async () => (await import('./check.ts')).check,
  populate: async () => (await import('./populate.ts')).populate,
  openapi: async () => (await import('./openapi.ts')).openapi,
  version: async () => (await import('./version.ts')).version,
  health: async () => (await import('./health.ts')).health,
};

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function run([name = 'serve', ...args]: readonly string[]): Promise<number | null> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load) return (await load())(process.env, say, args);
  say(`There is no command \`${name}\`. The commands are ${Object.keys(COMMANDS).join(', ')}.`);
  return 2;
}

try {
  const code = await run(process.argv.slice(2));
  if (code !== null) process.exitCode = code;
} catch (error) {
  // What this runtime refuses has a sentence of its own; anything else is shown as it is.
  const isExpected = error instanceof Error && (error.name === 'LoadRefusal' || error.cause !== undefined);
  say(isExpected ? (error as Error).message : String((error as Error)?.stack ?? error));
  process.exitCode = 1;
}
