/**
 * Pieces of SQL. Their text comes from the definition only; whatever a client can choose is a parameter, so a value can
 * become part of a statement in one way: by being bound.
 */
import type { Scope } from '../expressions/scope.ts';
import type { Bound } from './database.ts';

/** Takes the value to bind from the request. `given` is what the caller of the statement hands over beside it. */
export type Parameter = (scope: Scope, given: readonly Bound[]) => Bound;

/** Text with a `?` for each parameter. */
export interface Sql {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** Joins pieces. A text among the values is one of ours, such as an alias, and never a client's. */
export function sql(texts: TemplateStringsArray, ...pieces: readonly (Sql | string)[]): Sql {
  let text = texts[0] as string;
  const parameters: Parameter[] = [];
  pieces.forEach((piece, at) => {
    if (typeof piece === 'string') text += piece;
    else {
      text += piece.text;
      parameters.push(...piece.parameters);
    }
    text += texts[at + 1] as string;
  });
  return { text, parameters };
}

export function joined(pieces: readonly Sql[], separator: string): Sql {
  return {
    text: pieces.map(({ text }) => text).join(separator),
    parameters: pieces.flatMap(({ parameters }) => parameters),
  };
}

export function raw(text: string): Sql {
  return { text, parameters: [] };
}

export function bound(parameter: Parameter, type: string): Sql {
  return { text: `?::${type}`, parameters: [parameter] };
}

/** The value at this place of what the caller hands over. */
export function given(at: number, type: string): Sql {
  return bound((_, values) => values[at] as Bound, type);
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** All of them hold. */
export function all(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return raw('TRUE');
  return conditions.length === 1 ? (conditions[0] as Sql) : joined(conditions, ' AND ');
}
