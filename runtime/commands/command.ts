import { databaseUrl } from '../config/reading.ts';

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
