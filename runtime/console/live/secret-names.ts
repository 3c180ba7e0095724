/**
 * What must not be recorded. The values of a statement are not kept where its text names a secret column or one of Kiln's
 * own tables, which hold hashes of tokens: nothing tells which of its values belongs to which column.
 */
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Bound } from '../../query/database.ts';

export class SecretNames {
  readonly #pattern: RegExp;
  readonly #fields: ReadonlySet<string>;

  constructor(definition: Definition) {
    const names = secretColumnsIn(definition);
    this.#fields = new Set(names.map((name) => name.toLowerCase()));
    const columns = names.map(escapedForPattern);
    this.#pattern = new RegExp(`\\b(?:${['kiln_\\w*', 'password\\w*', ...columns].join('|')})\\b`, 'i');
  }

  isMentionedIn(statement: string): boolean {
    return this.#pattern.test(statement);
  }

  /** Whether a value with this key, such as one of a log, may be secret. */
  isSecretKey(key: string): boolean {
    return isSecretKey(key) || this.#fields.has(key.toLowerCase());
  }

  /** Null where they may be secret. */
  shownValues(statement: string, values: readonly Bound[]): readonly (string | null)[] | null {
    return this.isMentionedIn(statement) ? null : values.slice(0, MOST_VALUES).map(shownValue);
  }
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

function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

export const NOT_SHOWN = '[not shown]';

const LONGEST_QUERY = 2000;

/** A query string without the values of parameters that may be secret. */
export function shownQuery(query: string): string {
  const parts = shortened(query, LONGEST_QUERY)
    .split('&')
    .map((part) => {
      const [key = ''] = part.split('=', 1);
      return isSecretKey(key) && part.includes('=') ? `${key}=${NOT_SHOWN}` : part;
    });
  return parts.join('&');
}
