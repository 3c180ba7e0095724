/**
 * Rows become objects, for expressions and for the code of hooks. What belongs to many records at once (collections, custom code) is
 * gathered while the rows are read and filled in afterwards, so that the number of statements does not depend on the
 * number of rows.
 */
import type { Scope } from '../expressions/scope.ts';
import type { Value } from '../values/value.ts';
import type { DataRow } from './data-row.ts';
import { Piece } from './json-bytes.ts';
import type { JsonForm } from './json-form.ts';
import { type Prepared, type QueryScope, run } from './prepared.ts';

export type Target = Record<string, Value>;

/** One property of an object. Every property is set at once and in order; what comes later takes its place. */
export type Part =
  | {
      readonly kind: 'value';
      readonly name: string;
      readonly at: number;
      readonly parse: (text: string | null) => Value;
      readonly json: JsonForm;
    }
  /** One other record; null where the id at `at` is null. */
  | { readonly kind: 'one'; readonly name: string; readonly at: number; readonly parts: readonly Part[] }
  /** The records that belong to the id at `at`; the same for all rows where that is null. */
  | { readonly kind: 'many'; readonly name: string; readonly at: number | null; readonly collection: Collection }
  | { readonly kind: 'hook'; readonly name: string; readonly call: HookCall; readonly args: readonly Part[] };

export type HookCall = (args: Target, scope: Scope) => Promise<Value>;

export interface Collection {
  readonly prepared: Prepared;
  readonly parts: readonly Part[];
  /** The column that says to which id a row belongs; null where all rows belong to all. */
  readonly keyAt: number | null;
  /** Whether the first one is given, or null, in place of a list. */
  readonly isSingle: boolean;
}

interface Wanted {
  readonly key: string;
  readonly name: string;
  readonly target: Target;
}

/** The records and calls that the rows need, and their places in the objects. */
export class Gathering {
  readonly collections = new Map<Collection, Wanted[]>();
  readonly calls: { readonly call: HookCall; readonly args: Target; readonly name: string; readonly target: Target }[] =
    [];

  want(collection: Collection, wanted: Wanted): void {
    const others = this.collections.get(collection);
    if (others) others.push(wanted);
    else this.collections.set(collection, [wanted]);
  }

  get isEmpty(): boolean {
    return this.collections.size === 0 && this.calls.length === 0;
  }
}

/** Makes objects of rows, with all that belongs to them. */
export async function objectsFromRows(
  rows: readonly DataRow[],
  parts: readonly Part[],
  scope: QueryScope,
): Promise<readonly Target[]> {
  const gathering = new Gathering();
  const found = rows.map((row) => objectFromRow(row, parts, gathering));
  await fillIn(gathering, scope);
  return found;
}

export function objectFromRow(row: DataRow, parts: readonly Part[], gathering: Gathering): Target {
  const target: Target = {};
  for (const part of parts) fill(target, part, row, gathering);
  return target;
}

const NOTHING: readonly Value[] = [];

function fill(target: Target, part: Part, row: DataRow, gathering: Gathering): void {
  const { name } = part;
  switch (part.kind) {
    case 'value':
      target[name] = part.parse(row.text(part.at));
      return;
    case 'one':
      target[name] = row.find(part.at) < 0 ? null : objectFromRow(row, part.parts, gathering);
      return;
    case 'many': {
      target[name] = part.collection.isSingle ? null : NOTHING;
      const key = part.at === null ? '' : row.text(part.at);
      if (key !== null) gathering.want(part.collection, { key, name, target });
      return;
    }
    case 'hook':
      target[name] = null;
      gathering.calls.push({ call: part.call, args: objectFromRow(row, part.args, gathering), name, target });
      return;
  }
}

