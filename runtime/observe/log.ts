/**
 * The log: JSON lines with the time in ISO 8601. Lines are collected for at most a second before they are written, and
 * are written out when the process ends.
 */
import { type DestinationStream, destination, type Level, type Logger, pino } from 'pino';
import { errorForLog } from './error-for-log.ts';

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

const BUFFER_BYTES = 4096;
const LONGEST_DELAY_MS = 1000;

/** `hear` is told each line too, in the asynchronous context of whoever logs it. */
export function createLog(
  level: Level | 'silent',
  stream: DestinationStream = bufferedOutput(),
  hear?: (line: string) => void,
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: timeOfLine,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorForLog, error: errorForLog },
      redact: { paths: NEVER_SHOWN, censor: '[not shown]' },
    },
    hear ? heard(stream, hear) : stream,
  );
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

let lastMoment = 0;
let lastTime = '';

/** As pino writes it. Under load several lines share a millisecond, and writing the time out is dear. */
function timeOfLine(): string {
  const now = Date.now();
  if (now !== lastMoment) {
    lastMoment = now;
    lastTime = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastTime;
}

function bufferedOutput(): DestinationStream {
  return destination({ dest: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: LONGEST_DELAY_MS });
}
