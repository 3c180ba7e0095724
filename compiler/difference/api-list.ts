/** The parameters in the query string of a list: pages, order, search and filters. */
import { listParameters } from '../definition/contract/list-parameters.ts';
import type { Endpoint, ListField, ListResponse } from '../definition/endpoint.ts';
import { filterParameters } from '../definition/list-filters.ts';
import { normaliseFindings, typeFindings } from './api-request.ts';
import type { Route } from './api-routes.ts';
import { type Both, type Finding, quoted, type Say } from './api-rules.ts';
import { endpointSubject, valueChanges } from './api-subjects.ts';

export function listChanges(routes: Both<Route>): readonly Finding[] {
  const [before, after] = [listOf(routes.before.endpoint), listOf(routes.after.endpoint)];
  const say = (name: string): Say => {
    const subject = endpointSubject(routes.after);
    return (rule, says) => ({ rule, says: `the query parameter ${quoted(name)} ${says}`, subject });
  };
  return [
    ...byName(parametersOf(before), parametersOf(after), say, parameterChanges),
    ...gone(parametersOf(before), parametersOf(after), say, 'is removed: a value that is sent is ignored'),
    ...byName(filtersOf(before), filtersOf(after), say, (fields, tell) => filterChanges(fields, routes, tell)),
    ...gone(filtersOf(before), filtersOf(after), say, 'is removed: it is ignored, and refused with an operator'),
    ...searchChanges({ before, after }, say('q')),
    ...liveChanges({ before, after }, routes),
  ];
}

function liveChanges({ before, after }: Both<ListResponse | null>, routes: Both<Route>): readonly Finding[] {
  if (before?.live === after?.live) return [];
  const subject = endpointSubject(routes.after);
  return after?.live
    ? [{ rule: 'list-live', says: 'can be followed: the list is live', subject }]
    : [{ rule: 'list-not-live', says: 'cannot be followed any more: the list is not live', subject }];
}

function listOf({ response }: Endpoint): ListResponse | null {
  return response.kind === 'list' ? response : null;
}

/** Finds new parameters, and the changes of the others. */
function byName<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  say: (name: string) => Say,
  changes: (both: Both<T>, say: Say) => readonly Finding[],
): readonly Finding[] {
  return [...after].flatMap(([name, latter]) => {
    const former = before.get(name);
    if (former === undefined) return [say(name)('input-added-optional', 'is new')];
    return changes({ before: former, after: latter }, say(name));
  });
}

function gone(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
  say: (name: string) => Say,
  words: string,
): readonly Finding[] {
  const names = [...before.keys()].filter((name) => !after.has(name));
  return names.map((name) => say(name)('input-removed', words));
}

// ── Pages, order, search ────────────────────────────────────────────────────────────────────────────────────────────

type Parameter = ReturnType<typeof listParameters>[string];

function parametersOf(list: ListResponse | null): ReadonlyMap<string, Parameter> {
  return new Map(list === null ? [] : Object.entries(listParameters(list)));
}

function parameterChanges({ before, after }: Both<Parameter>, say: Say): readonly Finding[] {
  const [former, latter] = [before.schema, after.schema];
  if (former.type === 'integer' && latter.type === 'integer')
    return integerChanges({ before: former, after: latter }, say);
  if (former.type === 'array' && latter.type === 'array')
    return keyChanges({ before: former.items.enum, after: latter.items.enum }, say);
  return [];
}

type IntegerSchema = Extract<Parameter['schema'], { readonly type: 'integer' }>;

function integerChanges({ before, after }: Both<IntegerSchema>, say: Say): readonly Finding[] {
  const says = `must be at most ${after.maximum} now, not ${before.maximum}`;
  const isStricter = after.maximum < before.maximum;
  return [
    ...(after.maximum === before.maximum ? [] : [say(isStricter ? 'input-stricter' : 'input-laxer', says)]),
    ...(after.default === before.default
      ? []
      : [
          say(
            'parameter-default-changed',
            `has the default ${quoted(String(after.default))} now, not ${quoted(String(before.default))}`,
          ),
        ]),
  ];
}

/** Each key is there twice, for either direction. */
function keyChanges({ before, after }: Both<readonly string[]>, say: Say): readonly Finding[] {
  const isKey = (name: string) => !name.startsWith('-');
  return takenChanges({ before: before.filter(isKey), after: after.filter(isKey) }, 'key', say);
}

function searchChanges({ before, after }: Both<ListResponse | null>, say: Say): readonly Finding[] {
  const [former, latter] = [before?.searchable, after?.searchable];
  if (former === undefined || latter === undefined) return [];
  const changes: readonly Both<string>[] = [
    { before: `in ${namesOf(former)}`, after: `in ${namesOf(latter)}` },
    { before: stemsOf(before), after: stemsOf(after) },
    { before: lastWordOf(before), after: lastWordOf(after) },
  ];
  return changes
    .filter((each) => each.before !== each.after)
    .map((each) => say('search-changed', `looks ${each.after} now, not ${each.before}`));
}

function stemsOf(list: ListResponse | null): string {
  return list?.search?.language ? `for stems of ${quoted(list.search.language)}` : 'for words as they are';
}

function lastWordOf(list: ListResponse | null): string {
  return list?.search?.prefix ? 'for the beginning of the last word' : 'for the whole last word';
}

function namesOf(fields: readonly ListField[]): string {
  return fields.map(({ name }) => quoted(name)).join(', ');
}

// ── Filters ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function filtersOf(list: ListResponse | null): ReadonlyMap<string, ListField> {
  return new Map(list?.filterable?.map((field) => [field.name, field]) ?? []);
}

function filterChanges({ before, after }: Both<ListField>, routes: Both<Route>, say: Say): readonly Finding[] {
  const [former, latter] = [filterParameters(before), filterParameters(after)];
  const types = { before: former[0].type, after: latter[0].type };
  const changed = typeFindings(types, say);
  const isEnum = types.before.kind === 'enum' && types.after.kind === 'enum';
  const names = { before: types.before.enum ?? '', after: types.after.enum ?? '' };
  return [
    ...changed,
    ...(isEnum ? valueChanges(names, routes, 'request', quoted(after.name)) : []),
    ...takenChanges({ before: former.map(({ name }) => name), after: latter.map(({ name }) => name) }, 'form', say),
    ...normaliseFindings({ before: before.normalise ?? [], after: after.normalise ?? [] }, say),
  ];
}

function takenChanges({ before, after }: Both<readonly string[]>, noun: string, say: Say): readonly Finding[] {
  const gone = before.filter((name) => !after.includes(name));
  const come = after.filter((name) => !before.includes(name));
  return [
    ...gone.map((name) => say('input-value-removed', `does not take the ${noun} ${quoted(name)} any more`)),
    ...come.map((name) => say('input-value-added', `takes the ${noun} ${quoted(name)} now`)),
  ];
}
