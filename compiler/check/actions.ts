/** The actions of an endpoint, in order. Each sees what the ones before it have named. */
import type * as ast from '../ast/ast.ts';
import { type EndpointContext, isOwn, OWN_KINDS, type Progress, unknowable } from './action-progress.ts';
import { checkFor } from './for-actions.ts';
import { checkExecute, checkQueryAction, checkRespond, checkValidate } from './other-actions.ts';
import type { Scope } from './scope.ts';
import { checkCreate, checkDelete, checkUpdate } from './write-actions.ts';

export function checkActions(endpoint: EndpointContext, start: Scope): Progress {
  const { written } = endpoint;
  const empty: Progress = { scope: start, actions: [], inputs: [], own: undefined, responder: undefined };
  if (!written.action) return checkDefaultAction(endpoint, empty);
  const end = written.action.actions.reduce((progress, action) => checkNext(endpoint, action, progress), empty);
  reportOwnActions(endpoint, written.action);
  return end;
}

/** A built-in endpoint does what its name says, where the author says nothing else. */
function checkDefaultAction(endpoint: EndpointContext, progress: Progress): Progress {
  const { written, kind } = endpoint;
  const head = written.head;
  if (kind === 'create' || kind === 'update') {
    const items: ast.WriteItem[] = kind === 'update' ? [{ kind: 'input-all', except: [], span: head }] : [];
    const action = { kind, target: undefined, onConflict: undefined, alias: undefined, items, head, span: head };
    return checkAction(endpoint, action, progress);
  }
  return kind === 'delete' ? checkAction(endpoint, { kind, target: undefined, head, span: head }, progress) : progress;
}

function reportOwnActions(endpoint: EndpointContext, { actions, span }: ast.ActionBlock): void {
  const { context, kind } = endpoint;
  const wanted = OWN_KINDS[kind];
  if (!wanted) return;
  const [first, ...others] = actions.filter((action) => isOwn(endpoint, action));
  if (!first) context.report('no-own-action', span, { kind: wanted, model: endpoint.entrypoint.model.name });
  for (const other of others)
    context.report('two-own-actions', (other as ast.WriteAction).head, {
      kind: wanted,
      first: (first as ast.WriteAction).head,
    });
}

/** A second action on the endpoint's own record is refused as a whole. */
function checkNext(endpoint: EndpointContext, action: ast.Action, progress: Progress): Progress {
  const isSecond = progress.own !== undefined && isOwn(endpoint, action);
  if (!isSecond) return checkAction(endpoint, action, progress);
  return unknowable(endpoint, progress, 'alias' in action ? action.alias : undefined);
}

function checkAction(endpoint: EndpointContext, action: ast.Action, progress: Progress): Progress {
  switch (action.kind) {
    case 'create':
      return checkCreate(endpoint, action, progress);
    case 'update':
      return checkUpdate(endpoint, action, progress);
    case 'delete':
      return checkDelete(endpoint, action, progress);
    case 'query':
      return checkQueryAction(endpoint, action, progress);
    case 'for':
      return checkFor(endpoint, action, progress);
    case 'execute':
      return checkExecute(endpoint, action, progress);
    case 'respond':
      return checkRespond(endpoint, action, progress);
    case 'validate':
      return checkValidate(endpoint, action, progress);
  }
}
