/** A command of the image. Null where it goes on until a signal comes, else the exit code. `say` writes to stderr. */
export type Command = (
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
  args: readonly string[],
) => Promise<number | null>;
