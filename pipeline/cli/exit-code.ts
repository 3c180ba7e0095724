/** What the shell is told. */
export const EXIT = {
  ok: 0,
  /** The sources have errors, or are not formatted. */
  errors: 1,
  /** A wrong command line, or a machine that does not play along. */
  usage: 2,
  /** `migrate`: this database and this release do not go together. */
  refused: 3,
  /** `migrate`: others hold locks. */
  blocked: 4,
  /** `migrate`: no Postgres, or lost on the way. */
  unavailable: 5,
  /** Kiln itself failed. */
  internal: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
