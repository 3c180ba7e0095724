/** The tables of `habits.json`: what other languages write. In a pattern, `<<NAME>>` stands for another pattern. */

import { type Scalar, scalarMeantBy } from '../definition/scalars.ts';
import tables from './habits.json' with { type: 'json' };

type Words = Readonly<Record<string, string>>;

export interface WrittenRow {
  readonly written: string;
  readonly flags?: string;
}

/** Endpoints by the names that other frameworks have for them. */
export const ENDPOINTS: Words = tables.endpoints;
/** Validators by the names that other languages have for them. */
export const VALIDATORS: Words = tables.validators;
/** Attributes of Prisma and others, as properties. Those with an empty text say nothing that Kiln needs. */
export const ATTRIBUTES: Words = tables.attributes;
export const DJANGO_TYPES: Words = tables.djangoTypes;
/** Values that Kiln writes with another word. */
export const VALUES: Words = tables.values;

const PARTS: Words = {
  ...tables.parts,
  ENDPOINT: Object.keys(ENDPOINTS).join('|'),
  VALIDATOR: Object.keys(VALIDATORS).join('|'),
};

/** The pattern of a type, as long as one of the notations allows. */
export const TYPE_TEXT = tables.parts.TYPE;

interface Notation extends WrittenRow {
  readonly isList?: boolean;
  readonly isNullable?: boolean;
}

interface Modifier extends WrittenRow {
  /** The properties of Kiln for it, as one text with `$<name>` for a group. */
  readonly property?: string;
  readonly isId?: boolean;
  /** Whether it is an argument of a call. */
  readonly isArgument?: boolean;
}

/** Types, from the longest to the shortest. The group `name` is the type inside. */
const NOTATIONS = withPatterns<Notation>(tables.notations);
/** The modifiers behind a type. Each is tried at the beginning of the rest. */
export const MODIFIERS = withPatterns<Modifier>(tables.modifiers);

export type WithPattern<Row> = Omit<Row, 'written'> & { readonly written: RegExp };

export function withPatterns<Row extends WrittenRow>(rows: readonly Row[]): readonly WithPattern<Row>[] {
  return rows.map((row) => {
    const source = row.written.replace(/<<(\w+)>>/g, (_, name: string) => PARTS[name] ?? '');
    return { ...row, written: new RegExp(source, row.flags) };
  });
}

// ── Types ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Types as other languages write them.

export interface ForeignType {
  /** The name of a type, a model or an enum. */
  readonly name: string;
  readonly scalar: Scalar | undefined;
  readonly isList: boolean;
  readonly isNullable: boolean;
  /** The number of characters in `varchar(80)`, or of digits in `numeric(12, 2)`. */
  readonly length: string | undefined;
  /** The number of digits after the point in `numeric(12, 2)`. */
  readonly places: string | undefined;
  /** The values of an enum that is written out. */
  readonly values: readonly string[] | undefined;
}

export function foreignType(text: string): ForeignType | undefined {
  for (const { written, isList = false, isNullable = false } of NOTATIONS) {
    const groups = written.exec(text.trim())?.groups;
    if (!groups) continue;
    const { name = '', length, places, values } = groups;
    return {
      name,
      scalar: scalarMeantBy(name),
      isList,
      isNullable,
      length,
      places,
      values: values === undefined ? undefined : valuesFrom(values),
    };
  }
  return undefined;
}

/** As Kiln writes it. As in SQL, a decimal with one number has no digits after the point. */
export function typeText({ name, scalar, isList, length, places = '0' }: ForeignType): string {
  const single = scalar === 'decimal' && length ? `decimal(${length}, ${places})` : (scalar ?? name);
  return isList ? `[${single}]` : single;
}

function valuesFrom(text: string): readonly string[] {
  return text.split(/[,|]/).map((value) => value.trim().replace(/^["':]|["']$/g, ''));
}
