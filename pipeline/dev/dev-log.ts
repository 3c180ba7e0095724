/** The log of the development server: a line for a person in place of a line of JSON. */

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly err?: LoggedError;
}

interface LoggedError {
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Nothing for what a developer need not read. */
export function textOfLogLine(line: string): string | undefined {
  const { level, msg, method, path, status, durationMs, err } = JSON.parse(line) as LogLine;
  if (msg === 'request') {
    const text = `${method?.padEnd(6)} ${status} ${path} ${durationMs?.toFixed(1)} ms`;
    return err === undefined ? text : `${text}\n${errorText(err)}`;
  }
  if (level === 'info' || level === 'debug' || level === 'trace') return undefined;
  return err === undefined ? `${level}: ${msg}` : `${level}: ${msg}\n${errorText(err)}`;
}

/** The first place in the project's own code is what helps; the rest of the way there is ours. */
function errorText(error: LoggedError): string {
  const messages = causes(error).map(({ message }) => message);
  const place = causes(error)
    .flatMap(({ stack = '' }) => stack.split('\n'))
    .find((line) => /\bhooks?\//.test(line));
  return [...new Set(messages)].map((message) => `  ${message}`).join('\n') + (place ? `\n  ${place.trim()}` : '');
}

function causes(error: LoggedError): readonly LoggedError[] {
  return error.cause === undefined ? [error] : [error, ...causes(error.cause)];
}
