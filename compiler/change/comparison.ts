/**
 * Compares two definitions: pairs the declarations of one with those of the other. It is complete for any two, so that
 * a database can be brought from one to the other even if the author has not yet said all that is needed: a thing that
 * cannot be retained is gone, and a thing with its name is new.
 */
import type { Definition, Enum, Field, Job, Model } from '../definition/definition.ts';
import type { Type } from '../definition/expression.ts';
import { memoizedBeside } from '../definition/memo.ts';
import { isScalar, SCALARS } from '../definition/scalars.ts';

export interface Comparison {
  readonly previous: Definition;
  readonly next: Definition;
  readonly enums: Pairs<Enum>;
  readonly models: Pairs<Model>;
  /** The comparisons of the models that still exist. */
  readonly members: readonly ModelComparison[];
  /** Models whose ids have another type now: their tables are created again. */
  readonly remadeModels: readonly Pair<Model>[];
  readonly jobs: Pairs<Job>;
}

export interface ModelComparison extends Pair<Model> {
  readonly fields: Pairs<Field>;
  /** Fields that have the name but cannot have the values: `fields` lists them as gone and as added. */
  readonly remade: readonly RemadeField[];
}

export interface RemadeField extends Pair<Field> {
  readonly why: 'type' | 'target';
}

/** Memoized, because several parts of a difference need it. */
export const comparisonOf = memoizedBeside((previous: Definition, next: Definition): Comparison => {
  const enums = pairsOf(previous.enums, next.enums);
  const all = pairsOf(previous.models, next.models);
  const remadeModels = all.kept.filter((pair) => idKind(pair.previous) !== idKind(pair.next));
  const models = withoutPairs(all, remadeModels);
  const jobs = pairsOf(previous.jobs ?? [], next.jobs ?? []);
  const sides = { previous, next, enums, models, remadeModels, jobs };
  const names = { models: namesNow(models), enums: namesNow(enums) };
  return { ...sides, members: models.kept.map((pair) => modelComparison(pair, { ...sides, names })) };
});

function idKind({ fields }: Model): string | undefined {
  return named(fields, 'id')?.type.kind;
}

function withoutPairs<T>(pairs: Pairs<T>, broken: readonly Pair<T>[]): Pairs<T> {
  return {
    kept: pairs.kept.filter((pair) => !broken.includes(pair)),
    added: [...pairs.added, ...broken.map(({ next }) => next)],
    gone: [...pairs.gone, ...broken.map(({ previous }) => previous)],
    ambiguous: pairs.ambiguous,
  };
}

interface Compared extends Omit<Comparison, 'members'> {
  /** The current names of the models and enums that still exist. */
  readonly names: { readonly models: ReadonlyMap<string, string>; readonly enums: ReadonlyMap<string, string> };
}

function namesNow({ kept }: Pairs<{ readonly name: string }>): ReadonlyMap<string, string> {
  return new Map(kept.map(({ previous, next }) => [previous.name, next.name]));
}

function modelComparison(pair: Pair<Model>, compared: Compared): ModelComparison {
  const all = pairsOf(pair.previous.fields, pair.next.fields, (field) => formerField(field, pair));
  const remade = all.kept.flatMap((fields): readonly RemadeField[] => {
    const why = reasonToRemake(fields, pair, compared);
    return why ? [{ ...fields, why }] : [];
  });
  const broken = all.kept.filter((kept) => remade.some(({ next }) => next === kept.next));
  return { ...pair, fields: broken.length === 0 ? all : withoutPairs(all, broken), remade };
}

/** A plain field may have become the key of a reference, and the other way round: the column holds the same values. */
function formerField(field: Field, { previous, next }: Pair<Model>): Field | undefined {
  const reference = named(next.references, field.reference);
  const asKey = named(previous.references, field.was);
  return (
    named(previous.fields, field.was) ??
    (asKey && named(previous.fields, asKey.field)) ??
    (reference && named(previous.fields, reference.was))
  );
}

function reasonToRemake(fields: Pair<Field>, models: Pair<Model>, compared: Compared): RemadeField['why'] | undefined {
  if (!isSameType(fields, compared) && !isWidened(fields, compared)) return 'type';
  const from = named(models.previous.references, fields.previous.reference);
  const to = named(models.next.references, fields.next.reference);
  if (!from || !to) return undefined;
  return compared.names.models.get(from.to) === to.to ? undefined : 'target';
}

