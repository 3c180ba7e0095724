/**
 * Finds the endpoints that a change may touch, without computing what they do. Most endpoints are the same data and
 * name only unchanged members of models.
 */
import type { Definition, Field, Model } from '../definition/definition.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import { memoized, memoizedBeside } from '../definition/memo.ts';

/** Tells whether an endpoint is untouched. It may call an unchanged endpoint changed, but never the other way round. */
type IsUntouched = (before: Endpoint, after: Endpoint) => boolean;

/** Memoized, because several parts of a difference need it. */
export const untouchedBetween = memoizedBeside((before: Definition, after: Definition): IsUntouched => {
  if (textOfOthers(before) !== textOfOthers(after)) return () => false;
  const touched = touchedMembers(before, after);
  return (one, other) => textOf(one) === textOf(other) && !touched.isReadBy(textOf(other));
});

/** Both definitions without the endpoints that have the same id and cannot differ, which are most of them. */
export function withoutUntouched(before: Definition, after: Definition): readonly [Definition, Definition] {
  const isUntouched = untouchedBetween(before, after);
  const former = new Map(before.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const same = new Set(
    after.endpoints.flatMap((endpoint) => {
      const one = former.get(endpoint.id);
      return one && isUntouched(one, endpoint) ? [endpoint.id] : [];
    }),
  );
  const rest = (definition: Definition): Definition => ({
    ...definition,
    endpoints: definition.endpoints.filter(({ id }) => !same.has(id)),
  });
  return [rest(before), rest(after)];
}

/** The text of the parts that any endpoint may depend on without naming them. */
function textOfOthers({ enums, validators, auth }: Definition): string {
  return JSON.stringify([enums, validators, auth]);
}

type Member = Field | Model['computed' | 'queries' | 'hooks' | 'relations' | 'references'][number];

const textOf = memoized((part: Endpoint | Model | Member) => JSON.stringify(part));

/** The name for all members of a model. */
const EVERY = '*';

/** Members that have changed, or depend on changed ones, by their models. */
class Members {
  readonly #names = new Map<string, Set<string>>();

  add(model: string, member: string): void {
    this.#names.set(model, (this.#names.get(model) ?? new Set()).add(member));
  }

  has(model: string, member: string): boolean {
    return this.#names.get(model)?.has(member) ?? false;
  }

  isReadBy(text: string): boolean {
    return [...text.matchAll(NAMED)].some(([, model = '']) => {
      const members = this.#names.get(model);
      return members !== undefined && [...members].some((member) => member === EVERY || text.includes(`"${member}"`));
    });
  }
}

/**
 * Models are named under two keys, and nowhere else. Texts of authors may look so too, and like names of members, which
 * touches more than needed.
 */
const NAMED = /"(?:model|of)":"(\w+)"/g;

function touchedMembers(before: Definition, after: Definition): Members {
  const touched = new Members();
  const former = new Map(before.models.map((model) => [model.name, model]));
  const latter = new Map(after.models.map((model) => [model.name, model]));
  for (const name of new Set([...former.keys(), ...latter.keys()])) {
    for (const member of differing(former.get(name), latter.get(name))) touched.add(name, member);
  }
  for (const model of deletable(former, latter)) touched.add(model, EVERY);
  const readers = [...before.models, ...after.models].flatMap(({ name, computed, queries, hooks }) =>
    [...computed, ...queries, ...hooks].map((member) => ({ model: name, member: member.name, text: textOf(member) })),
  );
  for (let isGrowing = readers.length > 0; isGrowing; ) {
    const found = readers.filter(({ model, member, text }) => !touched.has(model, member) && touched.isReadBy(text));
    for (const { model, member } of found) touched.add(model, member);
    isGrowing = found.length > 0;
  }
  return touched;
}

/**
 * The members that differ. A unique field is checked in each request that creates a record, even if the request does
 * not name it.
 */
function differing(before: Model | undefined, after: Model | undefined): readonly string[] {
  if (before === undefined || after === undefined || othersOf(before) !== othersOf(after)) return [EVERY];
  const [former, latter] = [membersOf(before), membersOf(after)];
  return [...former, ...latter].flatMap((member) => {
    const isSame = [former, latter].every((all) => all.some((each) => textOf(each) === textOf(member)));
    return isSame ? [] : ['unique' in member && member.unique ? EVERY : member.name];
  });
}

function othersOf({ table, was, uniques, indexes }: Model): string {
  return JSON.stringify([table, was, uniques, indexes]);
}

function membersOf({ fields, references, relations, computed, queries, hooks }: Model): readonly Member[] {
  return [...fields, ...references, ...relations, ...computed, ...queries, ...hooks];
}

/**
 * The models whose deletion may have changed. References to a record decide whether it can be deleted, also through
 * records that are deleted with it.
 */
function deletable(before: ReadonlyMap<string, Model>, after: ReadonlyMap<string, Model>): ReadonlySet<string> {
  const textIn = (models: ReadonlyMap<string, Model>, name: string) => JSON.stringify(models.get(name)?.references);
  const reached = new Set(
    [...before.keys(), ...after.keys()].filter((name) => textIn(before, name) !== textIn(after, name)),
  );
  // The set grows during the loop.
  for (const name of reached) {
    for (const models of [before, after]) for (const { to } of models.get(name)?.references ?? []) reached.add(to);
  }
  return reached;
}
