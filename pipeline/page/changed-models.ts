/** The models of two definitions together, and what became of each of them and of its members. */
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { Type } from '../../compiler/definition/expression.ts';
import type { ModelGraph, ShownEdge, ShownMember, ShownModel } from '../../runtime/console/model-graph.ts';

export type Change = 'added' | 'changed' | 'removed' | 'same';

export const SIGNS: Readonly<Record<Change, string>> = { added: '+ ', changed: '~ ', removed: '− ', same: '' };

export interface ChangedModels {
  /** The names of members have their signs, which take room in a drawing. */
  readonly graph: ModelGraph;
  readonly ofModel: (model: string) => Change;
  /** By its name in the graph. */
  readonly ofMember: (model: string, member: string) => Change;
  readonly count: Readonly<Record<Exclude<Change, 'same'>, number>>;
  /** Whether models are left out of the graph that have not changed. */
  readonly isPartial: boolean;
}

/** Of more than these only the ones that changed are shown, with those that they refer to. */
const MOST_SHOWN = 30;

/** `before` is null for the first release, of which nothing has changed. */
export function changedModels(before: Definition | null, after: Definition): ChangedModels {
  const all = [...after.models.map((model) => pairOf(model, before)), ...removedModels(before, after)];
  const changes = new Map(all.map((pair) => [pair.name, modelChange(pair, before === null)]));
  const members = new Map(all.map((pair) => [pair.name, memberChanges(pair, before === null)]));
  const ofModel = (model: string): Change => changes.get(model) ?? 'same';
  const edges = edgesOf(all);
  const shown = all.length <= MOST_SHOWN ? null : nearChanges(changes, edges);
  const isShown = (name: string): boolean => shown === null || shown.has(name);
  return {
    graph: {
      models: all.filter(({ name }) => isShown(name)).map((pair) => shownModel(pair, members.get(pair.name))),
      edges: edges.filter(({ from, to }) => isShown(from) && isShown(to)),
    },
    ofModel,
    ofMember: (model, member) => members.get(model)?.get(member.replace(/^[+~−] /, '')) ?? 'same',
    count: counted([...changes.values()]),
    isPartial: shown !== null,
  };
}

/** One of them is there at least. */
interface Pair {
  readonly name: string;
  readonly before: Model | null;
  readonly after: Model | null;
}

function pairOf(after: Model, before: Definition | null): Pair {
  const named = (name: string | null) => before?.models.find((model) => model.name === name);
  return { name: after.name, before: named(after.name) ?? named(after.was) ?? null, after };
}

/** What a model was called is not gone. */
function removedModels(before: Definition | null, { models }: Definition): readonly Pair[] {
  const names = new Set(models.flatMap(({ name, was }) => [name, was]));
  const removed = (before?.models ?? []).filter(({ name }) => !names.has(name));
  return removed.map((model) => ({ name: model.name, before: model, after: null }));
}

function modelChange({ before, after }: Pair, isFirst: boolean): Change {
  if (isFirst) return 'same';
  if (before === null || after === null) return before === null ? 'added' : 'removed';
  return meaningOf(before) === meaningOf(after) ? 'same' : 'changed';
}

/** Without what is only said to people, or only for the migration. */
function meaningOf(value: unknown): string {
  return JSON.stringify(value, (key, part) => (WORDS.has(key) ? undefined : part));
}

const WORDS: ReadonlySet<string> = new Set(['doc', 'was', 'drops', 'backfill']);

interface Member {
  readonly name: string;
  readonly was: string | null;
  readonly meaning: string;
  readonly shown: ShownMember;
}

