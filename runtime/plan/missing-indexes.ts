/**
 * The needs of statements for indexes of a model, and the indexes that would serve them. `lackingIndexes` reads the
 * needs from a definition; tests read them from the plans of Postgres, too.
 */
import type { Definition, IndexPart, Model } from '../../compiler/definition/definition.ts';

/** The use of the records of one model by a query. All names are names of fields; that of a reference is its key. */
export interface IndexNeed {
  readonly model: string;
  /** Fields that are compared with one value. */
  readonly equal: readonly string[];
  /** Fields that are compared with a range, with several values or with null. */
  readonly ranges: readonly string[];
  /** The order of a list of which only a part is read. Empty where there is none. */
  readonly order: Index;
}

export type Index = readonly IndexPart[];

/** The purpose for which every record is read: to find some of them, or to sort all of them. */
export type Lack = 'filter' | 'order';

export interface MissingIndex {
  readonly model: string;
  readonly lack: Lack;
  /** The fields to filter or to order by, as the source names them. */
  readonly by: readonly string[];
  readonly index: Index;
}

/** Postgres finds records by an index whose first field is compared. */
export function servesFilter(index: Index, { equal, ranges }: IndexNeed): boolean {
  const first = index[0]?.field ?? '';
  return equal.includes(first) || ranges.includes(first);
}

/**
 * Records with the same values of the fields that are compared come in the order of the rest of the index. The first
 * field of the order is enough: records that are equal in it are sorted among themselves, a few at a time.
 */
export function servesOrder(index: Index, { equal, order }: IndexNeed): boolean {
  const isOpen = ({ field }: IndexPart) => !equal.includes(field);
  const wanted = order.find(isOpen);
  return wanted === undefined || index.find(isOpen)?.field === wanted.field;
}

/** All indexes that Postgres has, including those of the id, of unique fields, and of references. */
export function indexesOf({ fields, references, uniques, indexes }: Model): readonly Index[] {
  const single = fields.filter(({ name, unique, index }) => name === 'id' || unique || index).map(({ name }) => name);
  const keys = references.map(({ field }) => field);
  return [...[...single, ...keys].map((field) => [field]), ...uniques].map(ascending).concat(indexes);
}

function ascending(fields: readonly string[]): Index {
  return fields.map((field) => ({ field, descending: false }));
}

export interface WantedIndex {
  readonly need: IndexNeed;
  readonly lack: Lack;
  /** Whether it is wanted only where a client chooses to filter or to order by a field. */
  readonly isChoice: boolean;
}

/** One index may serve several needs. Null where no index of the language can serve one. */
export function missingIndexes(
  wanted: readonly WantedIndex[],
  { models }: Definition,
): readonly (MissingIndex | null)[] {
  const byName = new Map(models.map((model) => [model.name, model]));
  const candidates = wanted.map(({ need, lack, isChoice }) => {
    const model = byName.get(need.model) as Model;
    const trimmed = { ...need, order: usefulOrder(need, model, isChoice) };
    return { need: trimmed, lack, isChoice, model, ideal: idealIndex(trimmed, lack) };
  });
  const proposed = proposedIndexes(candidates);
  return candidates.map(({ need, lack, isChoice, model, ideal }) => {
    if (ideal.length === 0) return null;
    const index = proposed.get(need.model)?.find((known) => isAsGood(known, { need, lack, isChoice })) ?? ideal;
    return { model: need.model, lack, by: byOf(need, lack).map((field) => nameOf(field, model)), index };
  });
}

interface Candidate extends WantedIndex {
  readonly ideal: Index;
}

/**
 * Proposes indexes by model. Those for queries that clients need not choose come first, then the longest: shorter ones
 * are often a part of them.
 */
function proposedIndexes(candidates: readonly Candidate[]): ReadonlyMap<string, readonly Index[]> {
  const proposed = new Map<string, Index[]>();
  const inOrder = [...candidates].sort(
    (a, b) => Number(a.isChoice) - Number(b.isChoice) || b.ideal.length - a.ideal.length,
  );
  for (const candidate of inOrder) {
    const { ideal, need } = candidate;
    const known = proposed.get(need.model) ?? [];
    if (ideal.length > 0 && !known.some((index) => isAsGood(index, candidate)))
      proposed.set(need.model, [...known, ideal]);
  }
  return proposed;
}

/** Whether an index that is proposed for something else spares one for this. */
function isAsGood(index: Index, { need, lack, isChoice }: WantedIndex): boolean {
  const { equal, ranges } = need;
  if (isChoice && lack === 'filter') return servesFilter(index, need);
  if (equal.length > 0) return equal.includes(index[0]?.field ?? '') && servesOrder(index, need);
  return lack === 'filter' && ranges.length > 0 ? servesFilter(index, need) : servesOrder(index, need);
}

function byOf({ equal, ranges, order }: IndexNeed, lack: Lack): readonly string[] {
  return lack === 'order' ? order.map(({ field }) => field) : [...new Set([...equal, ...ranges])];
}

/** The best index. Fields that are compared with one value come first, followed by the order. */
function idealIndex({ equal, ranges, order }: IndexNeed, lack: Lack): Index {
  const range = ranges.find((field) => !equal.includes(field));
  if (equal.length > 0) return [...ascending(equal), ...(order.length === 0 && range ? ascending([range]) : order)];
  if (lack === 'order' || (range !== undefined && order[0]?.field === range)) return order;
  return range === undefined ? [] : ascending([range]);
}

/**
 * The order without fields that are compared with one value, and without the id at its end, which only decides between
 * records that are equal in all else. The order of the ids alone is worth an index where many records have the searched
 * value.
 */
function usefulOrder({ equal, order }: IndexNeed, model: Model, isChoice: boolean): Index {
  const open = order.filter(({ field }) => !equal.includes(field));
  const id = open.findIndex(({ field }) => field === 'id');
  if (id !== 0) return id < 0 ? open : open.slice(0, id);
  const hasMany = !isChoice && equal.length > 0 && equal.every((field) => hasFewValues(field, model));
  return hasMany ? open.slice(0, 1) : [];
}

function hasFewValues(name: string, { fields }: Model): boolean {
  const kind = fields.find((field) => field.name === name)?.type.kind;
  return kind === 'boolean' || kind === 'enum';
}

/** A reference by its own name, as in `index { post, created_at }`. */
function nameOf(field: string, { references }: Model): string {
  return references.find((reference) => reference.field === field)?.name ?? field;
}

/** The advice of what to write where: ``add `index { post, created_at desc }` to `model Comment` ``. */
export function adviceFor({ model, index }: Pick<MissingIndex, 'model' | 'index'>, { models }: Definition): string {
  const owner = models.find(({ name }) => name === model) as Model;
  const [first, ...others] = index.map(({ field, descending }) => ({ name: nameOf(field, owner), descending }));
  // An index over one field is a word in the field, whose direction makes no difference.
  if (others.length === 0) return `add \`index\` to \`field ${first?.name}\` of \`model ${model}\``;
  const parts = [first, ...others].map((part) => `${part?.name}${part?.descending ? ' desc' : ''}`);
  return `add \`index { ${parts.join(', ')} }\` to \`model ${model}\``;
}

/** The words after the name of an endpoint: ``reads every `Post` to filter by `published` ``. */
export function lackText({ model, lack, by }: Pick<MissingIndex, 'model' | 'lack' | 'by'>): string {
  const names = by.map((name) => `\`${name}\``).join(', ');
  return lack === 'filter'
    ? `reads every \`${model}\` to filter by ${names}`
    : `sorts every matching \`${model}\` by ${names} to give a part of them`;
}
