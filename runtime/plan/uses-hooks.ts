import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { hasNode } from '../../compiler/definition/lookup.ts';
import { memoized } from '../../compiler/definition/memo.ts';

/**
 * Whether custom code runs anywhere in an endpoint: in an expression, an action, a validator, or a model's hook that
 * is selected. All of these say so in one of three ways, wherever they stand.
 */
export function usesHooks(endpoint: Endpoint, definition: Definition): boolean {
  return isHookInside(endpoint, validatorsWithHooks(definition));
}

const NONE: ReadonlySet<string> = new Set();

const validatorsWithHooks = memoized(
  ({ validators }: Definition): ReadonlySet<string> =>
    new Set(validators.filter(({ assert }) => isHookInside(assert, NONE)).map(({ name }) => name)),
);

function isHookInside(value: unknown, validators: ReadonlySet<string>): boolean {
  return hasNode(
    value,
    ({ kind, own }) => kind === 'hook' || kind === 'execute' || (typeof own === 'string' && validators.has(own)),
  );
}
