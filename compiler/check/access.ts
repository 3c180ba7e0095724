/**
 * Checks what clients may write, over the whole program: fields of the caller that rules read and the caller could set,
 * endpoints that write and let everybody in, and references to users that nothing checks.
 */

import { foundBy } from '../program/endpoint-path.ts';
import { isNull, pathsIn, pathsInValidation, writeOf } from '../program/parts.ts';
import type { Auth, Endpoint, Expression, Field, Model, Path } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import { type Choice, factsOf, isChecked, readersOf, type Sent, sentFields } from './choices.ts';
import { type Context, writtenName } from './context.ts';
import { openedIn, ownersIn, reportForeignRecords } from './foreign-records.ts';
import { factsWhen, rootKey, valueKey } from './narrowing.ts';
import {
  demands,
  fieldsGivenTo,
  fieldsOfCaller,
  isAlways,
  isForAnybody,
  isOfCaller,
  isOwner,
  isPrivileged,
  isSomebody,
  membershipFields,
  ownerField,
  pathsWithin,
  readsCaller,
  type Tie,
  tiesIn,
} from './rules.ts';
import { withCallerNamed, withRulesWrittenOut } from './rules-written-out.ts';

export function checkAccess(context: Context, auth: Auth, endpoints: readonly Endpoint[]): void {
  // A service that signs its requests is trusted with what it sends.
  const ofCallers = endpoints.filter(({ signed }) => !signed);
  const seen = ofCallers.map((each) => withCallerNamed(withRulesWrittenOut(withScopes(each)), auth.model));
  const rules = rulesByField(auth, seen);
  const grants = [...registerGrants(auth), ...seen.flatMap((endpoint) => grantsOf(endpoint, auth, rules))];
  reportSelfGranted(context, grants, rules);
  reportWholeCaller(context, grants, rules, auth, seen);
  const credentials = credentialsOf(auth, rules);
  const granted = new Map<Span, Set<Field>>();
  for (const { field, span, choice } of grants)
    if (!choice) granted.set(span, (granted.get(span) ?? new Set()).add(field));
  const whole = {
    auth,
    owners: ownersIn(seen),
    readers: readersOf(seen),
    opened: openedIn(seen),
    memberships: new Set([...rules.keys()].filter(({ model }) => model !== auth.model)),
  };
  for (const endpoint of seen) {
    reportOpenWrite(context, endpoint);
    // The fields granted here have been reported.
    const rest = new Set([...credentials].filter((field) => !granted.get(endpoint.span)?.has(field)));
    if (!endpoint.authorize.some(isPrivileged))
      reportForeignRecords(context, endpoint, { ...whole, credentials: rest });
    reportNullPairs(context, endpoint);
  }
}

/**
 * The endpoint with its `only` rules as `authorize`: records that an `only` hides from the caller cannot be reached.
 */
function withScopes(endpoint: Endpoint): Endpoint {
  const scopes = foundBy(endpoint).flatMap(({ only }) => (only && pathsIn(only).some(readsCaller) ? [only] : []));
  return scopes.length === 0 ? endpoint : { ...endpoint, authorize: [...scopes, ...endpoint.authorize] };
}

// ── What rules read of the caller ───────────────────────────────────────────────────────────────────────────────────

/** The first rule that reads each field which decides whom rules let in. */
type Rules = ReadonlyMap<Field, Rule>;

interface Rule {
  readonly span: Span;
  /**
   * Whether the field is read through `@auth`, or belongs to a record that says who is let in, such as a member or an
   * invitation.
   */
  readonly side: 'caller' | 'record';
  /** Whether the rule is an `authorize`. A filter may only say what somebody likes to see. */
  readonly isGuard: boolean;
}

