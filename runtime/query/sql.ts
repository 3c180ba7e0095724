/**
 * Pieces of SQL. Their text comes from the definition only; whatever a client can choose is a parameter, so a value can
 * become part of a statement in one way: by being bound.
 */
import type { Scope } from '../expressions/scope.ts';
import type { Bound } from './database.ts';

/** Takes the value to bind from the request. `given` is what the caller of the statement hands over beside it. */
export type Parameter = (scope: Scope, given: readonly Bound[]) => Bound;

/** Text with a `?` for each parameter. */
export interface Text {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

export interface Sql extends Text {
  /** The same, but what is out of range is null in it, where the text itself would raise an error. */
  readonly guarded?: Text;
}

/** Joins pieces. A text among the values is one of ours, such as an alias, and never a client's. */
export function sql(texts: TemplateStringsArray, ...pieces: readonly (Sql | string)[]): Sql {
  return withGuard(pieces, (form) => textOf(texts, pieces, form));
}

type Form = (piece: Sql) => Text;

const asItIs: Form = (piece) => piece;

export function guardedForm({ text, parameters, guarded }: Sql): Text {
  return guarded ?? { text, parameters };
}

/** Without its other form: what is out of range stays an error. */
export function exact({ text, parameters }: Sql): Sql {
  return { text, parameters };
}

function withGuard(pieces: readonly (Sql | string)[], textIn: (form: Form) => Text): Sql {
  const hasGuard = pieces.some((piece) => typeof piece === 'object' && piece.guarded !== undefined);
  return hasGuard ? { ...textIn(asItIs), guarded: textIn(guardedForm) } : textIn(asItIs);
}

function textOf(texts: TemplateStringsArray, pieces: readonly (Sql | string)[], form: Form): Text {
  let text = texts[0] as string;
  const parameters: Parameter[] = [];
  pieces.forEach((piece, at) => {
    if (typeof piece === 'string') text += piece;
    else {
      const formed = form(piece);
      text += formed.text;
      parameters.push(...formed.parameters);
    }
    text += texts[at + 1] as string;
  });
  return { text, parameters };
}

export function joined(pieces: readonly Sql[], separator: string): Sql {
  return withGuard(pieces, (form) => {
    const formed = pieces.map(form);
    return {
      text: formed.map(({ text }) => text).join(separator),
      parameters: formed.flatMap(({ parameters }) => parameters),
    };
  });
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

/** In characters: what is longer is not written out several times. */
const SHORT = 200;

/** Pieces that are needed several times: as they are, or each once under a name, so that no statement grows with each use. */
export function named(pieces: readonly Sql[], use: (names: readonly Sql[]) => Sql): Sql {
  if (pieces.every(({ text }) => text.length <= SHORT)) return use(pieces);
  const columns = pieces.map((piece, at) => sql`${piece} AS v${String(at)}`);
  const result = use(pieces.map((_, at) => raw(`"#named".v${at}`)));
  return sql`(SELECT ${result} FROM (SELECT ${joined(columns, ', ')} OFFSET 0) AS "#named")`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** All of them hold. */
export function all(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return raw('TRUE');
  return conditions.length === 1 ? (conditions[0] as Sql) : joined(conditions, ' AND ');
}
