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

type Change = ModelChange['change'] | 'same';

export interface ChangedModels {
  readonly graph: ModelGraph;
  /** The changes of models, and of their members. Unchanged ones are missing. */
  readonly changes: Readonly<Record<string, ModelChange>>;
  readonly count: Readonly<Record<Exclude<Change, 'same'>, number>>;
  /** Whether models are left out of the graph that have not changed. */
  readonly isPartial: boolean;
}

/** The limit of models that are all shown. Above it, only changed models are shown, with those that they refer to. */
const MOST_SHOWN = 30;

/** `before` is null for the first release, of which nothing has changed. */
export function changedModels(before: Definition | null, after: Definition): ChangedModels {
  const all = comparedModels(before, after);
  const names = new Set(all.map(({ name }) => name));
  const changed = all.filter(({ change }) => change !== 'same');
  const edges = all.flatMap((each) => each.edges).filter(({ to }) => names.has(to));
  const isPartial = all.length > MOST_SHOWN;
  const shown = isPartial ? nearChanges(changed, edges) : names;
  const count = (kind: Change): number => changed.filter(({ change }) => change === kind).length;
  return {
    graph: {
      models: all.filter(({ name }) => shown.has(name)).map(shownModel),
      edges: edges.filter(({ from, to }) => shown.has(from) && shown.has(to)),
    },
    changes: Object.fromEntries(changed.map((each) => [each.name, modelChange(each)])),
    count: { added: count('added'), changed: count('changed'), removed: count('removed') },
    isPartial,
  };
}

interface Compared {
  readonly name: string;
  readonly change: Change;
  /** Those that are drawn, the removed ones last. */
  readonly members: readonly { readonly shown: ShownMember; readonly change: Change }[];
  readonly edges: readonly ShownEdge[];
}

/** The models of `after`, then those that are removed. A renamed model is not removed. */
function comparedModels(before: Definition | null, after: Definition): readonly Compared[] {
  const later = sidesOf(after);
  if (before === null) return later.map((side) => comparedSide(side, 'same'));
  const earlier = sidesOf(before);
  const names = new Set(after.models.flatMap(({ name, was }) => [name, was]));
  return [
    ...later.map((side) => {
      const named = (wanted: string | null) => earlier.find(({ model }) => model.name === wanted);
      const former = named(side.model.name) ?? named(side.model.was);
      return former === undefined ? comparedSide(side, 'added') : comparedPair(former, side);
    }),
    ...earlier.filter(({ model }) => !names.has(model.name)).map((side) => comparedSide(side, 'removed')),
  ];
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

function comparedSide({ model, members, edges }: Side, change: Change): Compared {
  return { name: model.name, change, members: members.map((shown) => ({ shown, change: 'same' })), edges };
}

function comparedPair(before: Side, after: Side): Compared {
  const { name } = after.model;
  const change = meaningOf(before.model) === meaningOf(after.model) ? 'same' : 'changed';
  const [former, latter] = [membersOf(before), membersOf(after)];
  const earlier = new Map(former.map((each) => [each.shown.name, each]));
  const names = new Set(latter.flatMap(({ shown, was }) => [shown.name, was]));
  const members = latter.map(({ shown, was, meaning }) => {
    const previous = earlier.get(shown.name) ?? earlier.get(was ?? '');
    return {
      shown,
      change: previous === undefined ? 'added' : previous.meaning === meaning ? 'same' : 'changed',
    } as const;
  });
  const removed = former.filter(({ shown }) => !names.has(shown.name));
  const gone = removed.map(({ shown }) => ({ shown, change: 'removed' }) as const);
  return { name, change, members: [...members, ...gone], edges: after.edges };
}

function membersOf({ model: { fields, references, computed }, members }: Side) {
  const values = new Map([...fields, ...references, ...computed].map((value) => [value.name, value]));
  return members.map((shown) => {
    const value = values.get(shown.name);
    return { shown, was: value && 'was' in value ? value.was : null, meaning: meaningOf(value) };
  });
}

/** Serialises a value without descriptions and without hints for the migration. */
function meaningOf(value: unknown): string {
  return JSON.stringify(value, (key, part) => (WORDS.has(key) ? undefined : part));
}

const WORDS: ReadonlySet<string> = new Set(['doc', 'was', 'drops', 'backfill']);

function modelChange({ change, members }: Compared): ModelChange {
  const changed = members.filter((member) => member.change !== 'same');
  return { change, members: Object.fromEntries(changed.map((each) => [each.shown.name, each.change])) } as ModelChange;
}

/** Changed members first, since a box with many members does not show all of them. */
function shownModel({ name, members }: Compared): ShownModel {
  const isSame = (each: Compared['members'][number]) => each.change === 'same';
  const sorted = [...members.filter((each) => !isSame(each)), ...members.filter(isSame)];
  const inOrder = members.length > MOST_MEMBERS ? sorted : members;
  return { name, doc: null, entrypoints: [], members: inOrder.map(({ shown }) => shown) };
}

/** A box has at most so many rows, see `layoutOf`. */
const MOST_MEMBERS = 14;

function nearChanges(changed: readonly Compared[], edges: readonly ShownEdge[]): ReadonlySet<string> {
  const names = new Set(changed.map(({ name }) => name));
  return new Set([...names, ...edges.filter(({ from }) => names.has(from)).map(({ to }) => to)]);
}
