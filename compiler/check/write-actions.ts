/** Actions that make, change and delete records. */
import type * as ast from '../ast/ast.ts';
import type {
  Action,
  Create,
  Each,
  EndpointKind,
  Entrypoint,
  Expression,
  Field,
  Input,
  Model,
  Variable,
} from '../program/program.ts';
import { ANY, isAny, many, record, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, meaningOf, pathText } from './context.ts';
import { type CheckedEntrypoint, recordPath } from './entrypoints.ts';
import { reportMisfit } from './fitting.ts';
import { type CreateTarget, checkConflict } from './keys.ts';
import { modelNamed } from './members.ts';
import { bound } from './queries.ts';
import { at, POSITIONS, type Scope } from './scope.ts';
import type { WriteRequest } from './write-inputs.ts';
import { checkWrite } from './writes.ts';

/** Checks a create. A record that is created or changed in a `for` is never the record of the endpoint. */
export function checkCreate(endpoint: EndpointContext, action: ast.WriteAction, progress: Progress): Progress {
  const own = !isNested(progress) && isOwn(endpoint, action);
  if (own) tellTarget(endpoint, action);
  const target = own ? ownCreateTarget(endpoint, action) : createTarget(endpoint, action, progress.scope);
  if (!target) return unknowable(endpoint, progress, action.alias);
  const alias = ownAlias(endpoint, action, own);
  const { model, fixed, link } = target;
  const unlisted = own || alias ? 'all' : 'none';
  const request = { model, fixed, withheld: [], unlisted, own, alias, under: alias?.text } as const;
  return checkStored(endpoint, action, progress, request, (created) => ({
    kind: 'create',
    ...created,
    onConflict: checkConflict(endpoint.context, action, target, created.values),
    link,
  }));
}

interface StoreRequest extends Pick<WriteRequest, 'model' | 'fixed' | 'withheld' | 'unlisted'> {
  readonly own: boolean;
  readonly alias: ast.Name | undefined;
  /** The key of the inputs that are not at the root of the body. */
  readonly under: string | undefined;
}

/** Checks what a create or an update stores. Its inputs are part of the request; those at the root are names from here on. */
function checkStored(
  endpoint: EndpointContext,
  action: ast.WriteAction,
  progress: Progress,
  { own, alias, under, ...request }: StoreRequest,
  actionOf: (stored: Pick<Create, 'own' | 'model' | 'variable' | 'values'>) => Action,
): Progress {
  const { scope, each, inputs } = progress;
  const { kind, items, head } = action;
  const { model } = request;
  const isAtRoot = own || isOnlyWrite(endpoint, action);
  const place = isAtRoot ? [] : under === undefined ? undefined : [under];
  const write = checkWrite({
    ...request,
    context: endpoint.context,
    kind,
    items,
    head,
    scope,
    ...(each ? { position: POSITIONS.setInFor } : {}),
    inputsUnder: isNested(progress) || endpoint.isJob ? undefined : place,
  });
  const variable: Variable = { name: variableName(progress, alias, model), type: record(model), holds: 'record' };
  const stored = actionOf({ own, model, variable, values: write.values });
  const next: Progress = {
    ...progress,
    scope: isAtRoot ? { ...scope, ownInputs: new Map([...scope.ownInputs, ...write.names]) } : scope,
    actions: [...progress.actions, ...write.before, placed(progress, stored)],
    inputs: [...inputs, ...write.inputs],
    own: own ? variable : progress.own,
  };
  return named(endpoint, next, alias, variable);
}

/** The endpoint's own record is called by the entrypoint's model or alias. */
function tellTarget(
  { context, entrypoint, alias }: EndpointContext,
  { target }: ast.WriteAction | ast.DeleteAction,
): void {
  const { model, variable } = entrypoint;
  if (target?.kind === 'auth') context.witness?.meant(target.span, { kind: 'auth', model });
  const name = target?.steps[0];
  if (!name) return;
  if (name.text === alias?.text)
    context.witness?.meant(name.span, meaningOf(name.text, { kind: 'variable', variable, span: alias.span }));
  else context.witness?.meant(name.span, { kind: 'model', model });
}

/** `create endpoint as a` and `create as a` both name the record; saying it in both places is saying it twice. */
function ownAlias(
  { context, written: endpoint }: EndpointContext,
  action: ast.WriteAction,
  own: boolean,
): ast.Name | undefined {
  if (own && endpoint.alias && action.alias)
    context.report('duplicate-property', action.alias.span, { property: 'as', first: endpoint.alias.span });
  return action.alias ?? (own ? endpoint.alias : undefined);
}

function ownCreateTarget({ entrypoint }: EndpointContext, action: ast.WriteAction): CreateTarget {
  const { model, through, parent } = entrypoint;
  if (!through || !parent) return { model, fixed: [], link: undefined };
  if (through.kind === 'reference') return { model, fixed: [], link: { parent: parent.variable, reference: through } };
  const value = recordPath(parent.variable, action.head);
  return { model, fixed: [{ field: through.through.field, value }], link: undefined };
}

