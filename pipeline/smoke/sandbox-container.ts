/** A container in a sandbox: how it ends, what it says, where it is reached. */
import type Docker from 'dockerode';
import { repeated, SmokeFailure, within } from './deadline.ts';

const SHOWN_LINES = 12;
const LONGEST_LINE = 1000;
/** The longest time to stop a container, in seconds. */
const LONGEST_STOP = 5;

export type SandboxContainer = ReturnType<typeof sandboxContainer>;

/** `entry` is how commands of its image begin. */
export function sandboxContainer(
  container: Docker.Container,
  entry: readonly string[],
  secrets: readonly string[],
  host: string,
) {
  /** The lines that a command has written, without secrets. */
  const wholeLines = (written: readonly Buffer[]): readonly string[] => {
    const text = secrets.reduce((left, secret) => left.replaceAll(secret, '***'), textOf(Buffer.concat(written)));
    return text.split('\n').filter((line) => line.trim() !== '');
  };
  /** The last lines of what it wrote, without secrets. */
  const log = async () =>
    shortened(wholeLines([await container.logs({ stdout: true, stderr: true, tail: SHOWN_LINES })]));
  return {
    wholeLines,
    log,
    /** Waits for its end, and returns its exit code. */
    ended: async (): Promise<number> => (await container.wait()).StatusCode,
    isRunning: async () => (await container.inspect()).State.Running,
    terminate: () => container.kill({ signal: 'SIGTERM' }),
    remove: () => container.remove({ force: true, v: true }),

    /**
     * Runs another command of its image beside the one that runs, in the same environment and with these variables. What
     * it writes is added to `written` as it comes.
     */
    async run(
      command: readonly string[],
      signal: AbortSignal,
      environment: Readonly<Record<string, string>> = {},
      written: Buffer[] = [],
    ): Promise<RunCommand> {
      const Cmd = [...entry, ...command];
      const Env = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`);
      const exec = await container.exec({ Cmd, Env, AttachStdout: true, AttachStderr: true });
      for await (const part of await exec.start({})) written.push(Buffer.from(part));
      const lines = wholeLines(written);
      // Engines know of its end a little later than its streams.
      const code = await repeated(async () => {
        const { Running, ExitCode } = await exec.inspect();
        return Running ? undefined : (ExitCode ?? 1);
      }, signal);
      return { code, lines };
    },

    /** The address from this machine, as `host:port`. */
    async publishedAddress(port: number): Promise<string> {
      const { NetworkSettings } = await container.inspect();
      return `${host}:${NetworkSettings.Ports[`${port}/tcp`]?.[0]?.HostPort ?? 0}`;
    },

    /** The last lines of what it wrote, once it has ended: a server keeps some of them until it stops. */
    async lastLog(): Promise<readonly string[]> {
      await container.stop({ t: LONGEST_STOP }).catch(() => undefined);
      return log();
    },
  };
}

/** The last lines, as they are shown. */
export function lastLines(lines: readonly string[]): readonly string[] {
  return shortened(lines.slice(-SHOWN_LINES));
}

export function shortened(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
}

/** How a command has ended, and what it wrote, without secrets. */
export interface RunCommand {
  readonly code: number;
  readonly lines: readonly string[];
}

/** Decodes the frames of both streams: a byte for the stream, three unused bytes, four for the length. */
function textOf(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    parts.push(bytes.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(parts).toString('utf8');
}

// ── Image command ────────────────────────────────────────────────────────────────────────────────────────────────────

// Commands of an image, run in one container: starting one for each would take longer than most of them.

const LONGEST_COMMAND = 600_000;

export interface ImageCommand {
  readonly words: readonly string[];
  readonly databaseUrl: string;
  /** Begins the sentence where it does not end well, or not at all. */
  readonly what: string;
}

/** However a command ends, with all that it wrote. */
export type RunImageCommand = (command: ImageCommand) => Promise<RunCommand>;

export function imageCommands(
  starting: Promise<SandboxContainer>,
  signal: AbortSignal,
  longest = LONGEST_COMMAND,
): RunImageCommand {
  // The caller that runs a command gets the error.
  starting.catch(() => undefined);
  return async ({ words, databaseUrl, what }) => {
    const container = await starting;
    const written: Buffer[] = [];
    const late = () => new SmokeFailure(`${what} does not finish.`, lastLines(container.wholeLines(written)));
    const running = container.run(words, signal, { DATABASE_URL: databaseUrl }, written);
    return within(longest, late, signal, running);
  };
}

export function mustHaveSucceeded(what: string, { code, lines }: RunCommand): void {
  if (code !== 0) throw new SmokeFailure(`${what} ended with ${code}.`, lastLines(lines));
}
