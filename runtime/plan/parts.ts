/**
 * The transactions of an endpoint. A call ends one, and what follows it is another, which reads the records again that it
 * names. An endpoint without calls has one part.
 */
import type { Action, Endpoint, ServiceCall } from '../../compiler/definition/endpoint.ts';
import type { Read } from '../../compiler/definition/expression.ts';
import { hasNode } from '../../compiler/definition/lookup.ts';
import { mentionsRead } from './mentions.ts';

export type PartAction = Exclude<Action, ServiceCall>;

export interface Transactional {
  /** Records of the parts before. */
  readonly again: readonly NamedRecord[];
  /** Whether it names the caller. */
  readonly needsCaller: boolean;
  readonly actions: readonly PartAction[];
}

export interface Part extends Transactional {
  /** Whether it is the first to change the record that the endpoint is about, so that `If-Match` must hold here. */
  readonly changesFirst: boolean;
  /** What ends it; null at the last one. */
  readonly call: { readonly action: ServiceCall; readonly onFailure: Transactional } | null;
}

export interface NamedRecord {
  readonly record: string;
  readonly model: string;
  readonly reads: readonly Read[];
}

export function partsOf(endpoint: Endpoint): readonly Part[] {
  const { response, head } = endpoint;
  const segments = segmentsOf(endpoint.actions);
  return segments.map(({ actions, call, onFailure }, at) => {
    const before = segments.slice(0, at).flatMap((segment) => segment.actions);
    const rest = [segments.slice(at), response, head];
    const part = transactional(actions, call?.hook ?? [response, head], before, rest, endpoint);
    const failed = () => transactional(onFailure, null, [...before, ...actions], rest, endpoint);
    const changes = (some: readonly PartAction[]) =>
      some.flatMap(targetOf).includes(endpoint.records.at(-1)?.record ?? '');
    const changesFirst = changes(actions) && !changes(before);
    return { ...part, changesFirst, call: call && { action: call, onFailure: failed() } };
  });
}

interface Segment {
  readonly actions: PartAction[];
  readonly onFailure: PartAction[];
  call: ServiceCall | null;
}

function segmentsOf(actions: readonly Action[]): readonly Segment[] {
  const newSegment = (): Segment => ({ actions: [], onFailure: [], call: null });
  const segments = [newSegment()];
  for (const action of actions) {
    const last = segments.at(-1) as Segment;
    if (action.kind === 'service-call') {
      last.call = action;
      segments.push(newSegment());
    } else if ('onFailure' in action) segments.at(-2)?.onFailure.push(action);
    else last.actions.push(action);
  }
  return segments;
}

/** `also` is what stands behind the actions and is evaluated with them, `rest` all that is done from here on. */
function transactional(
  actions: readonly PartAction[],
  also: unknown,
  before: readonly PartAction[],
  rest: unknown,
  endpoint: Endpoint,
): Transactional {
  const named = (name: string) => isNamed(name, [actions, also]);
  const deleted = new Set(before.filter(({ kind }) => kind === 'delete').flatMap(targetOf));
  const isDeleted = (action: PartAction) => targetOf(action).some((name) => deleted.has(name));
  // What the request has deleted stays as it was, under all of its names.
  for (const action of before) if (action.kind === 'update' && isDeleted(action)) deleted.add(action.record);
  const known: readonly NamedRecord[] = [...endpoint.records, ...before.flatMap(recordOf)];
  const again = known
    .filter(({ record }) => named(record) && !deleted.has(record))
    .map(({ record, model, reads }) => ({ record, model, reads: reads.filter(isNeeded(record, rest, endpoint)) }));
  return { again, needsCaller: named('@auth'), actions };
}

/** What only the parts before have used is not. What nobody names, such as the id of a lock, is for the runtime. */
function isNeeded(record: string, rest: unknown, endpoint: Endpoint): (read: Read) => boolean {
  const inLoop = hasNode(rest, ({ made }) => Array.isArray(made) && made.includes(record));
  const isWhole = hasNode(rest, (node) => node.kind === 'snapshot' && node.record === record && node.read === null);
  return ({ name }) =>
    inLoop ||
    isWhole ||
    name === 'id' ||
    mentionsRead(rest, record, name) ||
    !mentionsRead([endpoint.records, endpoint.authorize, endpoint.request, endpoint.actions], record, name);
}

function isNamed(name: string, value: unknown): boolean {
  return hasNode(value, ({ record, made }) => record === name || (Array.isArray(made) && made.includes(name)));
}

/** What is made or changed in a loop is out of sight behind it. A list that a query gave is a value, and stays as it is. */
export function recordOf(action: Action): readonly NamedRecord[] {
  if ('each' in action && action.each) return [];
  if (action.kind === 'create' || action.kind === 'update') return [action];
  if (action.kind !== 'query' || action.record === null) return [];
  const { does, record, query } = action;
  const isRecord = does.kind === 'find' || (does.kind === 'select' && query.cardinality !== 'many');
  return isRecord ? [{ record, model: query.model, reads: does.reads }] : [];
}

/** The name of the record that it changes or deletes. */
export function targetOf(action: Action): readonly string[] {
  const id =
    action.kind === 'update'
      ? action.id
      : action.kind === 'delete' && action.target.kind === 'id'
        ? action.target.id
        : null;
  return id?.kind === 'snapshot' ? [id.record] : [];
}
