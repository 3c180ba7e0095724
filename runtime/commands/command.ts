import type { Definition } from '../../compiler/definition/definition.ts';
import { type Config, configFromEnvironment } from '../config/config.ts';
import { databaseUrl } from '../config/reading.ts';
import { applicationFolder, loadDefinition } from '../load/application-folder.ts';
import { settingsFromEnvironment } from '../values/settings.ts';

type Say = (line: string) => void;

/** A command of the image. Null where it goes on until a signal comes, else the exit code. `say` writes to stderr. */
export type Command = (environment: NodeJS.ProcessEnv, say: Say, args: readonly string[]) => Promise<number | null>;

/** The options of a command of the image: `--json`, `--seed 2`. A sentence where they cannot be read. */
type FlagKinds = Readonly<Record<string, 'flag' | 'value'>>;

export function flagsFrom(args: readonly string[], kinds: FlagKinds): ReadonlyMap<string, string> | string {
  const found = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const [name = '', given] = (args[at] ?? '').replace(/^--/, '').split('=', 2);
    const kind = (args[at] ?? '').startsWith('--') && Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) return `There is no option \`${args[at]}\`. The options are ${namesOf(kinds)}.`;
    const value = kind === 'flag' ? '' : (given ?? args[++at]);
    if (value === undefined) return `\`--${name}\` needs a value.`;
    found.set(name, value);
  }
  return found;
}

function namesOf(kinds: FlagKinds): string {
  return Object.keys(kinds)
    .map((name) => `--${name}`)
    .join(', ');
}

/** The address in DATABASE_URL; null where there is none that can be used, which is said. */
export function databaseUrlIn({ DATABASE_URL: url }: NodeJS.ProcessEnv, say: Say, act: string): string | null {
  const address = url ? databaseUrl(url) : null;
  if (url && address?.ok) return url;
  say(
    address?.ok === false
      ? `DATABASE_URL ${address.problem}`
      : `DATABASE_URL is not set. Set it to the database to ${act}.`,
  );
  return null;
}

/** The application of the image, configured by the environment. Null where something is wrong with that, which is said. */
export function configuredIn(
  environment: NodeJS.ProcessEnv,
  say: Say,
  isWithSettings = true,
  problemsOf: (definition: Definition, config: Config) => readonly string[] = () => [],
) {
  const folder = applicationFolder(environment);
  const definition = loadDefinition(folder);
  const read = configFromEnvironment(environment);
  const { settings, problems } = settingsFromEnvironment(definition, environment);
  const ofConfig = read.ok ? problemsOf(definition, read.config) : read.problems;
  const wrong = [...ofConfig, ...(isWithSettings ? problems : [])];
  if (read.ok && wrong.length === 0) return { folder, definition, settings, config: read.config };
  for (const problem of wrong) say(problem);
  return null;
}
