/**
 * Which endpoints a change may touch, without working out what they do. From one release to the next most of them are the
 * same. An endpoint is plain data that names models and their members, enums and validators: where the data is the same
 * and nothing that it names has changed, neither has the endpoint.
 */
import type { Definition, Endpoint, Model, Type } from '../definition/definition.ts';
import { keptBeside, keptFor } from '../definition/kept.ts';

/** It may say of an endpoint that has not changed that it has, but never the other way round. */
export type IsUntouched = (before: Endpoint, after: Endpoint) => boolean;

/** Several parts of a difference ask. */
export const untouchedBetween = keptBeside(
  (before: Definition, after: Definition): IsUntouched =>
    isSame(before.auth, after.auth) ? keptBeside(comparing(before, after)) : () => false,
);

function comparing(before: Definition, after: Definition): IsUntouched {
  const touched = touchedNames(before, after);
  return (one, other) => isSame(one, other) && (!mayBeTouched(other, touched) || !isTouched(namesIn(other), touched));
}

/** Of plain data, without words for people. Definitions are large: no text is made of them. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one)) return Array.isArray(other) && areSame(one, other);
  const [left, right] = [one as Node, other as Node];
  let more = 0;
  for (const key in left) {
    if (key !== 'doc' && !isSame(left[key], right[key])) return false;
    more--;
  }
  for (const _ in right) more++;
  return more === 0 || hasSameKeys(left, right);
}

/** Going through an array by its keys would make a text of each index. */
function areSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (!isSame(left[at], right[at])) return false;
  return true;
}

/** A key may be there without a value. */
function hasSameKeys(left: Node, right: Node): boolean {
  return Object.keys(right).every((key) => key in left || key === 'doc' || right[key] === undefined);
}

type Node = Readonly<Record<string, unknown>>;

// ── What has changed ────────────────────────────────────────────────────────────────────────────────────────────────

interface TouchedNames {
  /** Enums and validators. */
  readonly others: ReadonlySet<string>;
  /** By model, the members that are not what they were, or read what is not. */
  readonly members: ReadonlyMap<string, Members>;
}

type Members = Set<string> | 'all';

function touchedNames(before: Definition, after: Definition): TouchedNames {
  const others = new Set([...differing(before.enums, after.enums), ...differing(before.validators, after.validators)]);
  const members = new Map<string, Members>();
  const pairs = pairsByName(before.models, after.models);
  for (const [name, [one, other]] of pairs) {
    const changed = one && other ? changedMembers(one, other, others) : 'all';
    if (changed === 'all' || changed.size > 0) members.set(name, changed);
  }
  for (const models of [before.models, after.models]) markReferenced(models, pairs, members);
  markReaders([...before.models, ...after.models], { others, members });
  return { others, members };
}

interface Named {
  readonly name: string;
}

function pairsByName<T extends Named>(
  before: readonly T[],
  after: readonly T[],
): ReadonlyMap<string, readonly [T | undefined, T | undefined]> {
  const latter = new Map(after.map((each) => [each.name, each]));
  const pairs = new Map<string, readonly [T | undefined, T | undefined]>(
    before.map((each) => [each.name, [each, latter.get(each.name)]]),
  );
  for (const each of after) if (!pairs.has(each.name)) pairs.set(each.name, [undefined, each]);
  return pairs;
}

function differing(before: readonly Named[], after: readonly Named[]): readonly string[] {
  return [...pairsByName(before, after)].flatMap(([name, [one, other]]) => (isSame(one, other) ? [] : [name]));
}

/** What is unique, and what has an index, is about the model as a whole. */
function changedMembers(one: Model, other: Model, others: ReadonlySet<string>): Members {
  if (one === other && others.size === 0) return new Set();
  const { uniques, indexes, table } = one;
  const hasSameKeys = isSame(uniques, other.uniques) && isSame(indexes, other.indexes) && table === other.table;
  if (!hasSameKeys || !isSame(keysOf(one), keysOf(other))) return 'all';
  const changed = MEMBERS.flatMap((kind) => [
    ...(kind === 'fields' ? differing(asRead(one), asRead(other)) : differing(one[kind], other[kind])),
    ...other[kind].flatMap((member) => (others.size > 0 && hasAny(namesIn(member).texts, others) ? [member.name] : [])),
  ]);
  return new Set(changed);
}

/** What a field accepts is nothing to those that read it, and those that write it say it in their inputs. */
function asRead({ fields }: Model): readonly Named[] {
  return fields.map((field) => ({ ...field, validate: null }));
}

const MEMBERS = ['fields', 'references', 'relations', 'computed', 'queries', 'hooks'] as const;

function keysOf({ fields }: Model): readonly unknown[] {
  return fields.filter(({ unique, index }) => unique || index).map(({ name, unique, index }) => [name, unique, index]);
}

