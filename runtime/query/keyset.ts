/**
 * The records of an ordered list that are behind a place in it. The place is the values of the order, as they were of the
 * record that was read last. So a page never depends on how many records there are before it, nor on whether that record
 * is still there.
 *
 * The conditions are made for indexes. `(a, b) > ($1, $2)` is one range of an index over `a, b`. Where the direction
 * changes, or nulls come, no single range will do: then there is a condition for each range.
 */

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { SortTerm } from '../../compiler/definition/contract/list-parameters.ts';
import type { ListResponse } from '../../compiler/definition/endpoint.ts';
import type { OrderItem } from '../../compiler/definition/expression.ts';
import { all, constant, joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { isStorable } from '../values/text.ts';

/** Cuts the order after the id: no two records have the same id. */
export function decisiveOrder(orderBy: readonly OrderItem[]): readonly OrderItem[] {
  const id = orderBy.findIndex(isOwnId);
  return id < 0 ? orderBy : orderBy.slice(0, id + 1);
}

/** One value of the order, and that of the place. */
export interface Term {
  readonly item: OrderItem;
  /** Whether a record may have no value: it may be nullable, or out of range. */
  readonly mayBeNull: boolean;
  /** Null where the record at the place has no value. */
  readonly key: Sql | null;
}

export interface Range {
  /** The condition over the values of the order, one for each term. */
  readonly condition: (values: readonly Sql[]) => Sql;
  /**
   * The first term of the order: all records of the range have the same values before it. Postgres would sort all
   * records without a value, rather than read the few of a page by an index over the later terms.
   */
  readonly orderedFrom: number;
}

/**
 * The ranges behind a place. No two have a record in common, and the records of a range come before those of the next
 * one.
 */
export function rangesBehind(terms: readonly Term[]): readonly Range[] {
  return runsOf(terms)
    .toReversed()
    .flatMap(({ start, end }) => rangesWithin(terms, start, end));
}

interface ValuedTerm extends Term {
  readonly value: Sql;
}

/**
 * The ranges of records that have the same values as the place up to `start`, and are behind it by the terms up to
 * `end`.
 */
function rangesWithin(terms: readonly Term[], start: number, end: number): readonly Range[] {
  const first = terms[start] as Term;
  const where = (holds: (run: readonly ValuedTerm[]) => Sql, orderedFrom = start): Range => ({
    condition(values) {
      const valued = terms.map((term, at) => ({ ...term, value: values[at] as Sql }));
      return all([...valued.slice(0, start).map(isSame), holds(valued.slice(start, end))]);
    },
    orderedFrom,
  });
  if (first.key === null) return nullsComeFirst(first) ? [where(isThere)] : [];
  return isPlain(first) ? [where(isFurther)] : [where(isFurther), where(isMissing, end)];
}

function isThere([term]: readonly ValuedTerm[]): Sql {
  return sql`${(term as ValuedTerm).value} IS NOT NULL`;
}

function isMissing([term]: readonly ValuedTerm[]): Sql {
  return sql`${(term as ValuedTerm).value} IS NULL`;
}

function isSame({ value, key }: ValuedTerm): Sql {
  return key === null ? sql`${value} IS NULL` : sql`${value} = ${key}`;
}

function isFurther(run: readonly ValuedTerm[]): Sql {
  const operator = constant(run[0]?.item.descending ? '<' : '>');
  const values = joined(
    run.map(({ value }) => value),
    ', ',
  );
  const keys = joined(
    run.map(({ key }) => key as Sql),
    ', ',
  );
  return run.length === 1 ? sql`${values} ${operator} ${keys}` : sql`(${values}) ${operator} (${keys})`;
}

// ── Runs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Run {
  readonly start: number;
  end: number;
}

/** Terms that one comparison of rows can take together. */
function runsOf(terms: readonly Term[]): readonly Run[] {
  const runs: Run[] = [];
  terms.forEach((term, at) => {
    const last = runs.at(-1);
    if (last && areOneRun(terms[at - 1] as Term, term)) last.end = at + 1;
    else runs.push({ start: at, end: at + 1 });
  });
  return runs;
}

