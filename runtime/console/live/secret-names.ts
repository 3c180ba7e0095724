/**
 * What must not be recorded. The values of a statement are not kept where its text names a secret column or one of Kiln's
 * own tables, which hold hashes of tokens: nothing tells which of its values belongs to which column. Nor are they kept where
 * one of them has the value of a secret setting in it.
 */
import type { Definition } from '../../../compiler/definition/definition.ts';
import { ApiError, HookRefusal } from '../../errors/api-error.ts';
import { errorForLog } from '../../observe/log.ts';
import type { Bound } from '../../query/database.ts';
import type { SettingValues } from '../../values/settings.ts';
import type { LiveError, LogEntry } from './live-event.ts';

export class SecretNames {
  readonly #pattern: RegExp;
  readonly #fields: ReadonlySet<string>;
  /** The values of secret settings, as they may be written. */
  readonly #values: readonly string[];

  constructor(definition: Definition, settings: SettingValues = {}) {
    const names = secretColumnsIn(definition);
    const secret = definition.settings?.filter((setting) => setting.secret) ?? [];
    this.#fields = new Set([...names, ...secret.map(({ name }) => name)].map((name) => name.toLowerCase()));
    this.#values = secret.flatMap(({ name }) => writtenForms(String(settings[name])));
    const columns = names.map(escapedForPattern);
    this.#pattern = new RegExp(`\\b(?:${['kiln_\\w*', 'password\\w*', ...columns].join('|')})\\b`, 'i');
  }

  isMentionedIn(statement: string): boolean {
    return this.#pattern.test(statement);
  }

  /** Whether a value with this key, such as one of a log, may be secret. */
  isSecretKey(key: string): boolean {
    return SECRET_KEY.test(key) || this.#fields.has(key.toLowerCase());
  }

  /** The values to show; null where they may be secret. */
  shownValues(statement: string, values: readonly Bound[]): readonly (string | null)[] | null {
    const isSecret = this.isMentionedIn(statement) || values.some((value) => this.#isSecretValue(value));
    return isSecret ? null : values.slice(0, MOST_VALUES).map(shownValue);
  }

  #isSecretValue(value: Bound): boolean {
    return this.#values.length > 0 && this.#values.some((secret) => String(value).includes(secret));
  }
}

/** A text as it is, and as it is within JSON. */
function writtenForms(text: string): readonly string[] {
  return [text, JSON.stringify(text).slice(1, -1)];
}

const MOST_VALUES = 50;
const LONGEST_VALUE = 200;

/** The names of columns, and of their fields, which the code of hooks uses. */
function secretColumnsIn({ models, auth }: Definition): readonly string[] {
  return models.flatMap(({ name: model, fields }) =>
    fields
      .filter(({ secret, name }) => secret || (auth?.model === model && auth.password?.hash === name))
      .flatMap(({ column, name }) => [column, name]),
  );
}

function escapedForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function shownValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  const text = typeof value === 'string' ? value : value instanceof Date ? value.toISOString() : textOf(value);
  return shortened(text, LONGEST_VALUE);
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
}

export function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

const SECRET_KEY =
  /token|secret|passw|pwd|signature|credential|authorization|cookie|api_?key|^(?:key|code|sig|state|jwt)$/i;

const NOT_SHOWN = '[not shown]';

const LONGEST_QUERY = 2000;

/** A query string without the values of parameters that may be secret. */
export function shownQuery(query: string): string {
  const parts = shortened(query, LONGEST_QUERY)
    .split('&')
    .map((part) => {
      const [key = ''] = part.split('=', 1);
      return SECRET_KEY.test(key) && part.includes('=') ? `${key}=${NOT_SHOWN}` : part;
    });
  return parts.join('&');
}

// ── Log entry ────────────────────────────────────────────────────────────────────────────────────────────────────────

// A line of the log, as the view Live shows it.

/** The keys that every line has, or that Live shows elsewhere. */
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

// ── Live error ───────────────────────────────────────────────────────────────────────────────────────────────────────

// The outcome of a request, for the view Live.

const LONGEST_STACK = 4000;
const MOST_INPUTS = 100;

/** The code of an error; null where nothing was thrown. */
export function codeOf(error: unknown): string | null {
  if (error === undefined) return null;
  if (error instanceof ApiError) return error.code;
  return error instanceof HookRefusal ? (error.code ?? 'refused') : 'internal';
}

export function liveErrorFrom(error: unknown): LiveError | null {
  if (error === undefined) return null;
  if (error instanceof ApiError || error instanceof HookRefusal) return meant(error);
  return { message: messagesIn(error), inputs: [], stack: stackOf(error) };
}

/** Describes an error that the client sees. Its cause is shown here too. */
function meant(error: ApiError | HookRefusal): LiveError {
  const inputs = error.errors.slice(0, MOST_INPUTS).map(({ path, code, message }) => ({ path, code, message }));
  const isBroken = error.status >= 500 && error.cause !== undefined;
  return { message: isBroken ? messagesIn(error) : error.message, inputs, stack: isBroken ? stackOf(error) : null };
}

type Logged = ReturnType<typeof errorForLog>;

function causesOf(error: Logged): readonly Logged[] {
  return error.cause === undefined ? [error] : [error, ...causesOf(error.cause)];
}

function messagesIn(error: unknown): string {
  return [...new Set(causesOf(errorForLog(error)).map(({ message }) => message))].join('\n');
}

/** The stack of the innermost error, where the failure began. */
function stackOf(error: unknown): string | null {
  const stack = causesOf(errorForLog(error)).findLast((each) => each.stack !== undefined)?.stack;
  return stack === undefined ? null : shortened(stack, LONGEST_STACK);
}
