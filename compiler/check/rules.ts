/**
 * Ties between records and the caller: rules such as `note.owner is @auth` and `@auth in team.users` tie a record to
 * the callers whom they let in. Rules are expected in their written-out form, with the caller named.
 */

import { isNull, pathsIn, pathsInHook, pathsInQuery } from '../program/parts.ts';
import type { Call, Expression, Field, Path, Step } from '../program/program.ts';
import { typeOfMember } from '../program/type.ts';

export interface Tie {
  /** The path from a record that is not the caller's. */
  readonly path: Path;
  readonly caller: Path;
  /** Whether the tie is to one record, and not to one of several. */
  readonly isOne: boolean;
}

/** All ties in a rule, also those of an `or` that need not hold. */
export function tiesIn(rule: Expression): readonly Tie[] {
  if (rule.kind !== 'operation') return rule.kind === 'call' ? rule.arguments.flatMap(tiesIn) : [];
  if (rule.operator !== 'is' && rule.operator !== 'in') return rule.operands.flatMap(tiesIn);
  const [left = [], right = []] = rule.operands.map(pathsIn);
  return [...tiesBetween(left, right), ...tiesBetween(right, left)];
}

function tiesBetween(callers: readonly Path[], others: readonly Path[]): readonly Tie[] {
  const caller = callers.find((path) => isOfCaller(path));
  if (!caller) return [];
  return others.filter((path) => !isOfCaller(path)).map((path) => ({ path, caller, isOne: !path.type.many }));
}

export function isOfCaller(side: Expression): boolean {
  return side.kind === 'path' && side.root.kind === 'auth';
}

/** Tells whether a path starts at the caller or goes through a member that reads the caller. */
export function readsCaller(path: Path): boolean {
  return isOfCaller(path) || pathsWithin(path.steps).some(isOfCaller);
}

/** Whether the tie requires the user that a record names, as in `note.owner is @auth`. */
export function isOwner(tie: Tie): boolean {
  return (
    tie.isOne &&
    tie.caller.steps.every((step) => step.kind === 'field' && step.origin === 'id') &&
    ownerField(tie) !== undefined
  );
}

/** The field of a record that says to whom it belongs; an id says which record it is. */
export function ownerField({ path }: Pick<Tie, 'path'>): Field | undefined {
  const last = path.steps.at(-1);
  if (last?.kind === 'reference') return last.field;
  return last?.kind === 'field' && last.origin !== 'id' ? last : undefined;
}

/** Whether the rule lets nobody in without such a part of it. */
export function demands(rule: Expression, isSuch: (part: Expression) => boolean): boolean {
  if (rule.kind !== 'operation') return isSuch(rule);
  if (rule.operator === 'and') return rule.operands.some((part) => demands(part, isSuch));
  if (rule.operator === 'or') return rule.operands.every((part) => demands(part, isSuch));
  return isSuch(rule);
}

/**
 * The fields of other records that decide whom a rule lets in: for `@auth in project.members.user`, the project and the
 * user of a member. The references that lead there from the current record are fields of that record, and say whose it
 * is.
 */
export function membershipFields(rule: Expression): readonly Field[] {
  const tied = tiesIn(rule).map(({ path }) => path.steps.slice(path.steps.findIndex(isOfOthers)));
  const asked = pathsIn(rule).flatMap(({ steps }) => steps.filter(isOfCallersRecords));
  const found = [...tied.filter(([first]) => first && isOfOthers(first)), asked];
  return found.flatMap((steps) => [...fieldsOf(steps, new Set())]);
}

function isOfOthers({ kind }: Step): boolean {
  return kind === 'relation' || kind === 'query';
}

/** A query that finds only records of the caller: `filter { user is @auth }`. */
function isOfCallersRecords(step: Step): boolean {
  const filter = step.kind === 'query' ? step.query?.filter : undefined;
  return filter !== undefined && demands(filter, (part) => tiesIn(part).length > 0);
}

/**
 * The paths that named members on the way read: computed members, queries and hooks, and the members that these use.
 */
export function pathsWithin(steps: readonly Step[], seen = new Set<Step>()): readonly Path[] {
  return steps.flatMap((step) => {
    if (seen.has(step)) return [];
    seen.add(step);
    const paths = pathsOfMember(step);
    const walked = step.kind === 'query' ? (step.query?.steps ?? []) : [];
    return [...paths, ...pathsWithin([...walked, ...paths.flatMap((path) => path.steps)], seen)];
  });
}

