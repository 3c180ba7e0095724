/**
 * How V8 is to run a command that compiles once and ends. Another V8 has other flags: it prints an error about one that it
 * does not know, and ignores those behind it. So they are set only in versions of Node in which they were tried.
 */

/** The commands that have subcommands. */
export const GROUPS: readonly string[] = ['db', 'pipeline'];

/** They compile once and end. */
const COMPILE_ONCE: readonly string[] = ['check', 'compile', 'diff'];

/**
 * Names the command of a command line in letters: `check`, `pipeline-init`; `none` for `--version` and unknown
 * commands.
 */
export function commandOf([first = '', second = '']: readonly string[]): string {
  const words = GROUPS.includes(first) ? [first, second] : [first];
  return words.every((word) => /^[a-z-]+$/.test(word)) && !first.startsWith('-') ? words.join('-') : 'none';
}

/**
 * Most functions of the compiler run too rarely for the time that optimising them takes: in Node 20 it is a third of the
 * processor time by default. With these only the functions that run most are optimised.
 */
const LITTLE_OPTIMISED: ReadonlyMap<string, string> = new Map([
  ['20', '--interrupt-budget=1000000'],
  ['22', '--invocation-count-for-turbofan=30000'],
  ['24', '--invocation-count-for-turbofan=30000'],
]);

/** Nearly all that these commands make stays in use until they end: marking it on other threads finds little garbage. */
const LITTLE_MARKED = '--no-incremental-marking';

/**
 * A check needs all that it makes, so it does not look for old garbage at all: V8 leaves that to a task as soon as there
 * is anything, lets the heap grow until the task has run, and here it never runs. V8 still looks before it would run out
 * of memory. Nor does a check count what survives by where it was made, which only optimised code would use.
 */
const NEVER_MARKED =
  '--incremental-marking-soft-trigger=1 --no-incremental-marking-task --no-allocation-site-pretenuring';

/** They compile several times, or plan statements: what they make becomes garbage. */
const LONGER_CHECKS = ['--fix', '--plans'];

/** The flags of V8; undefined where it runs with its defaults. `node` is its version: `20.19.1`. */
export function compileFlags(words: readonly string[], node: string): string | undefined {
  const command = commandOf(words);
  const optimised = LITTLE_OPTIMISED.get(node.slice(0, node.indexOf('.')));
  if (!COMPILE_ONCE.includes(command) || optimised === undefined) return undefined;
  const isPlainCheck = command === 'check' && !words.some((word) => LONGER_CHECKS.includes(word));
  return `${optimised} ${isPlainCheck ? NEVER_MARKED : LITTLE_MARKED}`;
}