function areOneRun(before: Term, term: Term): boolean {
  return isPlain(before) && isPlain(term) && before.item.descending === term.item.descending;
}

/** Whether a comparison with its key says all: no null is behind it. */
function isPlain(term: Term): boolean {
  return term.key !== null && (!term.mayBeNull || nullsComeFirst(term));
}

/** Whether nulls come first, as in `orderItem`: a value that is null only because it was out of range comes last. */
function nullsComeFirst({ item: { descending, value } }: Term): boolean {
  return descending && value.type.nullable === true;
}

// The order of a list for one request, from which its statement is made.

/**
 * Combines the order that the client asks for with that of the list itself. Each value occurs once, and the id ends
 * every order.
 */
export function orderInEffect({ query, sortable = [] }: ListResponse, sort: readonly SortTerm[]): readonly OrderItem[] {
  const asked = sort.flatMap(({ name, descending }) => {
    const field = sortable.find((known) => known.name === name);
    return field ? [{ value: field.value, descending }] : [];
  });
  return withoutRepeats([...asked, ...query.orderBy]);
}

/** Two records with the same id are one: what comes after the id decides nothing. */
function withoutRepeats(items: readonly OrderItem[]): readonly OrderItem[] {
  const seen = new Set<string>();
  const kept: OrderItem[] = [];
  for (const item of items) {
    const key = JSON.stringify(item.value);
    if (!seen.has(key)) kept.push(item);
    seen.add(key);
    if (isOwnId(item)) break;
  }
  return kept;
}

function isOwnId({ value }: OrderItem): boolean {
  return value.kind === 'field' && value.field === 'id' && value.path.length === 0;
}

// ── Cursor ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// The text that stands for a place in a list: a version, a checksum, and the values of the order as Postgres prints them,
// so that none of them changes on its way through a client. The checksum is made with the list and its order. It finds
// what is of another list, or was altered by accident; it keeps nobody from making a cursor, which is why the values are
// checked and bound like any other. Clients can read them: the compiler sees to it that the response shows them, too.

/** The values of the order of one record. */
export type Keys = readonly (string | null)[];

/** The id of the record alone where its values are too long for a URL: they are read again. */
type Place = Keys | { readonly id: string };

export interface Cursors {
  textOf(keys: Keys): string;
  /** Null where the text is no cursor of this list in this order. */
  placeIn(text: string): Place | null;
}

const VERSION = 1;
const CHECKSUM_SIZE = 6;
const HEAD_SIZE = 1 + CHECKSUM_SIZE;

/** The limit in characters. Servers and proxies take URLs of about 8,000. */
const LONGEST_CURSOR = 2_000;

/** `list` is a name that no other list of the application has. The order ends with the id. */
export function cursorsOf(list: string, order: readonly OrderItem[]): Cursors {
  const about = JSON.stringify([list, order]);
  const checksumOf = (json: string) =>
    createHash('sha256').update(about).update(json).digest().subarray(0, CHECKSUM_SIZE);
  const cursorOf = (place: unknown): string => {
    const json = JSON.stringify(place);
    return Buffer.concat([Buffer.of(VERSION), checksumOf(json), Buffer.from(json)]).toString('base64url');
  };
  return {
    textOf(keys) {
      const text = cursorOf(keys);
      return text.length > LONGEST_CURSOR ? cursorOf({ id: keys.at(-1) }) : text;
    },
    placeIn(text) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length <= HEAD_SIZE || bytes[0] !== VERSION) return null;
      const json = bytes.toString('utf8', HEAD_SIZE);
      return checksumOf(json).equals(bytes.subarray(1, HEAD_SIZE)) ? placeFrom(jsonFrom(json), order) : null;
    },
  };
}

function placeFrom(value: unknown, order: readonly OrderItem[]): Place | null {
  if (areKeys(value, order)) return value;
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' ? { id } : null;
}

function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Postgres rejects a value that no record can have. */
function areKeys(values: unknown, { length }: readonly OrderItem[]): values is Keys {
  return (
    Array.isArray(values) &&
    values.length === length &&
    values.every((value) => value === null || (typeof value === 'string' && isStorable(value)))
  );
}
