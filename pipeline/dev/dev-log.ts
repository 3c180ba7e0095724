/** The log of the development server: a line for a person in place of a line of JSON. */
import { relative, sep } from 'node:path';
import { CONSOLE } from '../../compiler/definition/contract/routes.ts';

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly err?: LoggedError;
  readonly hook?: string;
}

interface LoggedError {
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Nothing for what a developer need not read. `folder` is the project's, as an absolute path. */
export function textOfLogLine(line: string, folder: string): string | undefined {
  const { level, msg, method, path, status, durationMs, err, hook } = JSON.parse(line) as LogLine;
  if (msg === 'request') {
    if (isOfConsole(path) && isSuccess(status)) return undefined;
    const text = `${method?.padEnd(6)} ${status} ${path} ${durationMs?.toFixed(1)} ms`;
    return err === undefined ? text : `${text}\n${errorText(err, folder)}`;
  }
  if (level === 'info' || level === 'debug' || level === 'trace') return undefined;
  const text = hook === undefined ? `${level}: ${msg}` : `${level}: ${msg} (the hook ${hook})`;
  return err === undefined ? text : `${text}\n${errorText(err, folder)}`;
}

/** The console asks often, and shows by itself what was done. */
function isOfConsole(path = ''): boolean {
  return path.startsWith(`/${CONSOLE}/`);
}

function isSuccess(status = 0): boolean {
  return status < 400;
}

/** The first place in the project's own code is what helps; the rest of the way there is ours. */
function errorText(error: LoggedError, folder: string): string {
  const messages = causes(error).map(({ message }) => message);
  const place = placesIn(error).find((path) => path.startsWith(folder + sep) && !INNER.test(path));
  const where = place === undefined ? '' : `\n  at ${relative(process.cwd(), place)}`;
  return [...new Set(messages)].map((message) => `  ${message}`).join('\n') + where;
}

/** What lies in the project's folder, but was not written by its author. */
const INNER = /[/\\](node_modules|\.kiln)[/\\]/;

/** `path:line:column` of every step, from the innermost error on. */
function placesIn(error: LoggedError): readonly string[] {
  const lines = causes(error)
    .toReversed()
    .flatMap(({ stack = '' }) => stack.split('\n'));
  return lines.flatMap((line) => {
    const place = /^\s+at (?:.*\()?((?:file:\/\/)?\/[^()]+:\d+:\d+)\)?$/.exec(line)?.[1];
    return place === undefined ? [] : [place.startsWith('file:') ? decodeURI(place.slice('file://'.length)) : place];
  });
}

function causes(error: LoggedError): readonly LoggedError[] {
  return error.cause === undefined ? [error] : [error, ...causes(error.cause)];
}