/** A model by its name, or a relation of a record that has been named. */
function createTarget(endpoint: EndpointContext, action: ast.WriteAction, scope: Scope): CreateTarget | undefined {
  const { context } = endpoint;
  if (!action.target) return reportNoTarget(endpoint, action);
  const { kind, steps } = action.target;
  const [first, second] = steps;
  if (kind === 'auth' || !first || second) return relationTarget(endpoint, action.target, scope);
  const model = modelNamed(context, first, 'create');
  return model && { model, fixed: [], link: undefined };
}

function relationTarget(
  { context }: EndpointContext,
  target: ast.Path | ast.AuthPath,
  scope: Scope,
): CreateTarget | undefined {
  const path = context.checkExpression(context, target, at(scope, targetPosition('create')));
  if (path.kind !== 'path' || isAny(path.type)) return undefined;
  const relation = path.steps.at(-1);
  if (relation?.kind !== 'relation')
    return context.report('create-in-what', target.span, { path: pathText(target), type: typeName(path.type) });
  const parentPath = { ...target, steps: target.steps.slice(0, -1) } as ast.Path | ast.AuthPath;
  const parent = context.checkExpression(context, parentPath, at(scope, targetPosition('create')));
  reportMisfit(
    context,
    parent,
    { type: record(relation.model), by: `\`create ${pathText(target)}\``, takes: true },
    scope,
  );
  return { model: relation.from, fixed: [{ field: relation.through.field, value: parent }], link: undefined };
}

function reportNoTarget(
  { context, written: endpoint, entrypoint, alias }: EndpointContext,
  action: ast.WriteAction | ast.DeleteAction,
): undefined {
  const isMany =
    endpoint.endpoint === 'custom'
      ? endpoint.cardinality?.value === 'many'
      : endpoint.endpoint === 'list' || endpoint.endpoint === 'create';
  const record = isMany ? undefined : alias?.text;
  context.report('action-without-target', action.head, {
    kind: action.kind,
    model: entrypoint.model.name,
    record,
    hasRecord: !isMany,
  });
}

/** Whether a model is named where a record is expected, and nothing else has its name. */
function isModel({ context }: EndpointContext, { kind, steps }: ast.Path | ast.AuthPath, scope: Scope): boolean {
  const [first, second] = steps;
  return (
    kind === 'path' && first !== undefined && !second && context.models.has(first.text) && !scope.names.has(first.text)
  );
}

function targetPosition(kind: 'create' | 'update' | 'delete') {
  return { ...POSITIONS.set, noun: kind === 'update' ? 'an `update`' : `a \`${kind}\`` };
}

export function checkUpdate(endpoint: EndpointContext, action: ast.WriteAction, progress: Progress): Progress {
  const own = !isNested(progress) && isOwn(endpoint, action);
  if (own) tellTarget(endpoint, action);
  const target = own
    ? recordPath(endpoint.entrypoint.variable, action.head)
    : recordTarget(endpoint, action, progress.scope, false);
  const model = target?.type.base.kind === 'record' ? target.type.base.model : undefined;
  if (!target || !model) return unknowable(endpoint, progress, action.alias);
  const alias = ownAlias(endpoint, action, own);
  const under = alias?.text ?? nameOf(action.target);
  const withheld = own ? parentKey(endpoint.entrypoint) : [];
  const request = { model, fixed: [], withheld, unlisted: 'none', own, alias, under } as const;
  return checkStored(endpoint, action, progress, request, (updated) => ({ kind: 'update', target, ...updated }));
}

/** Two loops may use one alias, and so may two `on failure`. */
export function variableName(progress: Progress, alias: ast.Name | undefined, model: Model): string {
  return alias && !isNested(progress) ? alias.text : `${alias?.text ?? model.name}#${progress.actions.length}`;
}

function parentKey({ through }: Entrypoint): readonly Field[] {
  return through?.kind === 'relation' ? [through.through.field] : [];
}

/** A target that is just a name gives its name to the inputs too. */
function nameOf(target: ast.Path | ast.AuthPath | undefined): string | undefined {
  return target?.kind === 'path' && target.steps.length === 1 ? target.steps[0].text : undefined;
}

/** A record that is surely there; where `mayBeMany`, a collection too. */
function recordTarget(
  endpoint: EndpointContext,
  action: ast.WriteAction | ast.DeleteAction,
  scope: Scope,
  mayBeMany: boolean,
): Expression | undefined {
  const { context } = endpoint;
  const { kind, target: written } = action;
  if (!written) return reportNoTarget(endpoint, action);
  const refuse = (type: string) =>
    context.report('not-one-record', written.span, { path: pathText(written), kind, type });
  if (isModel(endpoint, written, scope)) return refuse('a model');
  const target = context.checkExpression(context, written, at(scope, targetPosition(kind)));
  const { base, many: isMany } = target.type;
  if (base.kind === 'any') return undefined;
  if (base.kind !== 'record' || (isMany && !mayBeMany)) return refuse(typeName(target.type));
  const wanted = isMany ? many(target.type) : record(base.model);
  reportMisfit(context, target, { type: wanted, by: `\`${kind}\``, takes: true }, scope);
  return target;
}

