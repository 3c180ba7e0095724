/** The log: JSON lines with the time in ISO 8601. */

import { Buffer } from 'node:buffer';
import cluster from 'node:cluster';
import { type DestinationStream, destination, type Level, type Logger, pino } from 'pino';

/**
 * The keys that are never shown. Nothing under them is logged on purpose; this is for the code of hooks and for bugs of
 * our own.
 */
const NEVER_SHOWN = [
  'authorization',
  'body',
  'cookie',
  'headers',
  'password',
  'secret',
  'token',
  'req.headers',
  'req.body',
  'request.headers',
  'request.body',
  'request.rawHeaders',
  'req.rawHeaders',
];

/** The output streams of the logs that are made here. */
const STREAMS = new WeakMap<Logger, DestinationStream>();

/** Creates a log. `hear` gets each line too, in the asynchronous context of its writer. */
export function createLog(
  level: Level | 'silent',
  stream: DestinationStream = logOutput(),
  hear?: (line: string) => void,
): Logger {
  const lines = hear ? heard(stream, hear) : stream;
  const log = pino(
    {
      level,
      base: null,
      timestamp: timeOfLine,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorForLog, error: errorForLog },
      redact: { paths: NEVER_SHOWN, censor: '[not shown]' },
    },
    lines,
  );
  STREAMS.set(log, lines);
  return log;
}

/** The contents of a very frequent line: nothing that would have to be hidden or converted. */
export type PlainLine = Readonly<Record<string, string | number | null>>;

/** Writes the same line as `log[level](line, message)`, in a fraction of the time. */
export function logPlain(log: Logger, level: Level, line: PlainLine, message: string): void {
  if (!log.isLevelEnabled(level)) return;
  const stream = STREAMS.get(log);
  if (stream === undefined) log[level](line, message);
  else stream.write(`{"level":"${level}"${timeOfLine()},${JSON.stringify(line).slice(1, -1)},"msg":"${message}"}\n`);
}

function heard(stream: DestinationStream & { flush?(done: () => void): void }, hear: (line: string) => void) {
  return {
    write: (line: string) => {
      hear(line);
      stream.write(line);
    },
    flush: (done: () => void) => (stream.flush ? stream.flush(done) : done()),
  };
}

let lastSecond = 0;
let timeOfSecond = '';

/** Formats the time as pino does. Formatting a whole time is slow, and many lines share their second. */
function timeOfLine(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    timeOfSecond = `,"time":"${new Date(now).toISOString().slice(0, -4)}`;
  }
  return `${timeOfSecond}${String(now - second * 1000).padStart(3, '0')}Z"`;
}

// ── Log output ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The log on its way to the standard output of the process. A write costs as much as many lines, because another thread
// does it. So lines are collected, for at most a quarter of a second or until they are many, and written in their order.
// What is left is written when the process ends, also when an error that nobody caught ends it.

/** The longest delay of a line, in milliseconds. */
const LONGEST_DELAY = 250;

/** The size of one write, in bytes. */
const MANY = 1 << 16;

/** The size in bytes up to which a pipe takes a write as a whole. Several workers write into the same pipe. */
const WHOLE = 4096;

let output: LogOutput | null = null;

/** The output of the process, one for all logs. */
function logOutput(): DestinationStream {
  output ??= new LogOutput(cluster.isWorker ? WHOLE : MANY);
  return output;
}

/** A buffer for lines. It replaces pino's own buffer, which measures all that it holds with each line. */
class LogOutput implements DestinationStream {
  readonly #most: number;
  #stream: ReturnType<typeof destination> | null = null;
  #lines = '';
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(most: number) {
    this.#most = most;
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > this.#most) this.#pass();
    this.#lines += line;
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.#pass(), LONGEST_DELAY);
  }

  flush(done: () => void): void {
    this.#pass();
    if (this.#stream === null) done();
    else this.#stream.flush(done);
  }

  /** pino calls it after a line of the level `fatal`. */
  flushSync(): void {
    this.#pass();
    this.#stream?.flushSync();
  }

  #pass(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#bytes === 0) return;
    this.#stream ??= this.#open();
    this.#stream.write(this.#lines);
    this.#lines = '';
    this.#bytes = 0;
  }

  #open(): ReturnType<typeof destination> {
    // The length of 1 makes its `flush` wait for the write that is under way.
    const stream = destination({ dest: 1, sync: false, minLength: 1, maxWrite: this.#most });
    // It ends when nothing is left to do, and an `exit` listener may still log something.
    return stream.once('close', () => {
      this.#stream = null;
    });
  }
}

// ── Error for log ───────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * An error as the log shows it: kind, message, code, stack and causes. Other properties are left out, because drivers
 * put rows and values there.
 */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly cause?: LoggedError;
  /** The errors of an `AggregateError`, as when a host has several addresses and none answers. */
  readonly errors?: readonly LoggedError[];
  readonly stack?: string;
}

const DEEPEST = 5;
const MOST_ERRORS = 5;

/**
 * Describes an error for the log. Hooks may throw an object that cannot be inspected, such as one whose getters throw.
 */
export function errorForLog(error: unknown, depth = 0): LoggedError {
  try {
    return readError(error, depth);
  } catch {
    return { type: typeof error, message: 'a value that cannot be read was thrown' };
  }
}

function readError(error: unknown, depth: number): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: textOf(error) };
  const { name, message, stack, cause } = error;
  const goesOn = depth < DEEPEST;
  return {
    type: textOf(name),
    message: textOf(message),
    ...codeOf(error),
    ...(goesOn && cause !== undefined ? { cause: errorForLog(cause, depth + 1) } : {}),
    ...(goesOn && error instanceof AggregateError
      ? { errors: error.errors.slice(0, MOST_ERRORS).map((each) => errorForLog(each, depth + 1)) }
      : {}),
    // The stack is last, because it is long: the beginning of a line shows the causes.
    ...(typeof stack === 'string' ? { stack } : {}),
  };
}

function codeOf(error: Error): { readonly code?: string } {
  return 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
}

/** The text of a thrown value. A value that is not an error may be any data, so only a text is shown. */
function textOf(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : 'a value that is not an error was thrown';
}