function membersOf(model: Model | null): readonly Member[] {
  if (model === null) return [];
  const columns = model.fields.map((field) => {
    const reference = model.references.find(({ name }) => name === field.reference);
    if (reference === undefined)
      return member(field, 'field', shownType(field.type), field.unique || field.name === 'id');
    const type = { type: reference.to, ...(reference.nullable ? { nullable: true as const } : {}) };
    return member(reference, 'reference', type, reference.unique);
  });
  const computed = model.computed.map((each) => member({ ...each, was: null }, 'computed', shownType(each.value.type)));
  return [...columns, ...computed];
}

function member(
  value: { readonly name: string; readonly was: string | null },
  kind: ShownMember['kind'],
  type: Pick<ShownMember, 'type' | 'nullable' | 'many'>,
  isUnique = false,
): Member {
  const shown = { kind, name: value.name, doc: null, ...type, ...(isUnique ? { unique: true as const } : {}) };
  return { name: value.name, was: value.was, meaning: meaningOf(value), shown };
}

function shownType({
  kind,
  enum: values,
  model,
  nullable,
  many,
}: Type): Pick<ShownMember, 'type' | 'nullable' | 'many'> {
  return {
    type: kind === 'any' ? null : (values ?? model ?? kind),
    ...(nullable ? { nullable } : {}),
    ...(many ? { many } : {}),
  };
}

function memberChanges({ before, after }: Pair, isFirst: boolean): ReadonlyMap<string, Change> {
  if (isFirst || before === null || after === null) return new Map();
  const earlier = new Map(membersOf(before).map((each) => [each.name, each]));
  const kept = membersOf(after).map(({ name, was, meaning }): readonly [string, Change] => {
    const previous = earlier.get(name) ?? earlier.get(was ?? '');
    return [name, previous === undefined ? 'added' : previous.meaning === meaning ? 'same' : 'changed'];
  });
  return new Map([...removedMembers(before, after).map(({ name }) => [name, 'removed'] as const), ...kept]);
}

function removedMembers(before: Model, after: Model): readonly Member[] {
  const names = new Set(membersOf(after).flatMap(({ name, was }) => [name, was]));
  return membersOf(before).filter(({ name }) => !names.has(name));
}

/** Changed members first, since a box with many members does not show all of them. */
function shownModel({ name, before, after }: Pair, changes: ReadonlyMap<string, Change> | undefined): ShownModel {
  const removed = before !== null && after !== null ? removedMembers(before, after) : [];
  const changeOf = (each: Member): Change => changes?.get(each.name) ?? 'same';
  const all = [...membersOf(after ?? before), ...removed];
  const sorted = [
    ...all.filter((each) => changeOf(each) !== 'same'),
    ...all.filter((each) => changeOf(each) === 'same'),
  ];
  const members = (all.length > MOST_MEMBERS ? sorted : all).map((each) => ({
    ...each.shown,
    name: `${SIGNS[changeOf(each)]}${each.name}`,
  }));
  return { name, doc: null, entrypoints: [], members };
}

/** A box has at most so many rows, see `layoutOf`. */
const MOST_MEMBERS = 14;

function edgesOf(pairs: readonly Pair[]): readonly ShownEdge[] {
  const names = new Set(pairs.map(({ name }) => name));
  return pairs
    .flatMap(({ name, before, after }) =>
      ((after ?? before)?.references ?? []).map(({ name: reference, to, unique, nullable }) => ({
        from: name,
        to,
        reference,
        relation: null,
        unique,
        nullable,
      })),
    )
    .filter(({ to }) => names.has(to));
}

function nearChanges(changes: ReadonlyMap<string, Change>, edges: readonly ShownEdge[]): ReadonlySet<string> {
  const changed = new Set([...changes].flatMap(([name, change]) => (change === 'same' ? [] : [name])));
  const near = edges.filter(({ from }) => changed.has(from)).map(({ to }) => to);
  return new Set([...changed, ...near]);
}

function counted(changes: readonly Change[]): ChangedModels['count'] {
  const count = (change: Change): number => changes.filter((each) => each === change).length;
  return { added: count('added'), changed: count('changed'), removed: count('removed') };
}
