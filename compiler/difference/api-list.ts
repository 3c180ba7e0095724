/** The lists of an API: the parameters in their query strings, as inputs that are compared like others, and how they search. */
import { listParameters } from '../definition/contract/list-parameters.ts';
import {
  type Endpoint,
  type ListField,
  type ListResponse,
  plainInput,
  type ValueInput,
} from '../definition/endpoint.ts';
import type { Type } from '../definition/expression.ts';
import { filterParameters } from '../definition/list-filters.ts';
import { boundOf } from '../definition/list-validation.ts';
import type { Route } from './api-routes.ts';
import { type Both, type Finding, quoted, type Say, saysAbout } from './api-rules.ts';
import { endpointSubject } from './api-subjects.ts';

/** A parameter in the query string of a list. */
export interface ListParameter {
  readonly path: string;
  readonly input: ValueInput;
  readonly from: 'query';
  /** What it takes in place of values of the type, and what these are called. */
  readonly takes?: { readonly noun: string; readonly names: readonly string[] };
  /** What becomes of a value if the parameter is removed. */
  readonly ifRemoved?: string;
}

/** The parameters for pages, order, search and filters. */
export function listParametersOf(endpoint: Endpoint): readonly ListParameter[] {
  const list = listOf(endpoint);
  if (list === null) return [];
  const parameters = Object.entries(listParameters(list)).map(([name, { schema }]): ListParameter => {
    if (schema.type === 'integer') return parameter(name, { kind: 'integer' }, limitsFrom(schema));
    if (schema.type === 'string') return parameter(name, { kind: 'string' });
    // Each key is there twice, for either direction.
    const names = schema.items.enum.filter((key) => !key.startsWith('-'));
    return { ...parameter(name, { kind: 'string', many: true }), takes: { noun: 'key', names } };
  });
  const filters = (list.filterable ?? []).map((field): ListParameter => {
    const forms = filterParameters(field);
    const { digits: _, ...type } = forms[0].type;
    return {
      ...parameter(field.name, type, field.normalise && { normalise: field.normalise }),
      takes: { noun: 'form', names: forms.map(({ name }) => name) },
      ifRemoved: 'it is ignored, and refused with an operator',
    };
  });
  return [...parameters, ...filters];
}

function parameter(name: string, type: Type, more: Partial<ValueInput> = {}): ListParameter {
  return { path: name, input: { ...plainInput(name, type), required: false, ...more }, from: 'query' };
}

function limitsFrom({ maximum, default: value }: { readonly maximum: number; readonly default: number }) {
  const literal = { kind: 'literal', type: { kind: 'integer' }, value } as const;
  return { validate: boundOf('max', maximum), default: literal };
}

/** The changes of lists beside those of their parameters. */
export function listChanges(routes: Both<Route>): readonly Finding[] {
  const lists = { before: listOf(routes.before.endpoint), after: listOf(routes.after.endpoint) };
  const subject = endpointSubject(routes.after);
  return [
    ...searchChanges(lists, saysAbout(subject, 'the query parameter `q`')),
    ...liveChanges(lists, saysAbout(subject)),
  ];
}

function liveChanges({ before, after }: Both<ListResponse | null>, say: Say): readonly Finding[] {
  if (before?.live === after?.live) return [];
  return after?.live
    ? [say('list-live', 'can be followed: the list is live')]
    : [say('list-not-live', 'cannot be followed any more: the list is not live')];
}

function listOf({ response }: Endpoint): ListResponse | null {
  return response.kind === 'list' ? response : null;
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
