/** A line of the log, as the view Live shows it. */
import type { LogEntry } from './live-request.ts';
import { NOT_SHOWN, type SecretNames, shortened } from './secret-names.ts';

/** What every line has, and what Live shows elsewhere. */
const USUAL: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'requestId']);

/** Keys under which code logs a whole request, with its headers and its body. */
const WHOLE: ReadonlySet<string> = new Set(['headers', 'rawHeaders', 'body']);

const LONGEST_MESSAGE = 2000;
const LONGEST_DATA = 4000;

export function logEntryFrom(line: string, secrets: SecretNames): Omit<LogEntry, 'at'> {
  const shownOrNot = (key: string, value: unknown): unknown =>
    secrets.isSecretKey(key) || WHOLE.has(key) ? NOT_SHOWN : value;
  const parsed = JSON.parse(line, shownOrNot) as Readonly<Record<string, unknown>>;
  const rest = Object.entries(parsed).filter(([key]) => !USUAL.has(key));
  return {
    level: String(parsed.level),
    message: shortened(String(parsed.msg ?? ''), LONGEST_MESSAGE),
    data: rest.length === 0 ? null : shortened(JSON.stringify(Object.fromEntries(rest)), LONGEST_DATA),
  };
}
