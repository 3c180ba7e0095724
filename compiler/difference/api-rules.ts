/** The rules that clients live by, and how much each of them matters. docs/compatibility.md has an example for each. */
import { pathTemplate } from '../definition/contract/routes.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import type { Expression, Type } from '../definition/expression.ts';
import { isTextInJson } from '../definition/scalars.ts';
import type { ApiChange, Subject } from './difference.ts';

export const RULES = {
  'endpoint-removed': 'breaking',
  'endpoint-moved': 'breaking',
  'endpoint-added': 'compatible',
  'webhook-removed': 'breaking',
  'webhook-added': 'compatible',
  'operation-renamed': 'compatible',
  'schema-renamed': 'compatible',

  'token-required': 'breaking',
  'token-not-required': 'compatible',
  'token-read': 'compatible',
  'signature-required': 'breaking',
  'signature-not-required': 'compatible',

  'input-added-required': 'breaking',
  'input-added-optional': 'compatible',
  'input-removed': 'breaking',
  'input-moved': 'breaking',
  'input-became-required': 'breaking',
  'input-became-optional': 'compatible',
  'input-type-changed': 'breaking',
  'input-type-wider': 'compatible',
  'input-not-nullable': 'breaking',
  'input-nullable': 'compatible',
  'input-value-removed': 'breaking',
  'input-value-added': 'compatible',
  'input-stricter': 'breaking',
  'input-laxer': 'compatible',
  'input-check-changed': 'breaking',
  'error-code-changed': 'breaking',
  'refusal-added': 'breaking',
  'refusal-removed': 'compatible',
  'refusal-status-changed': 'breaking',
  'refusal-changed': 'breaking',
  'transactions-changed': 'compatible',
  'input-default-changed': 'compatible',
  'parameter-default-changed': 'breaking',
  'input-normalised': 'compatible',
  'input-not-normalised': 'breaking',
  'input-unique': 'breaking',
  'input-not-unique': 'compatible',
  'input-finds-changed': 'breaking',
  'input-makes-record': 'compatible',
  'input-secret': 'compatible',
  'delete-restricted': 'breaking',
  'search-changed': 'compatible',
  'list-not-live': 'breaking',
  'list-live': 'compatible',
  'staleness-changed': 'compatible',
  'path-field-changed': 'breaking',
  'path-parameter-renamed': 'compatible',

  'status-changed': 'breaking',
  'status-removed': 'breaking',
  'status-added': 'compatible',
  'error-status-added': 'compatible',
  'error-status-removed': 'compatible',
  'error-body-changed': 'breaking',
  'error-body-narrower': 'compatible',
  'media-type-changed': 'breaking',
  'media-type-narrower': 'compatible',
  'body-removed': 'breaking',
  'body-added': 'compatible',
  'header-removed': 'breaking',
  'header-not-always': 'breaking',
  'header-added': 'compatible',
  'header-always': 'compatible',
  'response-form-changed': 'breaking',
  'list-order-changed': 'breaking',
  'list-limit-lowered': 'breaking',
  'list-limit-raised': 'compatible',
  'property-meaning-changed': 'breaking',
  'stored-value-changed': 'compatible',
  'property-removed': 'breaking',
  'property-added': 'compatible',
  'property-type-changed': 'breaking',
  'property-type-narrower': 'compatible',
  'property-nullable': 'breaking',
  'property-not-nullable': 'compatible',
  'property-value-added': 'breaking',
  'property-value-removed': 'compatible',
} as const satisfies Readonly<Record<string, ApiChange['level']>>;

export type Rule = keyof typeof RULES;

/** A change of one endpoint. Its text follows the name of the endpoint. */
export interface Finding {
  readonly rule: Rule;
  readonly says: string;
  readonly subject: Subject;
}

/** Reports a change of the current input, property or endpoint. */
export type Say = (rule: Rule, says: string) => Finding;

/** Reports changes of this subject. `name` is what they are about, if that is not the endpoint as a whole. */
export function saysAbout(subject: Subject, name?: string): Say {
  return (rule, says) => ({ rule, says: name === undefined ? says : `${name} ${says}`, subject });
}

/** Two of a kind: as it was, and as it is. */
export interface Both<T> {
  readonly before: T;
  readonly after: T;
}

// The names of endpoints, types and values in a change.

/** `GET /api/post/{post_slug}`. */
export function labelOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${pathTemplate(path)}`;
}

export function quoted(name: string): string {
  return `\`${name}\``;
}

/** The name of a type, such as `integer`, `Status` or `[string]`. */
export function typeName({ kind, enum: name, many }: Type): string {
  const one = kind === 'enum' ? (name ?? kind) : kind;
  return many ? `[${one}]` : one;
}

/** The literal of the value in a program. Null if the value is known only when a request comes. */
export function literalText(expression: Expression | null): string | null {
  if (expression === null) return null;
  if (expression.kind === 'literal') return JSON.stringify(expression.value);
  if (expression.kind !== 'list') return null;
  const items = expression.items.map(literalText);
  return items.includes(null) ? null : `[${items.join(', ')}]`;
}

// Types of values as callers see them: which JSON is one, and what the language calls it.

/** `string`, `timestamp`, `enum` and so on of the language; `object`, `list` and `any` of JSON. */
export type ValueKind = string;

/** Whether all JSON of one kind is also JSON of the other. */
export function isWider(kind: ValueKind, than: ValueKind): boolean {
  if (kind === 'any' || kind === 'json') return true;
  if (kind === 'float') return than === 'integer';
  return kind === 'string' && than !== 'string' && isText(than);
}

function isText(kind: ValueKind): boolean {
  return kind === 'enum' || (!JSON_KINDS.includes(kind) && isTextInJson(kind));
}

const JSON_KINDS: readonly ValueKind[] = ['any', 'object', 'list', 'record'];
