/**
 * What rules compare with the caller: `note.owner is @auth` and `@auth in team.users` tie a record to whoever may come in.
 * Rules are expected as they are written out, with the caller named.
 */
import { pathsIn, pathsInHook, pathsInQuery } from '../program/paths-in.ts';
import type { Expression, Field, Path, Step } from '../program/program.ts';
import { fieldsOf } from './fields-of-caller.ts';

export interface Tie {
  /** From a record that is not the caller's. */
  readonly path: Path;
  readonly caller: Path;
  /** To one record, and not to one of several. */
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

/** Whether the tie asks for the one who is named in a record, as in `note.owner is @auth`. */
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

/** Whether nobody passes the rule without passing such a part of it. */
export function demands(rule: Expression, isSuch: (part: Expression) => boolean): boolean {
  if (rule.kind !== 'operation') return isSuch(rule);
  if (rule.operator === 'and') return rule.operands.some((part) => demands(part, isSuch));
  if (rule.operator === 'or') return rule.operands.every((part) => demands(part, isSuch));
  return isSuch(rule);
}

/**
 * The fields of other records that say whom a rule lets in: of `@auth in project.members.user` the project and the user
 * of a member. The references that lead there from the record at hand are fields of that record, and say whose it is.
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

/** What is read by members on the way that have names: the paths of computed members, queries and hooks, and of theirs. */
export function pathsWithin(steps: readonly Step[], seen = new Set<Step>()): readonly Path[] {
  return steps.flatMap((step) => {
    if (seen.has(step)) return [];
    seen.add(step);
    const paths = pathsOfMember(step);
    const walked = step.kind === 'query' ? (step.query?.steps ?? []) : [];
    return [...paths, ...pathsWithin([...walked, ...paths.flatMap((path) => path.steps)], seen)];
  });
}

/** What is missing has been reported. */
function pathsOfMember(step: Step): readonly Path[] {
  if (step.kind === 'computed') return step.value ? pathsIn(step.value) : [];
  if (step.kind === 'query') return step.query ? pathsInQuery(step.query) : [];
  return step.kind === 'hook' && step.call ? pathsInHook(step.call) : [];
}