/** The subject decides whose tokens belong to an account: it is such a field even where no rule reads it. */
function rulesByField({ subject }: Auth, endpoints: readonly Endpoint[]): Rules {
  const rules = new Map<Field, Rule>();
  const add = (fields: readonly Field[], rule: Rule) => {
    for (const field of fields) if (!rules.has(field)) rules.set(field, rule);
  };
  const guards = endpoints.flatMap(({ authorize }) => authorize);
  const others = endpoints.flatMap(filtersOf);
  for (const [conditions, isGuard] of [
    [guards, true],
    [others, false],
  ] as const) {
    for (const path of readIn(conditions.flatMap(decidingPaths)))
      add(fieldsOfCaller(path), { span: path.span, side: 'caller', isGuard });
    for (const rule of conditions) add(membershipFields(rule), { span: rule.span, side: 'record', isGuard });
  }
  for (const path of readIn(endpoints.flatMap(validatedPaths)))
    add(fieldsOfCaller(path), { span: path.span, side: 'caller', isGuard: true });
  if (subject) add([subject], { span: subject.span, side: 'caller', isGuard: true });
  return rules;
}

/** Collects the filters. Like `authorize`, they decide which records a caller sees. */
function filtersOf({ list, actions }: Endpoint): readonly Expression[] {
  const filters = actions.map((action) => (action.kind === 'query' ? action.query.filter : undefined));
  return [list?.filter, ...filters].filter((filter) => filter !== undefined);
}

function validatedPaths({ actions }: Endpoint): readonly Path[] {
  return actions.flatMap((action) => {
    if (action.kind === 'refuse') return action.when ? decidingPaths(action.when) : [];
    return action.kind === 'validate' ? pathsInValidation(action.validation) : [];
  });
}

/** Adds the paths that the members on these paths read. */
function readIn(paths: readonly Path[]): readonly Path[] {
  return [...paths, ...pathsWithin(paths.flatMap(({ steps }) => steps))];
}

/**
 * Collects the paths in a rule, except those of `@auth.id is not null` and the like, which only check that somebody is
 * signed in.
 */
function decidingPaths(rule: Expression): readonly Path[] {
  if (rule.kind !== 'operation') return pathsIn(rule);
  if (rule.operands.some(isNull) && rule.operands.some(isSomebody)) return [];
  return rule.operands.flatMap(decidingPaths);
}

/** The fields of an account that decide who signs in to it, and what its owner may do. */
function credentialsOf({ model, password, subject }: Auth, rules: Rules): ReadonlySet<Field> {
  const own = [...rules.keys()].filter((field) => field.model === model);
  return new Set([password?.hash, password?.login, subject, ...own].filter((field) => field !== undefined));
}

// ── self-granted ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A field that clients could set of themselves, and where. */
interface Grant {
  readonly field: Field;
  readonly by: 'register' | 'endpoint' | 'own-record' | 'joining';
  readonly span: Span;
  /** The choice to check. The author means it, so this is a warning. */
  readonly choice?: Choice;
}

function registerGrants({ password }: Auth): readonly Grant[] {
  const fields = (password?.registerInputs ?? []).flatMap(({ field }) => field ?? []);
  return fields.flatMap((field) => (field === password?.hash ? [] : { field, by: 'register', span: field.span }));
}

/**
 * Finds the fields that callers could grant to themselves: those that they may set because of who they are, not of what
 * they may do.
 */
function grantsOf(endpoint: Endpoint, { model, password }: Auth, rules: Rules): readonly Grant[] {
  const guards = endpoint.authorize.filter((guard) => !isAlways(guard));
  const asksOnlyWho = !guards.some(isPrivileged);
  // If anybody can register, being signed in proves nothing.
  const isForAll = password?.registerInputs !== undefined && guards.every(isForAnybody);
  const grants = new Map<Field, Grant>();
  for (const sent of sentFields(endpoint)) {
    const { field, choice, action } = sent;
    // The owner of a record may decide whose it is; naming somebody else is a `foreign-record`.
    if (field.reference?.to === model && guards.length > 0) continue;
    const rule = rules.get(field);
    const isOpen = sent.isGiven && (guards.length === 0 || (isForAll && !sent.isOfCaller));
    const isMeant = !isOpen && isListed(sent);
    const isJoined = guards.length > 0 && isJoining(sent, model, rule);
    const isGranted = isOpen || (asksOnlyWho && (!isMeant || isJoined));
    const earlier = grants.get(field);
    if (!isGranted || (earlier && (isMeant || !earlier.choice))) continue;
    if (rule?.side === 'record' && isDecided(endpoint, sent, rules)) continue;
    if ((isMeant || (choice.by === 'input' && choice.query)) && isChecked(endpoint, action, choice)) continue;
    const by = isOpen ? 'endpoint' : isMeant && action.kind === 'create' ? 'joining' : 'own-record';
    grants.set(field, { field, by, span: endpoint.span, ...(isMeant && { choice }) });
  }
  return [...grants.values()];
}

