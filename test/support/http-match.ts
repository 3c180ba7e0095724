/**
 * Whether an answer is the one that a case expects. JSON is compared by value, except that a problem document may have
 * more keys than the case names, except in `params`, and its `errors` any order: `message` and `title` are for people.
 * In expected JSON `"<any>"`, `"<string>"`, `"<integer>"`, `"<timestamp>"`, `"<date>"` and `"<uuid>"` stand for a value
 * of that form, and `"<name:anna>"` for any value, which is kept. In expected headers they stand for a part.
 */
import type { Answer, Body, Header } from './http-case.ts';

export interface SeenAnswer {
  readonly status: number;
  /** As they came: names in lower case, a repeated one several times. */
  readonly headers: readonly Header[];
  readonly body: string;
}

export type Kept = Map<string, unknown>;

/** What is wrong with an answer, a line each; nothing where it fits. Fills `kept`. */
export function mismatches(expected: Answer, seen: SeenAnswer, kept: Kept): readonly string[] {
  return [
    ...(expected.status === seen.status ? [] : [`status: expected ${expected.status}, seen ${seen.status}`]),
    ...expected.headers.flatMap(([name]) => headerMismatch(name, expected.headers, seen.headers)),
    ...bodyMismatches(expected.body, seen, kept),
    ...(isProblem(seen) ? problemFlaws(seen) : []),
  ];
}

/** Puts kept values into a text; a string as it is, anything else as JSON. */
export function filled(text: string, kept: Kept): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (!kept.has(name)) throw new Error(`nothing was kept as \`${name}\``);
    const value = kept.get(name);
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

const FORMS: Readonly<Record<string, { readonly pattern: RegExp; readonly type: string }>> = {
  string: { pattern: /^.*$/s, type: 'string' },
  integer: { pattern: /^-?\d+$/, type: 'number' },
  timestamp: { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z$/, type: 'string' },
  date: { pattern: /^\d{4}-\d\d-\d\d$/, type: 'string' },
  uuid: { pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, type: 'string' },
};

function headerMismatch(name: string, expected: readonly Header[], seen: readonly Header[]): readonly string[] {
  const wanted = valuesOf(expected, name);
  const found = valuesOf(seen, name);
  if (wanted[0] === '-' && wanted.length === 1)
    return found.length === 0 ? [] : [`${name}: expected none, seen ${found}`];
  const fits =
    wanted.length === found.length && wanted.every((value, at) => headerPattern(value).test(found[at] ?? ''));
  return fits ? [] : [`${name}: expected ${JSON.stringify(wanted)}, seen ${JSON.stringify(found)}`];
}

function valuesOf(headers: readonly Header[], name: string): readonly string[] {
  return headers.filter(([other]) => other === name).map(([, value]) => value);
}

function headerPattern(value: string): RegExp {
  const parts = value.split(/(<\w+>)/).map((part) => {
    if (part === '<any>') return '.*';
    const form = FORMS[part.slice(1, -1)];
    return form ? form.pattern.source.slice(1, -1) : part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}

function bodyMismatches(expected: Body | null, seen: SeenAnswer, kept: Kept): readonly string[] {
  if (expected === null) return seen.body === '' ? [] : [`body: expected none, seen ${seen.body}`];
  if (expected.kind === 'text')
    return expected.text === seen.body ? [] : [`body: expected ${expected.text}, seen ${seen.body}`];
  const value = jsonFromText(seen.body);
  if (value === undefined) return [`body: expected JSON, seen ${seen.body || 'nothing'}`];
  const difference = differenceBetween(JSON.parse(expected.text), value, {
    at: 'body',
    isProblem: isProblem(seen),
    kept,
  });
  return difference === null ? [] : [difference, `whole body: ${seen.body}`];
}

function jsonFromText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Place {
  readonly at: string;
  readonly isProblem: boolean;
  readonly kept: Kept;
}

/** The first place where two values differ. */
function differenceBetween(expected: unknown, seen: unknown, place: Place): string | null {
  const differs = `${place.at}: expected ${JSON.stringify(expected)}, seen ${JSON.stringify(seen)}`;
  if (typeof expected === 'string' && /^<.+>$/.test(expected)) return fits(expected, seen, place.kept) ? null : differs;
  if (Array.isArray(expected)) return Array.isArray(seen) ? listDifference(expected, seen, place) : differs;
  if (isObject(expected)) return isObject(seen) ? objectDifference(expected, seen, place) : differs;
  return expected === seen ? null : differs;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fits(placeholder: string, seen: unknown, kept: Kept): boolean {
  const word = placeholder.slice(1, -1);
  if (word.startsWith('name:')) {
    kept.set(word.slice('name:'.length), seen);
    return true;
  }
  if (word === 'any') return true;
  const form = FORMS[word];
  return form ? typeof seen === form.type && form.pattern.test(String(seen)) : seen === placeholder;
}

function listDifference(expected: readonly unknown[], seen: readonly unknown[], place: Place): string | null {
  if (expected.length !== seen.length) return `${place.at}: expected ${expected.length} items, seen ${seen.length}`;
  if (place.isProblem) return unorderedDifference(expected, seen, place);
  return first(expected, (item, at) => differenceBetween(item, seen[at], { ...place, at: `${place.at}[${at}]` }));
}

function unorderedDifference(expected: readonly unknown[], seen: readonly unknown[], place: Place): string | null {
  const left = [...seen];
  return first(expected, (item) => {
    const at = left.findIndex((other) => differenceBetween(item, other, place) === null);
    if (at < 0) return `${place.at}: expected one like ${JSON.stringify(item)}, seen ${JSON.stringify(left)}`;
    left.splice(at, 1);
    return null;
  });
}

function objectDifference(
  expected: Record<string, unknown>,
  seen: Record<string, unknown>,
  place: Place,
): string | null {
  const more = Object.keys(seen).filter((key) => !Object.hasOwn(expected, key));
  if (more.length > 0 && !place.isProblem) return `${place.at}: the keys ${more.join(', ')} are not expected`;
  return first(Object.entries(expected), ([key, value]) => {
    if (!Object.hasOwn(seen, key)) return `${place.at}: the key ${key} is missing`;
    const isProblem = place.isProblem && key !== 'params';
    return differenceBetween(value, seen[key], { ...place, isProblem, at: `${place.at}.${key}` });
  });
}

function first<T>(items: readonly T[], difference: (item: T, at: number) => string | null): string | null {
  for (const [at, item] of items.entries()) {
    const found = difference(item, at);
    if (found !== null) return found;
  }
  return null;
}

function isProblem({ headers }: SeenAnswer): boolean {
  return valuesOf(headers, 'content-type').some((type) => type.startsWith('application/problem+json'));
}

/** What every problem document has, whatever the case is about. */
function problemFlaws(seen: SeenAnswer): readonly string[] {
  const problem = jsonFromText(seen.body);
  if (!isObject(problem)) return [];
  const texts = ['type', 'title', 'code', 'requestId'].filter((key) => typeof problem[key] !== 'string');
  const isLogged = valuesOf(seen.headers, 'x-request-id').includes(String(problem.requestId));
  return [
    ...texts.map((key) => `problem: \`${key}\` is no text: ${seen.body}`),
    ...(problem.status === seen.status
      ? []
      : [`problem: its status is ${problem.status}, that of the answer ${seen.status}`]),
    ...(isLogged ? [] : ['problem: its requestId is not the x-request-id of the answer']),
  ];
}