/** What refers to a record decides whether it can be deleted, also through records that are deleted with it. */
function markReferenced(
  models: readonly Model[],
  pairs: ReadonlyMap<string, readonly [Model | undefined, Model | undefined]>,
  members: Map<string, Members>,
): void {
  const byName = new Map(models.map((model) => [model.name, model]));
  const start = [...pairs].filter(([, [one, other]]) => !isSame(one?.references, other?.references));
  const marked = new Set(start.map(([name]) => name));
  // The set grows while it is gone through.
  for (const name of marked) for (const { to } of byName.get(name)?.references ?? []) marked.add(to);
  for (const name of marked) members.set(name, 'all');
}

/** Computed members, queries and hooks may read members of other models, and each other. */
function markReaders(
  models: readonly Model[],
  touched: TouchedNames & { readonly members: Map<string, Members> },
): void {
  if (touched.members.size === 0 && touched.others.size === 0) return;
  let rest = [...new Set(models.flatMap((model) => readersIn(model)))];
  for (let isMore = true; isMore; ) {
    const found = rest.filter((reader) => isReaderTouched(reader, touched));
    for (const { model, name } of found) addMember(touched.members, model, name);
    const done = new Set(found);
    rest = rest.filter((reader) => !done.has(reader));
    isMore = found.length > 0;
  }
}

interface Reader {
  readonly model: string;
  readonly name: string;
  readonly member: object;
}

function isReaderTouched({ model, member }: Reader, touched: TouchedNames): boolean {
  if (!touched.members.has(model) && !mayBeTouched(member, touched)) return false;
  const names = namesInMember(member);
  return isTouched(names, touched) || isTouchedIn(model, names, touched);
}

const readersIn = keptFor(({ name: model, computed, queries, hooks }: Model): readonly Reader[] =>
  [...computed, ...queries, ...hooks].map((member) => ({ model, name: member.name, member })),
);

/** Worked out only for members that may be touched. */
const namesInMember = keptFor((member: object) => namesIn(member));

function addMember(members: Map<string, Members>, model: string, name: string): void {
  const known = members.get(model);
  if (known === 'all') return;
  if (known === undefined) members.set(model, new Set([name]));
  else known.add(name);
}

// ── What is named ───────────────────────────────────────────────────────────────────────────────────────────────────

interface Names {
  readonly models: ReadonlySet<string>;
  /** All texts: names of members, enums and validators are among them. */
  readonly texts: ReadonlySet<string>;
}

function isTouched({ models, texts }: Names, { others, members }: TouchedNames): boolean {
  if (hasAny(texts, others)) return true;
  for (const model of models) {
    const changed = members.get(model);
    if (changed === 'all' || (changed !== undefined && hasAny(texts, changed))) return true;
  }
  return false;
}

/** Whether it names a model of which anything has changed, or an enum or a validator: few do, and it is soon seen. */
function mayBeTouched(part: object, { others, members }: TouchedNames): boolean {
  return others.size > 0 || modelsNamedIn(part).some((model) => members.has(model));
}

/** Whether it names a member of this very model, which it need not name. */
function isTouchedIn(model: string, { texts }: Names, { members }: TouchedNames): boolean {
  const changed = members.get(model);
  return changed === 'all' || (changed !== undefined && hasAny(texts, changed));
}

function hasAny(texts: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  const [few, many] = texts.size < wanted.size ? [texts, wanted] : [wanted, texts];
  for (const each of few) if (many.has(each)) return true;
  return false;
}

/**
 * All names would take much memory, and few endpoints are looked at more closely. The same endpoints, and the same
 * selections in them, come again.
 */
const modelsNamedIn = keptFor((part: object): readonly string[] => {
  const models = new Set<string>();
  collectModels(part, models);
  return [...models];
});

function collectModels(node: object, models: Set<string>): void {
  if (Array.isArray(node)) {
    for (const inner of node) if (typeof inner === 'object' && inner !== null) collectModels(inner, models);
    return;
  }
  for (const key in node) {
    const inner = (node as Node)[key];
    if (typeof inner === 'object') {
      if (inner !== null) collectModelsAt(key, inner, models);
    } else if ((key === 'model' || key === 'of') && typeof inner === 'string') models.add(inner);
  }
}

/** Every value has a type, and few types name a model. The endpoints of an entrypoint share a selection, most of each. */
function collectModelsAt(key: string, inner: object, models: Set<string>): void {
  if (key === 'type') {
    const { model } = inner as Type;
    if (model !== undefined) models.add(model);
  } else if (key === 'select') for (const model of modelsNamedIn(inner)) models.add(model);
  else collectModels(inner, models);
}

function namesIn(node: unknown): Names {
  const names = { models: new Set<string>(), texts: new Set<string>() };
  collectNames(node, names);
  return names;
}

/** Models are named under two keys, and nowhere else. */
function collectNames(node: unknown, names: { readonly models: Set<string>; readonly texts: Set<string> }): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const inner of node) {
      if (typeof inner === 'string') names.texts.add(inner);
      else collectNames(inner, names);
    }
    return;
  }
  for (const key in node) {
    const inner = (node as Node)[key];
    if (typeof inner === 'object') collectNames(inner, names);
    else if (typeof inner !== 'string') continue;
    else if (key === 'model' || key === 'of') names.models.add(inner);
    else names.texts.add(inner);
  }
}
