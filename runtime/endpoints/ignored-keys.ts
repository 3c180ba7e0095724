/**
 * Keys of a body that no input takes. A client that misspells one gets no error, so a server in development tells its
 * author. Only names are told, never values.
 */
import type { Input } from '../../compiler/definition/endpoint.ts';
import type { Sent } from '../request/inputs.ts';

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

/** Null where every key is an input. */
export function ignoredKeys(sent: Sent, inputs: readonly Input[]): Pick<IgnoredKeys, 'keys' | 'more'> | null {
  const unknown = [...unknownKeys(sent, inputs), ...inputs.flatMap((input) => unknownInGroup(sent, input))];
  if (unknown.length === 0) return null;
  return { keys: unknown.slice(0, MOST_KEYS).map(printable), more: Math.max(0, unknown.length - MOST_KEYS) };
}

function unknownKeys(sent: Sent, inputs: readonly Input[]): readonly string[] {
  const known = new Set(inputs.map(({ name }) => name));
  return Object.keys(sent).filter((key) => !known.has(key));
}

function unknownInGroup(sent: Sent, input: Input): readonly string[] {
  const value = input.kind === 'group' && Object.hasOwn(sent, input.name) ? sent[input.name] : null;
  if (input.kind !== 'group' || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return unknownKeys(value as Sent, input.inputs).map((key) => `${input.name}.${key}`);
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
