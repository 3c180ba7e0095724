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
  ok: 'success',
  errors: 'the sources have errors or are not formatted, or a database, a port, a build, a migration or a hook failed',
  usage: 'invalid command line, or a file or folder cannot be read or written',
  refused: '`migrate`: the database and the release are incompatible',
  blocked: '`migrate`: other sessions hold locks, or servers of an older release are connected; run it again later',
  unavailable: '`migrate`: Postgres cannot be reached, or the connection was lost; run it again later',
  internal: 'Kiln itself failed; please report it',
};
