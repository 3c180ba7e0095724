/** How the types of enums change. Postgres adds and renames values in place; for all else it needs a new type. */
import type { Enum, EnumValue } from '../definition/definition.ts';
import type { EnumType, Schema } from '../definition/schema.ts';
import type { Asides } from './asides.ts';
import type { Change, EnumUse, ValuePlace } from './change.ts';
import { type Pair, type Pairs, pairsOf } from './pairs.ts';

interface EnumContext {
  readonly after: Schema;
  readonly asides: Asides;
  /** The columns that keep the type, by the name that it has now. */
  readonly usesOf: (type: string) => readonly EnumUse[];
}

export function enumChanges({ kept, added, gone }: Pairs<Enum>, context: EnumContext): readonly Change[] {
  const typeOf = (name: string) => context.after.enums.find((type) => type.name === name) as EnumType;
  return [
    ...kept.flatMap((pair) => keptChanges(pair, typeOf(pair.next.type), context)),
    ...added.map(({ type }): Change => ({ kind: 'add-enum', enum: typeOf(type) })),
    ...gone.flatMap(({ type }) => goneChanges(type, context)),
  ];
}

function goneChanges(type: string, { asides }: EnumContext): readonly Change[] {
  const name = asides.of(type);
  return [...renamed(type, name), { kind: 'drop-enum', enum: name }];
}

function keptChanges({ previous, next }: Pair<Enum>, type: EnumType, context: EnumContext): readonly Change[] {
  const values = pairsOf(previous.values, next.values);
  const isRemade = values.gone.length > 0 || !keepsOrder(previous.values, values);
  const name = isRemade ? context.asides.always(previous.type) : type.name;
  const renames = values.kept.filter((pair) => pair.previous.name !== pair.next.name);
  return [
    ...renamed(previous.type, name),
    ...renames.map((pair): Change => {
      return { kind: 'rename-value', enum: name, from: pair.previous.name, to: pair.next.name };
    }),
    ...(isRemade ? remade(type, name, values, context) : addedValues(type, values, context)),
  ];
}

function renamed(from: string, to: string): readonly Change[] {
  return from === to ? [] : [{ kind: 'rename', of: 'enum', from, to, table: null }];
}

/** Values that stay have the order of `next`; they must have had it before. */
export function keepsOrder(previous: readonly EnumValue[], { kept }: Pairs<EnumValue>): boolean {
  const places = kept.map((pair) => previous.indexOf(pair.previous));
  return places.every((place, at) => at === 0 || place > (places[at - 1] as number));
}

function remade(type: EnumType, aside: string, { gone }: Pairs<EnumValue>, { usesOf }: EnumContext): readonly Change[] {
  return [
    { kind: 'change-values', enum: type, aside, dropped: gone.map(({ name }) => name), uses: usesOf(type.name) },
    { kind: 'drop-enum', enum: aside },
  ];
}

/** To look into every table for each enum would take long, and few have a value more. */
function addedValues(type: EnumType, values: Pairs<EnumValue>, { usesOf }: EnumContext): readonly Change[] {
  if (values.added.length === 0) return [];
  return additions(type, values, [...new Set(usesOf(type.name).map(({ table }) => table))]);
}

export function additions(
  { name, values }: EnumType,
  { kept, added }: Pairs<EnumValue>,
  tables: readonly string[],
): readonly Change[] {
  const first = kept[0]?.next.name;
  return added.map((value): Change => {
    const before = values[values.indexOf(value.name) - 1];
    return { kind: 'add-value', enum: name, value: value.name, place: placeOf(before, first), tables };
  });
}

/** Those before it in the order are there already, because values are added in that order. */
function placeOf(before: string | undefined, first: string | undefined): ValuePlace | null {
  if (before !== undefined) return { kind: 'after', value: before };
  return first === undefined ? null : { kind: 'before', value: first };
}
