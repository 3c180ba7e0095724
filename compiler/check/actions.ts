/** The actions of an endpoint, in order. Each sees what the ones before it have named. */
import type * as ast from '../ast/ast.ts';
import { pathsIn } from '../program/paths-in.ts';
import type { Create, Each, Expression, Step, Variable } from '../program/program.ts';
import { isAny, typeName } from '../program/type.ts';
import { type EndpointContext, isOwn, named, OWN_KINDS, type Progress, unknowable } from './action-progress.ts';
import { checkExecute, checkQueryAction, checkRespond, checkValidate } from './other-actions.ts';
import { at, POSITIONS, type Scope } from './scope.ts';
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

// ── For actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

// `for x in list { … }`: creates that are done for each item of a list that the client sends.

function checkFor(endpoint: EndpointContext, action: ast.ForAction, progress: Progress): Progress {
  const { context } = endpoint;
  const list = context.checkExpression(context, action.list, at(progress.scope, POSITIONS.set));
  if (isAny(list.type)) return progress;
  if (!isListInput(list)) {
    const path = action.list.steps.map(({ text }) => text).join('.');
    context.report('not-a-list-input', action.list.span, { path, type: typeName(list.type) });
    return progress;
  }
  const variable: Variable = {
    name: `${action.name.text}#${progress.actions.length}`,
    type: { ...list.type, many: false, nullable: false },
    holds: 'result',
  };
  let inner = named(endpoint, progress, action.name, variable);
  const made: Variable[] = [];
  for (const each of action.actions) {
    inner = checkInside(endpoint, each, inner, { variable, list, made: [...made] });
    const last = inner.actions.at(-1);
    if (last?.kind === 'create' && last.each?.variable === variable && !made.includes(last.variable))
      made.push(last.variable);
  }
  if (action.actions.length === 0) context.report('empty-for', action.head, {});
  return { ...inner, scope: progress.scope };
}

function isListInput(list: Expression): boolean {
  return list.kind === 'path' && list.root.kind === 'input' && list.type.many;
}

function checkInside(endpoint: EndpointContext, action: ast.Action, progress: Progress, each: Each): Progress {
  const { context } = endpoint;
  if (action.kind !== 'create') {
    context.report('not-in-for', action.head, { what: `\`${action.kind}\`` });
    return progress;
  }
  const inputs = action.items.filter((item) => item.kind !== 'set');
  for (const { kind, span } of inputs)
    context.report('not-in-for', span, {
      what: kind === 'reference' ? 'a `reference`' : 'an `input`',
      instead: 'write `set`, with a value that is known before or made of the item',
    });
  if (inputs.length > 0) return progress;
  const after = checkCreate(endpoint, action, progress, each);
  const created = after.actions.at(-1);
  if (after.actions.length > progress.actions.length && created?.kind === 'create')
    checkValues(endpoint, created, each);
  return after;
}

/** Of a record that was made for the item, its own fields are known, and those of records that it refers to. */
function checkValues({ context }: EndpointContext, { values, onConflict, model }: Create, { made }: Each): void {
  for (const { field, value, when } of values) {
    if (value.kind === 'input') continue;
    if (when && onConflict?.does === 'update')
      context.report('not-in-for', when.span, {
        what: 'a `when` of an `or update`',
        instead: 'choose the value with `if`, or set the field after the `for`',
      });
    if (onConflict?.key.includes(field) && value.type.nullable)
      context.report('not-in-for', value.span, {
        what: `a key of \`${model.name}\` that may be null`,
        instead: 'give it a value that is never null, with `coalesce` or from the item',
      });
    for (const { root, steps, span } of pathsIn(value)) {
      const isMade = root.kind === 'variable' && made.includes(root.variable);
      if (isMade && !isNear(steps))
        context.report('not-in-for', span, {
          what: 'what is computed of a new record',
          instead: 'use its own fields, or those of the records of other models that it refers to',
        });
    }
  }
}

function isNear(steps: readonly Step[]): boolean {
  return steps.every((step) => step.kind === 'field' || (step.kind === 'reference' && step.to !== step.model));
}
