import type { Definition, Endpoint } from '../../compiler/definition/definition.ts';
import { keptFor } from '../../compiler/definition/kept.ts';

/**
 * Whether custom code runs anywhere in an endpoint: in an expression, an action, a validator, or a model's hook that
 * is selected. All of these say so in one of three ways, wherever they stand.
 */
export function usesHooks(endpoint: Endpoint, definition: Definition): boolean {
  return isHookInside(endpoint, validatorsWithHooks(definition));
}

const NONE: ReadonlySet<string> = new Set();

const validatorsWithHooks = keptFor(
  ({ validators }: Definition): ReadonlySet<string> =>
    new Set(validators.filter(({ assert }) => isHookInside(assert, NONE)).map(({ name }) => name)),
);

function isHookInside(value: unknown, validators: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => isHookInside(item, validators));
  const { kind, own } = value as { readonly kind?: unknown; readonly own?: unknown };
  if (kind === 'hook' || kind === 'execute') return true;
  if (typeof own === 'string' && validators.has(own)) return true;
  for (const key in value) if (isHookInside((value as Readonly<Record<string, unknown>>)[key], validators)) return true;
  return false;
}
