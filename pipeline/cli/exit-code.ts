/** What the shell is told. */
export const EXIT = {
  ok: 0,
  errors: 1,
  usage: 2,
  refused: 3,
  blocked: 4,
  unavailable: 5,
  internal: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** As the help and docs/operations.md say it. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'all is well',
  errors: 'the sources have errors or are not formatted, or a database, a port, a build or a migration refuses',
  usage: 'the command line is wrong, or a file or folder cannot be read or written',
  refused: '`migrate`: this database and this release do not go together',
  blocked: '`migrate`: others hold locks, or servers of an older release are connected; run it again later',
  unavailable: '`migrate`: Postgres cannot be reached, or was lost on the way; run it again when it is back',
  internal: 'Kiln itself failed; please report it',
};
