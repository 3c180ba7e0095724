/** The rows of a block: one record at a time, as a line for COPY. A failure says which record and which field it is. */
import type { Field, Relation } from '../../compiler/definition/definition.ts';
import type { Expression, Type } from '../../compiler/definition/expression.ts';
import type { Scope, Snapshot } from '../expressions/scope.ts';
import { partsOf } from '../expressions/server-only.ts';
import { binderOf, KINDS, textFromBound } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import type { Block } from './blocks.ts';
import type { Ids } from './candidates.ts';
import type { Column } from './columns.ts';
import { PopulateError } from './populate-error.ts';
import type { SharedUnique } from './uniqueness.ts';

/** Gives the line of the next record, without its end. A promise only where code of a hook has to be waited for. */
export type NextRow = () => string | Promise<string>;

export function rowsOf(
  block: Block,
  columns: readonly Column[],
  shared: readonly SharedUnique[],
  ids: Ids,
  scope: Scope,
): NextRow {
  const row: Value[] = block.model.fields.map(() => null);
  const encoders = block.model.fields.map(({ type }) => encoderOf(type));
  const reads = readsOf(block);
  const listings = listingsOf(block);
  const finish = () => {
    const line = lineOf(block, row, encoders);
    block.made++;
    block.id = row[0] ?? null;
    if (reads.length > 0) scope.records[block.populate.record] = snapshotOf(row, reads);
    for (const { around, name, index } of listings)
      if (row[index] === around.id) listIn(scope, around, name).push(block.id);
    for (const { indexes, taken } of shared) taken.add(valuesAt(row, indexes), block.parent?.id ?? null);
    ids.advance();
    return line;
  };
  const fill = (from: number): string | Promise<string> => {
    for (let at = from; at < columns.length; at++) {
      const { field, index, make } = columns[at] as Column;
      try {
        const made = make(row);
        if (made instanceof Promise) return later(made, field, index, at + 1);
        row[index] = made;
      } catch (error) {
        throw failureIn(block, field, error);
      }
    }
    return finish();
  };
  const later = async (made: Promise<Value>, field: Field, index: number, next: number): Promise<string> => {
    try {
      row[index] = await made;
    } catch (error) {
      throw failureIn(block, field, error);
    }
    return fill(next);
  };
  return () => fill(0);
}

function valuesAt(row: readonly Value[], indexes: readonly number[]): readonly Value[] {
  return indexes.map((index) => row[index] ?? null);
}

function lineOf(block: Block, row: readonly Value[], encoders: readonly Encode[]): string {
  const { fields } = block.model;
  let line = '';
  for (let index = 0; index < row.length; index++) {
    const value = row[index] as Value;
    const field = fields[index] as Field;
    try {
      if (value === null && !field.type.nullable) throw new Error('the value must not be null');
      line += index === 0 ? (encoders[0] as Encode)(value) : `\t${(encoders[index] as Encode)(value)}`;
    } catch (error) {
      throw failureIn(block, field, error);
    }
  }
  return line;
}

function failureIn({ path, model, made }: Block, { name, reference }: Field, error: unknown): PopulateError {
  const reason = error instanceof Error ? error.message : String(error);
  return new PopulateError(
    reason,
    { block: path, model: model.name, record: made + 1, field: reference ?? name },
    error,
  );
}

/** Without an index it is the ids of a relation, which are listed as the records are made. */
type Read = readonly [name: string, index?: number];

function snapshotOf(row: readonly Value[], reads: readonly Read[]): Snapshot {
  const snapshot: Record<string, Value> = {};
  for (const [name, index] of reads) snapshot[name] = index === undefined ? [] : (row[index] ?? null);
  return snapshot;
}

/** What the blocks inside look at. */
function readsOf(block: Block): readonly Read[] {
  const { fields, relations } = block.model;
  const names = new Set(block.children.flatMap((child) => readsIn(child, block.populate.record)));
  return [
    ...fields.flatMap(({ name }, index) => (names.has(name) ? [[name, index] as const] : [])),
    ...relations.map(idsOf).flatMap((name) => (names.has(name) ? [[name] as const] : [])),
  ];
}

function idsOf({ name }: Relation): string {
  return `${name}.id`;
}

/** The ids `name` of a record around, which get that of each record whose row has the other one's id at `index`. */
function listingsOf(block: Block) {
  return blocksAround(block).flatMap((around) => {
    const names = readsOf(around).map(([name]) => name);
    const own = around.model.relations.filter(({ from }) => from === block.model.name);
    const read = own.filter((relation) => names.includes(idsOf(relation)));
    return read.map((relation) => ({
      around,
      name: idsOf(relation),
      index: block.model.fields.findIndex(({ reference }) => reference === relation.through),
    }));
  });
}

function blocksAround({ parent }: Block): readonly Block[] {
  return parent ? [parent, ...blocksAround(parent)] : [];
}

function listIn({ records }: Scope, { populate }: Block, name: string): Value[] {
  return (records[populate.record] as Snapshot)[name] as Value[];
}

function readsIn({ populate, children }: Block, record: string): readonly string[] {
  const own = populate.values.flatMap(({ value }) => snapshotReads(value, record));
  return [...own, ...children.flatMap((child) => readsIn(child, record))];
}

function snapshotReads(expression: Expression, record: string): readonly string[] {
  if (expression.kind === 'snapshot') return expression.record === record && expression.read ? [expression.read] : [];
  return partsOf(expression).flatMap((part) => snapshotReads(part, record));
}

// ── Copy text ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Values as COPY reads them in its text format: a line for a row, tabs between columns. Chosen once for a type.

type Encode = (value: Value) => string;

const NULL_TEXT = '\\N';

export function encoderOf(type: Type): Encode {
  const { bind, isFreeText } = KINDS[type.kind];
  const list = binderOf(type);
  const one: Encode = isFreeText ? (value) => escapedText(bind(value)) : bind;
  const text: Encode = type.many ? (value) => escapedText(textFromBound(list(value)) as string) : one;
  return (value) => (value === null ? NULL_TEXT : text(value));
}

/** Most texts have none of these. Halves of surrogate pairs are looked for among all surrogates. */
const UNUSUAL = /[\\\0\t\n\r\ud800-\udfff]/;

function escapedText(text: string): string {
  return UNUSUAL.test(text) ? carefully(text) : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function carefully(text: string): string {
  if (text.includes('\0')) throw new Error('a text cannot contain the character U+0000');
  if (!text.isWellFormed()) throw new Error('a text cannot contain half of a surrogate pair');
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string);
}
