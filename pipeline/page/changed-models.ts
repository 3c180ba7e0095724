/** The models of two definitions together, and what became of each of them and of its members. */
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { ModelChange } from '../../runtime/console/api/console-options.ts';
import {
  type ModelGraph,
  type ShownEdge,
  type ShownMember,
  type ShownModel,
  wholeGraphFrom,
} from '../../runtime/console/model-graph.ts';

export type Change = 'added' | 'changed' | 'removed' | 'same';

export const SIGNS: Readonly<Record<Change, string>> = { added: '+ ', changed: '~ ', removed: '− ', same: '' };

export interface ChangedModels {
  /** The graph. The names of members have their signs, which take space in a drawing. */
  readonly graph: ModelGraph;
  /** The changes of models, and of their members. Unchanged ones are missing. */
  readonly changes: Readonly<Record<string, ModelChange>>;
  readonly ofModel: (model: string) => Change;
  /** The change of a member, by its name in the graph. */
  readonly ofMember: (model: string, member: string) => Change;
  readonly count: Readonly<Record<Exclude<Change, 'same'>, number>>;
  /** Whether models are left out of the graph that have not changed. */
  readonly isPartial: boolean;
}

/** The limit of models that are all shown. Above it, only changed models are shown, with those that they refer to. */
const MOST_SHOWN = 30;

/** `before` is null for the first release, of which nothing has changed. */
export function changedModels(before: Definition | null, after: Definition): ChangedModels {
  const [earlier, later] = [before === null ? [] : sidesOf(before), sidesOf(after)];
  const all = [...later.map((side) => pairOf(side, earlier)), ...removedModels(earlier, after)];
  const changes = new Map(all.map((pair) => [pair.name, modelChange(pair, before === null)]));
  const members = new Map(all.map((pair) => [pair.name, memberChanges(pair, before === null)]));
  const ofModel = (model: string): Change => changes.get(model) ?? 'same';
  const edges = all.flatMap((pair) => (pair.after ?? pair.before)?.edges ?? []).filter(({ to }) => changes.has(to));
  const shown = all.length <= MOST_SHOWN ? null : nearChanges(changes, edges);
  const isShown = (name: string): boolean => shown === null || shown.has(name);
  return {
    graph: {
      models: all.filter(({ name }) => isShown(name)).map((pair) => shownModel(pair, members.get(pair.name))),
      edges: edges.filter(({ from, to }) => isShown(from) && isShown(to)),
    },
    changes: Object.fromEntries(
      [...changes].flatMap(([name, change]) => {
        const ofMembers = [...(members.get(name) ?? [])].filter((each) => each[1] !== 'same');
        return change === 'same' ? [] : [[name, { change, members: Object.fromEntries(ofMembers) } as ModelChange]];
      }),
    ),
    ofModel,
    ofMember: (model, member) => members.get(model)?.get(member.replace(/^[+~−] /, '')) ?? 'same',
    count: counted([...changes.values()]),
    isPartial: shown !== null,
  };
}

/** A model of one of the definitions, and what is drawn of it. */
interface Side {
  readonly model: Model;
  readonly members: readonly ShownMember[];
  readonly edges: readonly ShownEdge[];
}

function sidesOf(definition: Definition): readonly Side[] {
  const { models, edges } = wholeGraphFrom(definition);
  return definition.models.map((model, at) => ({
    model,
    members: (models[at]?.members ?? []).filter(({ kind }) => DRAWN.has(kind)),
    // Lines are labelled with their references alone.
    edges: edges.filter(({ from }) => from === model.name).map((edge) => ({ ...edge, relation: null })),
  }));
}

const DRAWN: ReadonlySet<string> = new Set(['field', 'reference', 'computed']);

/** One of them is there at least. */
interface Pair {
  readonly name: string;
  readonly before: Side | null;
  readonly after: Side | null;
}

function pairOf(after: Side, before: readonly Side[]): Pair {
  const { name, was } = after.model;
  const named = (wanted: string | null) => before.find(({ model }) => model.name === wanted);
  return { name, before: named(name) ?? named(was) ?? null, after };
}

/** Finds the removed models. A renamed model is not removed. */
function removedModels(before: readonly Side[], { models }: Definition): readonly Pair[] {
  const names = new Set(models.flatMap(({ name, was }) => [name, was]));
  const removed = before.filter(({ model }) => !names.has(model.name));
  return removed.map((side) => ({ name: side.model.name, before: side, after: null }));
}

function modelChange({ before, after }: Pair, isFirst: boolean): Change {
  if (isFirst) return 'same';
  if (before === null || after === null) return before === null ? 'added' : 'removed';
  return meaningOf(before.model) === meaningOf(after.model) ? 'same' : 'changed';
}

/** Serialises a value without descriptions and without hints for the migration. */
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

function membersOf(side: Side | null): readonly Member[] {
  const { fields = [], references = [], computed = [] } = side?.model ?? {};
  const values = new Map([...fields, ...references, ...computed].map((value) => [value.name, value]));
  return (side?.members ?? []).map((shown) => {
    const value = values.get(shown.name);
    const was = value && 'was' in value ? value.was : null;
    return { name: shown.name, was, meaning: meaningOf(value), shown };
  });
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

function removedMembers(before: Side, after: Side): readonly Member[] {
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

function nearChanges(changes: ReadonlyMap<string, Change>, edges: readonly ShownEdge[]): ReadonlySet<string> {
  const changed = new Set([...changes].flatMap(([name, change]) => (change === 'same' ? [] : [name])));
  const near = edges.filter(({ from }) => changed.has(from)).map(({ to }) => to);
  return new Set([...changed, ...near]);
}

function counted(changes: readonly Change[]): ChangedModels['count'] {
  const count = (change: Change): number => changes.filter((each) => each === change).length;
  return { added: count('added'), changed: count('changed'), removed: count('removed') };
}