/** Whether the author lists the input, or finds the record by the path or by a query. */
function isListed({ choice, isGiven }: Sent): boolean {
  return !isGiven || choice.by === 'path' || choice.input.named;
}

/** Whether the record that is written may make the caller a member of what the client chooses. */
function isJoining({ field, isGiven, action }: Sent, model: Model, rule: Rule | undefined): boolean {
  const isOfMember = rule?.side === 'record' || (field.reference && field.model !== model);
  if (!rule?.isGuard || !isOfMember) return false;
  return isGiven || action.kind !== 'create' || action.values.some(({ value }) => isOfCaller(value));
}

/** Whether the endpoint says who may set this field of a member: the owner of what it is a member of, or such a member. */
function isDecided(endpoint: Endpoint, sent: Sent, rules: Rules): boolean {
  const { field, choice, action } = sent;
  if (isListed(sent) && !rules.get(field)?.isGuard) return true;
  if (field.reference) return isChecked(endpoint, action, choice);
  return endpoint.authorize.some(
    (guard) =>
      membershipFields(guard).includes(field) ||
      demands(guard, (part) => tiesIn(part).some((tie) => isOwner(tie) && !rules.has(ownerField(tie) as Field))),
  );
}

function reportSelfGranted(context: Context, grants: readonly Grant[], rules: Rules): void {
  for (const { field, by, span, choice } of grants) {
    const rule = rules.get(field);
    if (!rule) continue;
    const isSubject = rule.span === field.span;
    context.report('self-granted', span, {
      field: nameOf(field),
      by,
      isSubject,
      side: rule.side,
      rule: isSubject ? undefined : rule.span,
      isReference: field.reference !== undefined,
      isRequired: !field.type.nullable && !field.default,
      isInternal: field.internal,
      isLogin: by === 'register' && field.unique,
      choice: choice && factsOf(choice),
    });
  }
}

function nameOf(field: Field): string {
  return `${field.model.name}.${writtenName(field)}`;
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
  if (authorize.length > 0) return;
  const [write] = actions.flatMap((action) => writeOf(action) ?? []);
  const run = actions.find((action) => action.kind === 'run');
  if (write) context.report('open-write', span, { model: write.model.name });
  else if (run) context.report('open-write', span, { job: run.job.name, isMail: run.job.delivers === 'mail' });
}

// ── Null pairs ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Two sides of a rule that may both be null are equal if both are null: a caller without a team would get the records
// without one.

function reportNullPairs(context: Context, endpoint: Endpoint): void {
  const { authorize } = endpoint;
  // A job knows no caller, so nothing can be said of it there.
  const filters = filtersOf({ ...endpoint, actions: endpoint.actions.filter(({ within }) => !within) });
  for (const rule of [...authorize, ...filters]) {
    const known = new Set([...authorize, rule].flatMap((condition) => factsWhen(condition, true)));
    for (const { caller, path, span } of pairsIn(rule))
      if (!known.has(valueKey(caller)) && !known.has(valueKey(path)))
        context.report('null-is-null', span, { caller: textOf(caller), other: textOf(path), span });
  }
}

function pairsIn(rule: Expression): readonly (Tie & { readonly span: Span })[] {
  if (rule.kind !== 'operation') return [];
  if (rule.operator === 'and' || rule.operator === 'or') return rule.operands.flatMap(pairsIn);
  if (rule.operator !== 'is') return [];
  return tiesIn(rule)
    .filter(({ caller, path }) => caller.type.nullable && path.type.nullable && !isSomebody(caller))
    .map((tie) => ({ ...tie, span: rule.span }));
}

function textOf({ root, steps }: Path): string {
  return [rootKey(root), ...steps.map(({ name }) => name)].filter((name) => name !== '').join('.');
}
