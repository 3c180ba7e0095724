import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { hasNode, isCode } from '../../compiler/definition/lookup.ts';
import { memoized } from '../../compiler/definition/memo.ts';

/** Whether an expression anywhere inside reads one of these records. */
export function mentions(value: unknown, records: ReadonlySet<string>): boolean {
  return hasNode(value, ({ kind, record }) => kind === 'snapshot' && records.has(record as string));
}

/** Whether an expression anywhere inside uses this read of the record. */
export function mentionsRead(value: unknown, record: string, read: string): boolean {
  return hasNode(value, (node) => node.kind === 'snapshot' && node.record === record && node.read === read);
}

/** Whether the code of a hook stands in it. */
export function isHookInside(value: unknown): boolean {
  return hasNode(value, ({ kind }) => kind === 'hook');
}

// ── Uses hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Whether custom code runs anywhere in an endpoint: in an expression, an action, a validator, or a model's hook that
 * is selected. All of these say so in one of three ways, wherever they stand.
 */
export function usesHooks(endpoint: Endpoint, definition: Definition): boolean {
  return runsCode(endpoint, validatorsWithHooks(definition));
}

const NONE: ReadonlySet<string> = new Set();

const validatorsWithHooks = memoized(
  ({ validators }: Definition): ReadonlySet<string> =>
    new Set(validators.filter(({ assert }) => runsCode(assert, NONE)).map(({ name }) => name)),
);

function runsCode(value: unknown, validators: ReadonlySet<string>): boolean {
  return hasNode(value, (node) => isCode(node) || (typeof node.own === 'string' && validators.has(node.own)));
}
