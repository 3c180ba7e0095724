/**
 * What clients may write, seen over the whole program: fields that rules read of the caller and that the caller could
 * set, endpoints that write and let everybody in, and references to users that nothing checks.
 */

import { pathsIn, pathsInHook, pathsInQuery, pathsInValidation } from '../program/paths-in.ts';
import type { Action, Auth, Endpoint, Expression, Field, Input, Path, Step } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { fieldsOfCaller } from './fields-of-caller.ts';

export function checkAccess(context: Context, auth: Auth, endpoints: readonly Endpoint[]): void {
  const rules = rulesByField(auth, endpoints);
  reportRegister(context, auth, rules);
  for (const endpoint of endpoints) {
    reportGrants(context, endpoint, auth, rules);
    reportOpenWrite(context, endpoint);
    reportForeignRecords(context, endpoint, auth);
  }
}

// ── What rules read of the caller ───────────────────────────────────────────────────────────────────────────────────

/** For each field that a rule reads through `@auth`, where the first such rule is. */
type Rules = ReadonlyMap<Field, Span>;

/** The subject decides whose tokens belong to an account: it is such a field even where no rule reads it. */
function rulesByField({ subject }: Auth, endpoints: readonly Endpoint[]): Rules {
  const rules = new Map<Field, Span>();
  for (const path of endpoints.flatMap(rulePaths)) {
    for (const field of fieldsOfCaller(path)) if (!rules.has(field)) rules.set(field, path.span);
  }
  if (subject && !rules.has(subject)) rules.set(subject, subject.span);
  return rules;
}

/** Rules decide who may do something, or which records somebody gets to see. */
function rulePaths({ authorize, list, actions }: Endpoint): readonly Path[] {
  const filter = list?.filter ? [list.filter] : [];
  return [...[...authorize, ...filter].flatMap(decidingPaths), ...actions.flatMap(rulePathsOf)];
}

/** Without the paths of `@auth.id is not null` and the like, which ask only whether somebody is signed in. */
function decidingPaths(rule: Expression): readonly Path[] {
  if (rule.kind !== 'operation') return pathsIn(rule);
  if (rule.operands.some(isNull) && rule.operands.some(isSomebody)) return [];
  return rule.operands.flatMap(decidingPaths);
}

function isNull(side: Expression): boolean {
  return side.kind === 'literal' && side.value === null;
}

/** Whether a path is null only where nobody is signed in. */
function isSomebody(side: Expression): boolean {
  return side.kind === 'path' && side.root.kind === 'auth' && side.steps.every((step) => !mayBeNull(step));
}

function mayBeNull(step: Step): boolean {
  if (step.kind === 'field') return step.type.nullable;
  return step.kind !== 'reference' || step.nullable;
}

function rulePathsOf(action: Action): readonly Path[] {
  if (action.kind === 'validate') return pathsInValidation(action.validation);
  return action.kind === 'query' && action.query.filter ? decidingPaths(action.query.filter) : [];
}

// ── What clients send ───────────────────────────────────────────────────────────────────────────────────────────────

interface Sent {
  readonly field: Field;
  readonly input: Input;
  /** Whether it is a field of the caller's own record: `update @auth { … }`. */
  readonly isOfCaller: boolean;
}

/** The fields that the endpoint stores a client's value in, whether as it comes or within an expression. */
export function sentFields({ actions }: Pick<Endpoint, 'actions'>): readonly Sent[] {
  return actions.flatMap((action) =>
    assignmentsOf(action).flatMap(({ field, value }) =>
      inputsIn(value).map((input) => ({ field, input, isOfCaller: isOfCaller(action) })),
    ),
  );
}

function isOfCaller(action: Action): boolean {
  if (action.kind !== 'update' || action.target.kind !== 'path') return false;
  return action.target.root.kind === 'auth' && action.target.steps.length === 0;
}

