/** What a rule asks of its callers: that they are somebody, who they are, or that they have something that not everybody has. */
import type { Call, Expression, Step } from '../program/program.ts';
import { isNull } from './narrowing.ts';

/** `authorize { true }` says that everybody is meant to come in. */
export function isAlways(guard: Expression): boolean {
  return guard.kind === 'literal' && guard.value === true;
}

/**
 * Whether a rule asks for something that not everybody who is signed in has: `@auth.role is "admin"`. To be the owner of
 * a record, or to belong to its tenant, is no such thing, and neither is not being banned. Of an `or` the weaker side
 * counts. What a hook asks is not known, and counts.
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
export function isForAnybody(guard: Expression): boolean {
  if (guard.kind !== 'operation') return isAlways(guard);
  if (guard.operator === 'and') return guard.operands.every(isForAnybody);
  if (guard.operator === 'or') return guard.operands.some(isForAnybody);
  return guard.operator === 'is not' && guard.operands.some(isNull) && guard.operands.some(isSomebody);
}

/** Whether a path is null only where nobody is signed in. */
export function isSomebody(side: Expression): boolean {
  return side.kind === 'path' && side.root.kind === 'auth' && side.steps.every((step) => !mayBeNull(step));
}

function mayBeNull(step: Step): boolean {
  if (step.kind === 'field') return step.type.nullable;
  return step.kind !== 'reference' || step.nullable;
}