export function checkDelete(endpoint: EndpointContext, action: ast.DeleteAction, progress: Progress): Progress {
  const { entrypoint } = endpoint;
  if (!isNested(progress) && isOwn(endpoint, action)) {
    tellTarget(endpoint, action);
    const { variable, through, parent, model } = entrypoint;
    const link = through?.kind === 'reference' && parent ? { parent: parent.variable, reference: through } : undefined;
    return {
      ...add(progress, { kind: 'delete', own: true, model, target: recordPath(variable, action.head), link }),
      own: variable,
    };
  }
  const target = recordTarget(endpoint, action, progress.scope, true);
  if (target?.type.base.kind !== 'record') return progress;
  const { model } = target.type.base;
  return add(progress, { kind: 'delete', own: false, model, target, link: undefined });
}

// ── Progress ────────────────────────────────────────────────────────────────────────────────────────────────────────

// The endpoint around the actions, and the progress so far.

/** The endpoint around the actions. */
export interface EndpointContext {
  readonly context: Context;
  readonly kind: EndpointKind;
  readonly written: Pick<ast.EndpointDeclaration, 'endpoint' | 'head' | 'alias' | 'cardinality' | 'action'>;
  readonly entrypoint: Entrypoint;
  /** The entrypoint's alias, as the author wrote it. */
  readonly alias: ast.Name | undefined;
  /** Whether it is a job: no client sends anything. */
  readonly isJob?: true;
}

/** An endpoint of an API, with all that is written in it and around it. */
export interface ApiEndpoint extends EndpointContext {
  readonly written: ast.EndpointDeclaration;
  readonly around: CheckedEntrypoint;
  /** Whether it responds with the records of a list. */
  readonly isList: boolean;
}

/** The only create or update of a custom endpoint that takes inputs takes them as that of a built-in one does. */
function isOnlyWrite({ kind, written }: EndpointContext, action: ast.WriteAction): boolean {
  const others = written.action?.actions.filter((each) => each === action || takesInputs(each)) ?? [];
  return kind === 'custom' && others.length === 1;
}

/** Whether clients may send something for it. An alias gives a create the inputs that it does not list. */
function takesInputs(action: ast.Action): boolean {
  if (action.kind !== 'create' && action.kind !== 'update') return false;
  return action.items.some(({ kind }) => kind !== 'set') || (action.kind === 'create' && action.alias !== undefined);
}

/** The progress so far. */
export interface Progress {
  readonly scope: Scope;
  readonly actions: readonly Action[];
  readonly inputs: readonly Input[];
  /** The record that the endpoint's own action made or changed. */
  readonly own?: Variable | undefined;
  /** The place of the action that responds, so that no second one does. */
  readonly responder?: Span;
  /** The names in each `key`. All inputs are known only after the last action. */
  readonly keys: readonly ast.Path[];
  /** The `for` around the next action. */
  readonly each?: Each | undefined;
  /** Whether the next action stands in an `on failure`. */
  readonly onFailure?: boolean;
}

/** What stands in a `for` or an `on failure` is never the endpoint's own action. */
function isNested({ each, onFailure }: Progress): boolean {
  return each !== undefined || onFailure === true;
}

/** The effect of the endpoint's own action. */
export function ownKind(kind: EndpointKind): 'create' | 'update' | 'delete' | undefined {
  return kind === 'create' || kind === 'update' || kind === 'delete' ? kind : undefined;
}

/** The one with no target, or with the entrypoint's model or alias. */
export function isOwn({ kind, entrypoint, alias }: EndpointContext, action: ast.Action): boolean {
  if (action.kind !== 'create' && action.kind !== 'update' && action.kind !== 'delete') return false;
  if (action.kind !== kind) return false;
  if (!action.target) return true;
  if (action.target.kind === 'auth') return entrypoint.isCaller && action.target.steps.length === 0;
  const [first, ...more] = action.target.steps;
  return more.length === 0 && (first.text === entrypoint.model.name || first.text === alias?.text);
}

export function add(progress: Progress, action: Action | undefined): Progress {
  return action ? { ...progress, actions: [...progress.actions, placed(progress, action)] } : progress;
}

function placed({ each, onFailure }: Progress, action: Action): Action {
  return { ...action, ...(each && { each }), ...(onFailure && { onFailure }) };
}

/** Binds the alias, if there is one, to the result of the action. */
export function named(
  { context }: EndpointContext,
  progress: Progress,
  alias: ast.Name | undefined,
  variable: Variable,
): Progress {
  if (!alias) return progress;
  const binding = { kind: 'variable', variable, span: alias.span } as const;
  return { ...progress, scope: bound(context, progress.scope, alias, binding) };
}

/**
 * Binds the alias of an action that could not be read to a value that fits everywhere, so that nothing else is
 * reported.
 */
export function unknowable(endpoint: EndpointContext, progress: Progress, alias: ast.Name | undefined): Progress {
  return alias ? named(endpoint, progress, alias, { name: alias.text, type: ANY, holds: 'record' }) : progress;
}