interface Stored {
  readonly field: Field;
  readonly value: Expression | { readonly kind: 'input'; readonly input: Input };
}

function assignmentsOf(action: Action): readonly Stored[] {
  if (action.kind === 'create' || action.kind === 'update') return action.values;
  return action.kind === 'query' && action.does.kind === 'update' ? action.does.values : [];
}

function inputsIn(value: Stored['value']): readonly Input[] {
  if (value.kind === 'input') return [value.input];
  // What is stored then is not what the client sent, and never the same twice.
  if (value.kind === 'call' && value.function === 'cryptoHash') return [];
  return pathsIn(value).flatMap(({ root }) => (root.kind === 'input' ? [root.input] : []));
}

// ── self-granted ────────────────────────────────────────────────────────────────────────────────────────────────────

function reportRegister(context: Context, { password }: Auth, rules: Rules): void {
  for (const { field } of password?.registerInputs ?? []) {
    const rule = field && field !== password?.hash ? rules.get(field) : undefined;
    if (field && rule) reportSelfGranted(context, field, rule, 'register', field.span);
  }
}

/** Whoever may set the field because of who they are, rather than of what they may do, could grant it to themselves. */
function reportGrants(context: Context, endpoint: Endpoint, { model, password }: Auth, rules: Rules): void {
  const guards = endpoint.authorize.filter((guard) => !isAlways(guard));
  const asksOnlyWho = !guards.some(isPrivileged);
  // Where anybody can register, to be signed in is nothing special.
  const isForAll = password?.registerInputs !== undefined && guards.every(isForAnybody);
  const reported = new Set<Field>();
  for (const { field, input, isOfCaller: isOwn } of sentFields(endpoint)) {
    const isOpen = guards.length === 0 || (isForAll && !isOwn);
    const rule = rules.get(field);
    // Whose record it is, its owner may decide; that somebody else is named is a `foreign-record`.
    const isOwnership = field.reference?.to === model;
    const isGranted = isOpen || (asksOnlyWho && !input.named);
    if (!rule || !isGranted || (isOwnership && guards.length > 0) || reported.has(field)) continue;
    reported.add(field);
    reportSelfGranted(context, field, rule, isOpen ? 'endpoint' : 'own-record', endpoint.span);
  }
}

function reportSelfGranted(
  context: Context,
  field: Field,
  rule: Span,
  by: 'register' | 'endpoint' | 'own-record',
  span: Span,
): void {
  const isSubject = rule === field.span;
  context.report('self-granted', span, {
    field: `${field.model.name}.${field.reference?.name ?? field.name}`,
    by,
    isSubject,
    rule: isSubject ? undefined : rule,
    isReference: field.reference !== undefined,
    isRequired: !field.type.nullable && !field.default,
    isLogin: by === 'register' && field.unique,
  });
}

/** `authorize { true }` says that everybody is meant to come in. */
function isAlways(guard: Expression): boolean {
  return guard.kind === 'literal' && guard.value === true;
}

/**
 * Whether a rule asks for something that not everybody who is signed in has: `@auth.role is "admin"`. To be the owner of
 * a record, or to belong to its tenant, is no such thing, and neither is not being banned. Of an `or` the weaker side
 * counts. What a hook asks is not known, and counts.
 */
function isPrivileged(guard: Expression): boolean {
  switch (guard.kind) {
    case 'hook':
      return true;
    case 'path':
      return asksOfCaller(guard);
    case 'operation':
      return isPrivilegedOperation(guard);
    case 'call':
      return guard.arguments.some(asksOfCaller);
    default:
      return false;
  }
}

function isPrivilegedOperation({ operator, operands }: Extract<Expression, { kind: 'operation' }>): boolean {
  if (operator === 'or') return operands.every(isPrivileged);
  if (operator === 'and') return operands.some(isPrivileged);
  if (operator === 'not' || operator === 'is not' || operator === 'not in') return isPresenceTest(operator, operands);
  return operands.some((operand) => asksOfCaller(operand) || isPrivileged(operand));
}