/** The paths that a member reads. A missing value has been reported. */
function pathsOfMember(step: Step): readonly Path[] {
  if (step.kind === 'computed') return step.value ? pathsIn(step.value) : [];
  if (step.kind === 'query') return step.query ? pathsInQuery(step.query) : [];
  return step.kind === 'hook' && step.call ? pathsInHook(step.call) : [];
}

// ── Fields of the caller ────────────────────────────────────────────────────────────────────────────────────────────

/** The stored fields on which the value of a path from `@auth` depends; none for other paths, and none for the id. */
export function fieldsOfCaller({ root, steps }: Path): readonly Field[] {
  return root.kind === 'auth' ? [...fieldsOf(steps, new Set())] : [];
}

/** The fields that a hook sees of the record at the end of a path. */
export function fieldsGivenTo({ type }: Path): ReadonlySet<Field> {
  const fields = type.base.kind === 'record' ? type.base.model.fields : [];
  return new Set(fields.filter(({ origin, secret }) => origin !== 'id' && !secret));
}

function fieldsOf(steps: readonly Step[], seen: Set<Step>): ReadonlySet<Field> {
  const fields = new Set<Field>();
  for (const step of steps) {
    if (seen.has(step)) continue;
    seen.add(step);
    for (const field of fieldsOfStep(step, seen)) if (field.origin !== 'id') fields.add(field);
  }
  return fields;
}

function fieldsOfStep(step: Step, seen: Set<Step>): Iterable<Field> {
  switch (step.kind) {
    case 'field':
      return [step];
    case 'reference':
      return [step.field];
    case 'relation':
      return [step.through.field];
    default: {
      const walked = step.kind === 'query' ? (step.query?.steps ?? []) : [];
      const lists = [walked, ...pathsOfMember(step).map(({ steps }) => steps)];
      return lists.flatMap((steps) => [...fieldsOf(steps, seen)]);
    }
  }
}

// ── What rules ask of callers ───────────────────────────────────────────────────────────────────────────────────────

// The requirements of a rule on its callers: to be signed in, to be a certain user, or to have something that not
// everybody has.

/** `authorize { true }` says that everybody is meant to come in. */
export function isAlways(guard: Expression): boolean {
  return guard.kind === 'literal' && guard.value === true;
}

/**
 * Whether a rule requires something that not every signed-in caller has: `@auth.role is "admin"`. Owning a record,
 * belonging to its tenant and not being banned do not count. The weaker side of an `or` decides. A hook counts, because
 * its requirement is not known.
 */
export function isPrivileged(guard: Expression): boolean {
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

/** Whether both branches require it. In `if(@auth.role is "admin", true, false)` the second branch lets nobody in. */
function isPrivilegedChoice({ arguments: [asked, then, otherwise] }: Call): boolean {
  const branches = [[asked, then], [otherwise]] as readonly (readonly Expression[])[];
  return branches.filter((branch) => !branch.some(isNever)).every((branch) => branch.some(isPrivileged));
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

/**
 * Whether a path from the caller ends in a value of its own, or goes through records that refer to the caller. A claim
 * counts too.
 */
function asksOfCaller(side: Expression): boolean {
  if (side.kind === 'path' && side.root.kind === 'request') return side.root.from === 'claim';
  if (side.kind !== 'path' || side.root.kind !== 'auth') return false;
  return side.steps.some((step) => step.kind !== 'reference' && !isKey(step));
}

function isKey(step: Step): boolean {
  return step.kind === 'field' && step.origin !== 'written';
}

/** Whether a rule lets in every signed-in caller. */
export function isForAnybody(guard: Expression): boolean {
  if (guard.kind !== 'operation') return isAlways(guard);
  if (guard.operator === 'and') return guard.operands.every(isForAnybody);
  if (guard.operator === 'or') return guard.operands.some(isForAnybody);
  return guard.operator === 'is not' && guard.operands.some(isNull) && guard.operands.some(isSomebody);
}

/** Whether a path is null only when nobody is signed in. */
export function isSomebody(side: Expression): boolean {
  return side.kind === 'path' && side.root.kind === 'auth' && side.steps.every((step) => !typeOfMember(step).nullable);
}
