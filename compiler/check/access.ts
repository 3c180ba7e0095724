/**
 * What clients may write, seen over the whole program: fields that rules read of the caller and that the caller could
 * set, endpoints that write and let everybody in, references to users that nothing checks, and rules that hold when
 * nobody is signed in.
 */

import { pathsIn, pathsInValidation } from '../program/paths-in.ts';
import type { Action, Auth, Call, Endpoint, Expression, Field, Path, Step } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import { sentFields } from './assignments.ts';
import { withCallerNamed } from './caller-names.ts';
import type { Context } from './context.ts';
import { fieldsGivenTo, fieldsOfCaller } from './fields-of-caller.ts';
import { ownersIn, reportForeignRecords } from './foreign-records.ts';
import { isNull } from './narrowing.ts';
import { reportTrueWhenSignedOut } from './signed-out.ts';

export function checkAccess(context: Context, auth: Auth, written: readonly Endpoint[]): void {
  const endpoints = written.map((endpoint) => withCallerNamed(endpoint, auth.model));
  const grants = [...registerGrants(auth), ...endpoints.flatMap((endpoint) => grantsOf(endpoint, auth))];
  const rules = rulesByField(auth, endpoints);
  reportSelfGranted(context, grants, rules);
  reportWholeCaller(context, grants, rules, auth, endpoints);
  const owners = ownersIn(endpoints.flatMap(({ authorize }) => authorize));
  for (const endpoint of endpoints) {
    reportOpenWrite(context, endpoint);
    if (!endpoint.authorize.some(isPrivileged)) reportForeignRecords(context, endpoint, auth, owners);
  }
  for (const endpoint of written) reportTrueWhenSignedOut(context, endpoint);
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

// ── self-granted ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A field that clients could set of themselves, and where. */
interface Grant {
  readonly field: Field;
  readonly by: 'register' | 'endpoint' | 'own-record';
  readonly span: Span;
}

function registerGrants({ password }: Auth): readonly Grant[] {
  const fields = (password?.registerInputs ?? []).flatMap(({ field }) => field ?? []);
  return fields.flatMap((field) => (field === password?.hash ? [] : { field, by: 'register', span: field.span }));
}

/** Whoever may set the field because of who they are, rather than of what they may do, could grant it to themselves. */
function grantsOf(endpoint: Endpoint, { model, password }: Auth): readonly Grant[] {
  const guards = endpoint.authorize.filter((guard) => !isAlways(guard));
  const asksOnlyWho = !guards.some(isPrivileged);
  // Where anybody can register, to be signed in is nothing special.
  const isForAll = password?.registerInputs !== undefined && guards.every(isForAnybody);
  const grants = new Map<Field, Grant>();
  for (const { field, input, isOfCaller: isOwn } of sentFields(endpoint)) {
    const isOpen = guards.length === 0 || (isForAll && !isOwn);
    // Whose record it is, its owner may decide; that somebody else is named is a `foreign-record`.
    const isOwnership = field.reference?.to === model;
    const isGranted = isOpen || (asksOnlyWho && !input.named);
    if (!isGranted || (isOwnership && guards.length > 0) || grants.has(field)) continue;
    grants.set(field, { field, by: isOpen ? 'endpoint' : 'own-record', span: endpoint.span });
  }
  return [...grants.values()];
}

function reportSelfGranted(context: Context, grants: readonly Grant[], rules: Rules): void {
  for (const { field, by, span } of grants) {
    const rule = rules.get(field);
    if (!rule) continue;
    const isSubject = rule === field.span;
    context.report('self-granted', span, {
      field: nameOf(field),
      by,
      isSubject,
      rule: isSubject ? undefined : rule,
      isReference: field.reference !== undefined,
      isRequired: !field.type.nullable && !field.default,
      isInternal: field.internal,
      isLogin: by === 'register' && field.unique,
    });
  }
}

function nameOf({ model, reference, name }: Field): string {
  return `${model.name}.${reference?.name ?? name}`;
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
      return guard.function === 'if' ? isPrivilegedChoice(guard) : guard.arguments.some(asksOfCaller);
    default:
      return false;
  }
}

/** Both ways in ask for it: `if(@auth.role is "admin", true, false)`, where the second way is closed. */
function isPrivilegedChoice({ arguments: [asked, then, otherwise] }: Call): boolean {
  const ways = [[asked, then], [otherwise]] as readonly (readonly Expression[])[];
  return ways.filter((way) => !way.some(isNever)).every((way) => way.some(isPrivileged));
}

function isNever(guard: Expression): boolean {
  return guard.kind === 'literal' && guard.value !== true;
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

// ── whole-caller ────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A hook that is given a whole record may decide by any field of it. Which it is cannot be known, so this is a warning,
 * and the login is left out: everybody has chosen one.
 */
function reportWholeCaller(
  context: Context,
  grants: readonly Grant[],
  rules: Rules,
  { password }: Auth,
  endpoints: readonly Endpoint[],
): void {
  const open = grants.filter(({ field }) => !rules.has(field) && field !== password?.login);
  for (const path of endpoints.flatMap(({ authorize }) => authorize).flatMap(recordsGivenToHooks)) {
    const given = fieldsGivenTo(path);
    const chosen = open.filter(({ field }) => given.has(field));
    const [first] = chosen;
    if (!first) continue;
    const fields = [...new Set(chosen.map(({ field }) => nameOf(field)))];
    context.report('whole-caller', path.span, { fields, first: nameOf(first.field), place: first.span });
  }
}

/** The arguments of hooks that are the caller's record, or records that are reached from it. */
function recordsGivenToHooks(rule: Expression): readonly Path[] {
  if (rule.kind === 'operation') return rule.operands.flatMap(recordsGivenToHooks);
  if (rule.kind !== 'hook') return [];
  return rule.call.arguments.flatMap((argument) => {
    return 'value' in argument ? recordsOfCaller(argument.value) : [];
  });
}

function recordsOfCaller(value: Expression): readonly Path[] {
  if (value.kind === 'object') return value.members.flatMap((member) => recordsOfCaller(member.value));
  if (value.kind === 'list') return value.items.flatMap(recordsOfCaller);
  return value.kind === 'path' && value.root.kind === 'auth' && value.type.base.kind === 'record' ? [value] : [];
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
