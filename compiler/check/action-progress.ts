/** Where actions stand, and what has come about so far. */
import type * as ast from '../ast/ast.ts';
import type { Action, EndpointKind, Entrypoint, Input, Variable } from '../program/program.ts';
import { ANY } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, meaningOf } from './context.ts';
import { reportHiddenName } from './queries.ts';
import { type Binding, type Scope, unlessHiding, withName } from './scope.ts';

/** The endpoint around the actions. */
export interface EndpointContext {
  readonly context: Context;
  readonly kind: EndpointKind;
  readonly written: ast.EndpointDeclaration;
  readonly entrypoint: Entrypoint;
  /** The entrypoint's alias, as the author wrote it. */
  readonly alias: ast.Name | undefined;
}

/** What has come about so far. */
export interface Progress {
  readonly scope: Scope;
  readonly actions: readonly Action[];
  readonly inputs: readonly Input[];
  /** The record that the endpoint's own action made or changed. */
  readonly own: Variable | undefined;
  /** Where something answers the request, so that two do not. */
  readonly responder: Span | undefined;
}

export const OWN_KINDS: Readonly<Record<EndpointKind, 'create' | 'update' | 'delete' | undefined>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  list: undefined,
  get: undefined,
  custom: undefined,
};

/** The one with no target, or with the entrypoint's model or alias. */
export function isOwn({ kind, entrypoint, alias }: EndpointContext, action: ast.Action): boolean {
  if (
    action.kind !== OWN_KINDS[kind] ||
    (action.kind !== 'create' && action.kind !== 'update' && action.kind !== 'delete')
  )
    return false;
  if (!action.target) return true;
  if (action.target.kind === 'auth') return entrypoint.isCaller && action.target.steps.length === 0;
  const [first, ...more] = action.target.steps;
  const isName = action.target.kind === 'path' && first !== undefined && more.length === 0;
  return isName && (first.text === entrypoint.model.name || first.text === alias?.text);
}

export function add(progress: Progress, action: Action | undefined): Progress {
  return action ? { ...progress, actions: [...progress.actions, action] } : progress;
}

/** Binds the alias, if there is one, to what the action gives. */
export function named(
  endpoint: EndpointContext,
  progress: Progress,
  alias: ast.Name | undefined,
  variable: Variable,
): Progress {
  if (!alias) return progress;
  reportHiddenName(endpoint.context, alias, progress.scope);
  const binding: Binding = { kind: 'variable', variable, span: alias.span };
  endpoint.context.witness?.meant(alias.span, meaningOf(alias.text, binding));
  const bound = unlessHiding(progress.scope, alias.text, binding);
  return { ...progress, scope: withName(progress.scope, alias.text, bound) };
}

/** What an action names that could not be read: it fits everywhere, so that nothing follows from it. */
export function unknowable(endpoint: EndpointContext, progress: Progress, alias: ast.Name | undefined): Progress {
  return alias ? named(endpoint, progress, alias, { name: alias.text, type: ANY, holds: 'record' }) : progress;
}
