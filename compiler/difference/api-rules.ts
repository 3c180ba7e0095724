/** The rules that clients live by, and how much each of them matters. docs/compatibility.md has an example for each. */
import type { ApiChange, Subject } from './difference.ts';

type Level = ApiChange['level'];

export const RULES = {
  'endpoint-removed': 'breaking',
  'endpoint-moved': 'breaking',
  'endpoint-added': 'compatible',
  'operation-renamed': 'compatible',
  'schema-renamed': 'compatible',

  'token-required': 'breaking',
  'token-not-required': 'compatible',
  'token-read': 'compatible',

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
} as const satisfies Readonly<Record<string, Level>>;

export type Rule = keyof typeof RULES;

/** A change of one endpoint. What it says comes behind the name of the endpoint. */
export interface Finding {
  readonly rule: Rule;
  readonly says: string;
  readonly subject: Subject;
}

/** Says something of the input, the property or the endpoint at hand. */
export type Say = (rule: Rule, says: string) => Finding;

/** Two of a kind: as it was, and as it is. */
export interface Both<T> {
  readonly before: T;
  readonly after: T;
}
