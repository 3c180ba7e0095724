/** Those that have commands of their own. */
export const GROUPS: readonly string[] = ['db', 'pipeline'];

/** They compile once and end. */
export const COMPILE_ONCE: readonly string[] = ['check', 'compile', 'diff'];

/** What a command line is about, in letters: `check`, `pipeline-init`; `none` for `--version` and what is no command. */
export function commandOf([first = '', second = '']: readonly string[]): string {
  const words = GROUPS.includes(first) ? [first, second] : [first];
  return words.every((word) => /^[a-z-]+$/.test(word)) && !first.startsWith('-') ? words.join('-') : 'none';
}
