/**
 * Keys of a body, and names of a query string, that nothing takes. A client that misspells one gets no error, so a server in development tells its
 * author. Only names are told, never values.
 */
import { listParameters } from '../../compiler/definition/contract/list-parameters.ts';
import type { Endpoint, Input } from '../../compiler/definition/endpoint.ts';
import { filterParameters } from '../../compiler/definition/list-filters.ts';
import { isObject, type Sent } from '../request/inputs.ts';

export interface IgnoredKeys {
  readonly method: string;
  readonly route: string;
  /** The first ones, each cut to a bounded length, without characters that a terminal would obey. */
  readonly keys: readonly string[];
  /** How many there are besides. */
  readonly more: number;
}

const MOST_KEYS = 10;
const LONGEST_KEY = 60;

/** Lists the unknown keys; null where every key of a body or a query string is taken. */
export function ignoredKeys(sent: Sent, endpoint: Taking): Pick<IgnoredKeys, 'keys' | 'more'> | null {
  const unknown =
    endpoint.request.from === 'query' ? unknownKeys(sent, takenParameters(endpoint)) : unknownInBody(sent, endpoint);
  if (unknown.length === 0) return null;
  return { keys: unknown.slice(0, MOST_KEYS).map(printable), more: Math.max(0, unknown.length - MOST_KEYS) };
}

type Taking = Pick<Endpoint, 'request' | 'response'>;

function unknownInBody(body: Sent, { request: { inputs, under } }: Taking): readonly string[] {
  if (under === undefined) return unknownIn(body, inputs);
  const inner = unknownIn((body[under] ?? {}) as Sent, inputs);
  return [...unknownKeys(body, [{ name: under }]), ...inner.map((key) => `${under}.${key}`)];
}

/** What may stand in the query string. */
export function takenParameters({ request, response }: Taking): readonly Pick<Input, 'name'>[] {
  if (response.kind !== 'list') return request.inputs;
  const ofList = Object.keys(listParameters(response)).map((name) => ({ name }));
  const filters = (response.filterable ?? []).flatMap(filterParameters);
  return [...request.inputs, ...ofList, ...filters];
}

function unknownIn(sent: Sent, inputs: readonly Input[]): readonly string[] {
  return [...unknownKeys(sent, inputs), ...inputs.flatMap((input) => unknownInside(sent, input))];
}

function unknownKeys(sent: Sent, inputs: readonly Pick<Input, 'name'>[]): readonly string[] {
  const known = new Set(inputs.map(({ name }) => name));
  return Object.keys(sent).filter((key) => !known.has(key));
}

function unknownInside(sent: Sent, input: Input): readonly string[] {
  if (input.kind === 'value' || !Object.hasOwn(sent, input.name)) return [];
  const value = sent[input.name];
  const isOfList = input.kind === 'list';
  const objects = (isOfList && Array.isArray(value) ? value : [value]).filter(isObject);
  const unknown = new Set(objects.flatMap((each) => unknownKeys(each, input.inputs)));
  return [...unknown].map((key) => `${input.name}${isOfList ? '[]' : ''}.${key}`);
}

function printable(key: string): string {
  const short = key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key;
  return short.replace(/\p{C}/gu, '\uFFFD');
}

export function ignoredText({ method, route, keys, more }: IgnoredKeys): string {
  const named = [...keys.map((key) => `\`${key}\``), ...(more === 0 ? [] : [`${more} more`])];
  const names = keys.length + more === 1 ? 'this name' : 'these names';
  return `${method} ${route} ignores ${named.join(', ')}: no input has ${names}`;
}