function isSameType({ previous: { type: from }, next: { type: to } }: Pair<Field>, { names }: Compared): boolean {
  if (from.many !== to.many) return false;
  if (from.kind !== 'enum' || to.kind !== 'enum') return from.kind === to.kind;
  return names.enums.get(from.enum as string) === to.enum;
}

/**
 * Tells whether a type can take over the values of another without a loss. Everything else would have to guess, round
 * or reject some value, and is an error.
 *
 * | from                                                        | to          | a value becomes                      |
 * | ----------------------------------------------------------- | ----------- | ------------------------------------ |
 * | integer                                                     | float       | itself: integers are safe ones       |
 * | integer                                                     | decimal     | itself                               |
 * | date                                                        | timestamp   | the beginning of the day, in UTC     |
 * | all but json                                                | string      | its text, as `stringify` gives it    |
 * | all                                                         | json        | what it was in the JSON of the API   |
 * | enum                                                        | other enum  | the value of its name, as it is now  |
 *
 * A list of one type becomes no list of another, and no single value. Keys go with the ids that they hold; nothing else
 * about them can be widened.
 *
 * A float is no decimal, because its digits are not those that were written; a timestamp is no date; text is nothing
 * but text or JSON, because nobody knows what is in it.
 */
function isWidened({ previous: { type: from }, next }: Pair<Field>, compared: Compared): boolean {
  const { type: to } = next;
  if (next.reference !== null || next.name === 'id' || from.many || to.many) return false;
  if (from.kind === 'enum' && to.kind === 'enum') {
    const there = new Set((named(compared.next.enums, to.enum as string) as Enum).values.map(({ name }) => name));
    return valuesNow(named(compared.previous.enums, from.enum as string) as Enum, compared.enums).every((value) =>
      there.has(value),
    );
  }
  return from.kind === to.kind || widerTypes(from).includes(to.kind);
}

function widerTypes({ kind }: Type): readonly Type['kind'][] {
  if (kind === 'enum') return ['string', 'json'];
  return isScalar(kind) ? SCALARS[kind].widerTypes : [];
}

function valuesNow(type: Enum, { kept }: Pairs<Enum>): readonly string[] {
  const now = kept.find(({ previous }) => previous === type)?.next;
  const renamed = now ? pairsOf(type.values, now.values).kept : [];
  return type.values.map((value) => renamed.find(({ previous }) => previous === value)?.next.name ?? value.name);
}

// Pairs of named things from before and after: those that still exist, those that are new and those that are gone. A
// thing may say what it was called before.

export interface Pair<T> {
  readonly previous: T;
  readonly next: T;
}

export interface Pairs<T> {
  readonly kept: readonly Pair<T>[];
  readonly added: readonly T[];
  readonly gone: readonly T[];
  /** `next` says that it was `previous`, but its own name existed as well, so it is unclear which of the two it was. */
  readonly ambiguous: readonly Pair<T>[];
}

/** A `was` may stay in the source after its release: then the new name is in `previous`, the old one is not. */
export function pairsOf<T extends { readonly name: string; readonly was: string | null }>(
  previous: readonly T[],
  next: readonly T[],
  formerOf?: (item: T) => T | undefined,
): Pairs<T> {
  const byName = new Map(previous.map((item) => [item.name, item]));
  const kept: Pair<T>[] = [];
  const added: T[] = [];
  const ambiguous: Pair<T>[] = [];
  for (const item of next) {
    const same = byName.get(item.name);
    const former = formerOf ? formerOf(item) : item.was === null ? undefined : byName.get(item.was);
    if (same && former && same !== former) ambiguous.push({ previous: former, next: item });
    const found = same ?? former;
    if (found) kept.push({ previous: found, next: item });
    else added.push(item);
  }
  const found = new Set(kept.map((pair) => pair.previous));
  return { kept, added, gone: previous.filter((item) => !found.has(item)), ambiguous };
}

export function named<T extends { readonly name: string }>(items: readonly T[], name: string | null): T | undefined {
  return name === null ? undefined : items.find((item) => item.name === name);
}
