/** The log: JSON lines with the time in ISO 8601. */
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { errorForLog } from './error-for-log.ts';
import { logOutput } from './log-output.ts';

/** Nothing here is ever logged on purpose; this is for the code of hooks and for mistakes of our own. */
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

/** Where the lines of the logs go that are made here. */
const STREAMS = new WeakMap<Logger, DestinationStream>();

/** `hear` is told each line too, in the asynchronous context of whoever logs it. */
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

/** What a line says that is written very often: nothing that would have to be hidden or put into another form. */
export type PlainLine = Readonly<Record<string, string | number | null>>;

/** The same line that `log[level](line, message)` writes, for a fraction of the time. */
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

/** As pino writes it. Writing a whole time out is dear, and many lines share their second. */
function timeOfLine(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    timeOfSecond = `,"time":"${new Date(now).toISOString().slice(0, -4)}`;
  }
  return `${timeOfSecond}${String(now - second * 1000).padStart(3, '0')}Z"`;
}