/** `@auth.approved_at is not null`. */
function isPresenceTest(operator: string, operands: readonly Expression[]): boolean {
  return operator === 'is not' && operands.some(isNull) && operands.some(asksOfCaller) && !operands.some(isSomebody);
}

/** Whether a path from the caller ends in a value of its own, or goes through records that refer to the caller. */
function asksOfCaller(side: Expression): boolean {
  if (side.kind !== 'path' || side.root.kind !== 'auth') return false;
  return side.steps.some((step) => step.kind !== 'reference' && !isKey(step));
}

function isKey(step: Step): boolean {
  return step.kind === 'field' && step.origin !== 'written';
}

/** Whether a rule lets in whoever is signed in. */
function isForAnybody(guard: Expression): boolean {
  if (guard.kind !== 'operation') return isAlways(guard);
  if (guard.operator === 'and') return guard.operands.every(isForAnybody);
  if (guard.operator === 'or') return guard.operands.some(isForAnybody);
  return guard.operator === 'is not' && guard.operands.some(isNull) && guard.operands.some(isSomebody);
}

// ── open-write ──────────────────────────────────────────────────────────────────────────────────────────────────────

function reportOpenWrite(context: Context, { authorize, actions, span }: Endpoint): void {
  const write = actions.find(isWrite);
  if (write && authorize.length === 0) context.report('open-write', span, { model: modelOf(write).name });
}

type WriteAction = Extract<Action, { kind: 'create' | 'update' | 'delete' | 'query' }>;

function isWrite(action: Action): action is WriteAction {
  if (action.kind === 'query') return action.does.kind === 'update' || action.does.kind === 'delete';
  return action.kind === 'create' || action.kind === 'update' || action.kind === 'delete';
}

function modelOf(action: WriteAction) {
  return action.kind === 'query' ? action.query.model : action.model;
}

// ── foreign-record ──────────────────────────────────────────────────────────────────────────────────────────────────

/** A client that names a user may name somebody else, such as the author of what it writes. */
function reportForeignRecords(context: Context, endpoint: Endpoint, auth: Auth): void {
  if (endpoint.authorize.some(isPrivileged)) return;
  for (const action of endpoint.actions) {
    if (action.kind !== 'create' && action.kind !== 'update') continue;
    for (const { field, value } of action.values) {
      const input = value.kind === 'input' ? value.input : undefined;
      if (!input || field.reference?.to !== auth.model) continue;
      if (isMeant(endpoint, action, input, auth) || isMentioned(endpoint, action, input)) continue;
      context.report('foreign-record', endpoint.span, {
        reference: field.reference.name,
        model: auth.model.name,
        input: input.path.join('.'),
        does: action.kind,
      });
    }
  }
}

/** The record says already who made it, or belongs to the caller, and the author lists whom else it is about. */
function isMeant(
  { authorize }: Endpoint,
  action: Extract<Action, { kind: 'create' | 'update' }>,
  { named }: Input,
  { model }: Auth,
): boolean {
  if (action.kind === 'update') return named && authorize.length > 0;
  return action.values.some(
    ({ field, value }) => field.reference?.to === model && value.kind === 'path' && value.root.kind === 'auth',
  );
}

/** Whether another action looks at the input: a validation, a query, a hook. */
function isMentioned({ actions }: Endpoint, write: Action, input: Input): boolean {
  return actions.some((action) => action !== write && mentionedIn(action).some(({ root }) => isInput(root, input)));
}

function isInput(root: Path['root'], input: Input): boolean {
  return root.kind === 'input' && root.input === input;
}

function mentionedIn(action: Action): readonly Path[] {
  switch (action.kind) {
    case 'validate':
      return pathsInValidation(action.validation);
    case 'query':
      return pathsInQuery(action.query);
    case 'execute':
      return pathsInHook(action.hook);
    default:
      return [];
  }
}
