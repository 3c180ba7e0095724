/** The actions of an endpoint, in order. Each sees what the ones before it have named. */
import type * as ast from '../ast/ast.ts';
import { isOwn, OWN_KINDS, type Place, type Progress, unknowable } from './action-progress.ts';
import { checkExecute, checkQueryAction, checkRespond, checkValidate } from './other-actions.ts';
import type { Scope } from './scope.ts';
import { checkCreate, checkDelete, checkUpdate } from './write-actions.ts';

export function checkActions(place: Place, start: Scope): Progress {
  const { written } = place;
  const empty: Progress = { scope: start, actions: [], inputs: [], own: undefined, responder: undefined };
  if (!written.action) return checkDefaultAction(place, empty);
  const end = written.action.actions.reduce((progress, action) => checkNext(place, action, progress), empty);
  reportOwnActions(place, written.action);
  return end;
}

/** A built-in endpoint does what its name says, where the author says nothing else. */
function checkDefaultAction(place: Place, progress: Progress): Progress {
  const { written, kind } = place;
  const head = written.head;
  if (kind === 'create' || kind === 'update') {
    const items: ast.WriteItem[] = kind === 'update' ? [{ kind: 'input-all', except: [], span: head }] : [];
    return checkAction(place, { kind, target: undefined, alias: undefined, items, head, span: head }, progress);
  }
  return kind === 'delete' ? checkAction(place, { kind, target: undefined, head, span: head }, progress) : progress;
}

function reportOwnActions(place: Place, { actions, span }: ast.ActionBlock): void {
  const { context, kind } = place;
  const wanted = OWN_KINDS[kind];
  if (!wanted) return;
  const [first, ...others] = actions.filter((action) => isOwn(place, action));
  if (!first) context.report('no-own-action', span, { kind: wanted, model: place.entrypoint.model.name });
  for (const other of others)
    context.report('two-own-actions', (other as ast.WriteAction).head, {
      kind: wanted,
      first: (first as ast.WriteAction).head,
    });
}

/** A second action on the endpoint's own record is refused as a whole. */
function checkNext(place: Place, action: ast.Action, progress: Progress): Progress {
  const isSecond = progress.own !== undefined && isOwn(place, action);
  if (!isSecond) return checkAction(place, action, progress);
  return unknowable(place, progress, 'alias' in action ? action.alias : undefined);
}

function checkAction(place: Place, action: ast.Action, progress: Progress): Progress {
  switch (action.kind) {
    case 'create':
      return checkCreate(place, action, progress);
    case 'update':
      return checkUpdate(place, action, progress);
    case 'delete':
      return checkDelete(place, action, progress);
    case 'query':
      return checkQueryAction(place, action, progress);
    case 'execute':
      return checkExecute(place, action, progress);
    case 'respond':
      return checkRespond(place, action, progress);
    case 'validate':
      return checkValidate(place, action, progress);
  }
}
