/** What the shell is told. */
export const EXIT = {
  ok: 0,
  /** The sources have errors, or are not formatted. */
  errors: 1,
  /** A wrong command line, or a machine that does not play along. */
  usage: 2,
  /** Kiln itself failed. */
  internal: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
