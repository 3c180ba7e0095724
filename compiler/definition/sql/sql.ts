/**
 * Pieces of SQL. A piece is made of text in our own source, of quoted names and of other pieces. A plain string is none
 * of these and does not compile, so a value gets into a statement in one way: as a parameter. Names and quoted texts are
 * strings that some function has made safe.
 */
import type { ColumnType } from '../schema.ts';

declare const KIND: unique symbol;

/** A quoted name, or the name of a type. Only this file makes them. */
export type Name = string & { readonly [KIND]: 'name' };

/** A quoted text. Only the compiler makes them, for migrations; the runtime binds its texts. */
export type QuotedText = string & { readonly [KIND]: 'text' };

export function quotedName(name: string): Name {
  return `"${name.replaceAll('"', '""')}"` as Name;
}

export function typeName(type: ColumnType): Name {
  if (typeof type === 'string') return type as string as Name;
  return type.many ? (`${quotedName(type.enum)}[]` as Name) : quotedName(type.enum);
}

/** Gives the value to bind. Only the code that runs the statement knows its source; here it is passed on. */
export type Parameter = (...from: never) => unknown;

/** The brand of pieces. No other code can make one. */
declare const MADE_HERE: unique symbol;

/** Text with a `?` for each parameter. */
export interface Text {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  readonly [MADE_HERE]: true;
}

export interface Sql extends Text {
  /** The same with null for values that are out of range, instead of an error. */
  readonly guarded?: Text;
}

type Piece = Sql | Name | QuotedText;

function made(text: string, parameters: readonly Parameter[]): Text {
  return { text, parameters } as Text;
}

/** Joins pieces. Without pieces it is constant text. */
export function sql(texts: TemplateStringsArray, ...pieces: readonly Piece[]): Sql {
  return withGuard(pieces, (form) => textOf(texts, pieces, form));
}

type Form = (piece: Sql) => Text;

const asItIs: Form = (piece) => piece;

function guardedForm(piece: Sql): Text {
  return piece.guarded ?? exact(piece);
}

/** Drops the guarded form: a value that is out of range stays an error. */
export function exact({ text, parameters }: Sql): Sql {
  return made(text, parameters);
}

/** Gives `plain` the guarded form of `instead`. */
export function guarded(plain: Sql, instead: Sql): Sql {
  return { ...exact(plain), guarded: guardedForm(instead) };
}

function withGuard(pieces: readonly Piece[], textIn: (form: Form) => Text): Sql {
  const hasGuard = pieces.some((piece) => typeof piece === 'object' && piece.guarded !== undefined);
  return hasGuard ? { ...textIn(asItIs), guarded: textIn(guardedForm) } : textIn(asItIs);
}

function textOf(texts: TemplateStringsArray, pieces: readonly Piece[], form: Form): Text {
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
  return made(text, parameters);
}

export function joined<T extends string>(pieces: readonly Sql[], separator: T & Literal<T>): Sql {
  return withGuard(pieces, (form) => {
    const formed = pieces.map(form);
    return made(
      formed.map(({ text }) => text).join(separator),
      formed.flatMap(({ parameters }) => parameters),
    );
  });
}

/** Never for `string`, and for a template with a `string` in it: only literals of the source are left. */
type Literal<T extends string> = T extends unknown ? (Record<never, 1> extends Record<T, 1> ? never : T) : never;

/** One of several texts that are written out in the source, such as an operator. */
export function constant<T extends string>(text: T & Literal<T>): Sql {
  return made(text, []);
}

/** A whole number, written out. */
export function integer(value: number): Sql {
  if (!Number.isInteger(value)) throw new Error(`${value} is not a whole number`);
  return made(String(value), []);
}

export function bindOf(parameter: Parameter): Sql {
  return made('?', [parameter]);
}

/** The largest number of characters of a piece that is written out several times. */
const SHORT = 200;

/** The names, one for each piece. */
type Names<Pieces> = { readonly [At in keyof Pieces]: Sql };

/** Pieces that are needed several times: as they are, or each once under a name, so that no statement grows with each use. */
export function named<const Pieces extends readonly Sql[]>(pieces: Pieces, use: (names: Names<Pieces>) => Sql): Sql {
  if (pieces.every(({ text }) => text.length <= SHORT)) return use(pieces as Names<Pieces>);
  const columns = pieces.map((piece, at) => sql`${piece} AS v${integer(at)}`);
  const result = use(pieces.map((_, at) => sql`"#named".v${integer(at)}`) as Names<Pieces>);
  return sql`(SELECT ${result} FROM (SELECT ${joined(columns, ', ')} OFFSET 0) AS "#named")`;
}

/** All of them hold. */
export function all(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return sql`TRUE`;
  return conditions.length === 1 ? (conditions[0] as Sql) : joined(conditions, ' AND ');
}
