/**
 * Changes of the types of enums. Postgres can only add values in place, and both releases share the names of types and
 * values. Every other change needs a new type, and the previous one is retired.
 */
import type { Enum, EnumValue } from '../definition/definition.ts';
import {
  type Column,
  type ColumnType,
  type EnumType,
  itemTypeOf,
  type Schema,
  type Table,
} from '../definition/schema.ts';
import type { Change, ChangedValue, ValuePlace } from './change.ts';
import { type Pair, type Pairs, pairsOf } from './comparison.ts';
import { columnOf, type TablePair, type TablePairs } from './table-pairs.ts';

export function isReplaced({ previous, next }: Pair<Enum>): boolean {
  const values = pairsOf(previous.values, next.values);
  const isRenamed = values.kept.some((pair) => pair.previous.name !== pair.next.name);
  return previous.type !== next.type || isRenamed || values.gone.length > 0 || !keepsOrder(previous.values, values);
}

/** Whether the values that stay had the same order before: they have the order of `next` now. */
function keepsOrder(previous: readonly EnumValue[], { kept }: Pairs<EnumValue>): boolean {
  const places = kept.map((pair) => previous.indexOf(pair.previous));
  return places.every((place, at) => at === 0 || place > (places[at - 1] as number));
}

export function enumChanges(enums: Pairs<Enum>, tables: TablePairs, after: Schema): readonly Change[] {
  const typeOf = (name: string) => after.enums.find((type) => type.name === name) as EnumType;
  const replaced = enums.kept.filter(isReplaced);
  const gone = [...enums.gone, ...replaced.map((pair) => pair.previous)];
  const added = [...enums.added, ...replaced.map((pair) => pair.next)];
  return [
    ...replaced.flatMap((pair) => checkedValues(pair, tables)),
    ...gone.map(({ type }): Change => ({ kind: 'retire-enum', enum: type })),
    ...added.map(({ type }): Change => ({ kind: 'add-enum', enum: typeOf(type) })),
    ...enums.kept
      .filter((pair) => !isReplaced(pair))
      .flatMap((pair) => addedValues(pair, typeOf(pair.next.type), tables)),
  ];
}

/** Checks for dropped values in columns that still have the type. */
function checkedValues({ previous, next }: Pair<Enum>, { kept }: TablePairs): readonly Change[] {
  const dropped = pairsOf(previous.values, next.values).gone.map(({ name }) => name);
  const uses = kept.flatMap((pair) =>
    pair.previous.columns
      .filter(({ name, type }) => isOfEnum(type, previous.type) && isNowOfEnum(pair, name, next.type))
      .map(({ name, type }) => ({ table: pair.previous.name, column: name, type })),
  );
  return dropped.length === 0 || uses.length === 0 ? [] : [{ kind: 'check-values', dropped, uses }];
}

function isNowOfEnum({ next, columns }: TablePair, name: string, type: string): boolean {
  const now = columns.get(name);
  return now !== undefined && isOfEnum(columnOf(next, now).type, type);
}

/** Whether a column has values of the enum, or lists of them. */
function isOfEnum(type: ColumnType, name: string): boolean {
  return typeof type === 'object' && type.enum === name;
}

function addedValues({ previous, next }: Pair<Enum>, type: EnumType, { kept, gone }: TablePairs): readonly Change[] {
  const values = pairsOf(previous.values, next.values);
  const hasType = ({ columns }: Table) => columns.some((column) => isOfEnum(column.type, previous.type));
  const first = values.kept[0]?.next.name;
  return values.added.map(({ name: value }): Change => {
    const tables = [...kept.filter((pair) => hasType(pair.previous)).map((pair) => pair.next), ...gone.filter(hasType)];
    const place = placeOf(type.values[type.values.indexOf(value) - 1], first);
    return { kind: 'add-value', enum: type.name, value, place, tables: tables.map(({ name }) => name) };
  });
}

/** Finds the place of an added value. The values before it exist already, because values are added in order. */
function placeOf(before: string | undefined, first: string | undefined): ValuePlace | null {
  if (before !== undefined) return { kind: 'after', value: before };
  return first === undefined ? null : { kind: 'before', value: first };
}

/**
 * The previous release may still write a value that is dropped. Then a record has another one here, unless it is text. A
 * list has one item less.
 */
export function valuesNow({ previous, next }: Pair<Enum>, column: Column): readonly ChangedValue[] {
  const { kept, gone } = pairsOf(previous.values, next.values);
  const isList = itemTypeOf(column.type) !== undefined;
  const instead = isList ? null : valueInstead(next, column);
  const renamed = kept.map((pair) => ({ from: pair.previous.name, to: pair.next.name, isDropped: false }));
  return [
    ...renamed.filter(({ from, to }) => from !== to),
    ...(isOfEnum(column.type, next.type) ? gone : []).map(({ name }) => {
      return { from: name, to: instead, isDropped: true };
    }),
  ];
}

function valueInstead({ values }: Enum, column: Column): string | null {
  if (column.default?.kind === 'value') return column.default.text;
  return column.nullable ? null : (values[0]?.name ?? null);
}