/** Fills in all missing properties. */
export async function fillIn(gathering: Gathering, scope: QueryScope): Promise<void> {
  if (gathering.isEmpty) return;
  await Promise.all([...gathering.collections].map((entry) => fillCollection(entry, scope)));
  await Promise.all(
    gathering.calls.map(async ({ call, args, name, target }) => {
      target[name] = await call(args, scope);
    }),
  );
}

async function fillCollection(
  [collection, wanted]: readonly [Collection, readonly Wanted[]],
  scope: QueryScope,
): Promise<void> {
  const { prepared, keyAt, isSingle } = collection;
  const ids = keyAt === null ? [] : [...new Set(wanted.map(({ key }) => key))];
  const { rows } = await run(prepared, scope, { ids });
  const groups = await grouped(rows, collection, scope);
  for (const { key, name, target } of wanted) {
    const found = groups.get(key);
    target[name] = isSingle ? (found?.[0] ?? null) : (found ?? NOTHING);
  }
}

async function grouped(
  rows: readonly DataRow[],
  { parts, keyAt }: Collection,
  scope: QueryScope,
): Promise<ReadonlyMap<string, readonly Target[]>> {
  const gathering = new Gathering();
  const groups = new Map<string, Target[]>();
  for (const row of rows) {
    const key = keyAt === null ? '' : (row.text(keyAt) as string);
    const object = objectFromRow(row, parts, gathering);
    const group = groups.get(key);
    if (group) group.push(object);
    else groups.set(key, [object]);
  }
  await fillIn(gathering, scope);
  return groups;
}

// ── Json shape ────────────────────────────────────────────────────────────────────────────────────────────────────────

// The form of the objects of an answer as JSON: the parts of a selection, with all that can be written in advance.

/** One property. All kinds have the same members, so that the loop over them is one that the engine knows well. */
export interface JsonField {
  readonly kind: 'value' | 'one' | 'many';
  /** `,"name":`, or `{"name":` for the first one. */
  readonly key: Piece;
  /** Negative where there is no such column. */
  readonly at: number;
  readonly form: JsonForm | null;
  /** The shape of the record, or of each record of the collection. */
  readonly shape: JsonShape | null;
  readonly collection: Collection | null;
}

export interface JsonShape {
  readonly fields: readonly JsonField[];
  /** The fields of kind `many`, including those of inner records. */
  readonly collections: readonly JsonField[];
  /** How many bytes an object has beside its values. */
  readonly size: number;
}

/** Makes the shape; null where the code of a hook takes part: it needs values, and returns one. */
export function jsonShapeOf(parts: readonly Part[]): JsonShape | null {
  const fields: JsonField[] = [];
  for (const part of parts) {
    const field = fieldOf(part, new Piece(`${fields.length === 0 ? '{' : ','}${JSON.stringify(part.name)}:`));
    if (field === null) return null;
    fields.push(field);
  }
  return { fields, collections: fields.flatMap(collectionsOf), size: fields.reduce(sizeWith, BRACES) };
}

function fieldOf(part: Part, key: Piece): JsonField | null {
  switch (part.kind) {
    case 'value':
      return { kind: 'value', key, at: part.at, form: part.json, shape: null, collection: null };
    case 'one': {
      const shape = jsonShapeOf(part.parts);
      return shape && { kind: 'one', key, at: part.at, form: null, shape, collection: null };
    }
    case 'many': {
      const { collection } = part;
      const shape = collection.isSingle ? null : jsonShapeOf(collection.parts);
      return shape && { kind: 'many', key, at: part.at ?? -1, form: null, shape, collection };
    }
    case 'hook':
      return null;
  }
}

function collectionsOf(field: JsonField): readonly JsonField[] {
  if (field.kind === 'many') return [field];
  return field.shape?.collections ?? [];
}

const BRACES = 2;
const BRACKETS = 2;

function sizeWith(sum: number, { kind, key, shape }: JsonField): number {
  const own = kind === 'one' ? (shape as JsonShape).size : BRACKETS;
  return sum + key.length + own;
}
