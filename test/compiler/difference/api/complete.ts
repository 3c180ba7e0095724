/** Whether all that an OpenAPI document shows is said, and nothing is said where there is nothing to see. */
import { expect } from 'chai';
import type { Definition } from '../../../../compiler/definition/definition.ts';
import { apiChanges } from '../../../../compiler/difference/api-changes.ts';
import type { Both, Rule } from '../../../../compiler/difference/api-rules.ts';
import { documentOf } from './edited.ts';

/** A document says in words, or not at all, what these are about. */
const UNSEEN: ReadonlySet<Rule> = new Set<Rule>([
  'input-stricter',
  'input-laxer',
  'input-check-changed',
  'error-code-changed',
  'input-default-changed',
  'parameter-default-changed',
  'input-normalised',
  'input-not-normalised',
  'input-unique',
  'input-not-unique',
  'input-finds-changed',
  'input-makes-record',
  'search-changed',
  'path-field-changed',
  'list-order-changed',
  'property-meaning-changed',
  'stored-value-changed',
  'refusal-changed',
]);

export function expectComplete({ before, after }: Both<Definition>, edit: string): void {
  const changes = apiChanges(before, after);
  if (seenIn(before) !== seenIn(after)) expect(changes, edit).to.not.deep.equal([]);
  else
    expect(
      changes.filter(({ rule }) => !UNSEEN.has(rule as Rule)).map(({ says }) => says),
      edit,
    ).to.deep.equal([]);
}

// ── Documents ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** All but the words, whatever the order. */
function seenIn(definition: Definition): string {
  const seen = SEEN.get(definition) ?? textOf(definition);
  SEEN.set(definition, seen);
  return seen;
}

/** Many edits begin with the same definition. */
const SEEN = new WeakMap<Definition, string>();

function textOf(definition: Definition): string {
  const { paths, components } = documentOf(definition);
  return inOrder({ paths, components });
}

const WORDS: ReadonlySet<string> = new Set(['summary', 'description', 'title']);

/** As JSON with the keys of objects and the items of lists in the order of the alphabet. */
function inOrder(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOrder).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isSeen = ([key, inner]: [string, unknown]) =>
    !(typeof inner === 'string' && WORDS.has(key)) && !(key === 'example' && 'schema' in value);
  const seen = Object.entries(value).filter(isSeen);
  return `{${seen
    .map(([key, inner]) => `${JSON.stringify(key)}:${inOrder(inner)}`)
    .sort()
    .join()}}`;
}
