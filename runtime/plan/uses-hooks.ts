import type { Definition, Endpoint } from '../../compiler/definition/definition.ts';

/**
 * Whether custom code runs anywhere in an endpoint: in an expression, an action, a validator, or a model's hook that
 * is selected. All of these say so in one of three ways, wherever they stand.
 */
export function usesHooks(endpoint: Endpoint, definition: Definition): boolean {
  return isHookInside(endpoint, validatorsWithHooks(definition));
}

const NONE: ReadonlySet<string> = new Set();
const KNOWN = new WeakMap<Definition, ReadonlySet<string>>();

function validatorsWithHooks(definition: Definition): ReadonlySet<string> {
  const known = KNOWN.get(definition);
  if (known) return known;
  const found = definition.validators.filter(({ assert }) => isHookInside(assert, NONE)).map(({ name }) => name);
  const names = new Set(found);
  KNOWN.set(definition, names);
  return names;
}

function isHookInside(value: unknown, validators: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => isHookInside(item, validators));
  const { kind, own } = value as { readonly kind?: unknown; readonly own?: unknown };
  if (kind === 'hook' || kind === 'execute') return true;
  if (typeof own === 'string' && validators.has(own)) return true;
  return Object.values(value).some((inner) => isHookInside(inner, validators));
}
