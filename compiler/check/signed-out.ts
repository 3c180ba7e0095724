/**
 * What an `authorize` comes out as when nobody is signed in. `@auth` and all that is read from it is null then: it is not
 * true and equals nothing, so `not @auth.banned` and `@auth.role is not "guest"` are true. Nobody has no records, so
 * `count(@auth.strikes) < 3` is true too.
 */
import { pathsIn } from '../program/paths-in.ts';
import type { Call, Endpoint, Expression, Operation } from '../program/program.ts';
import type { Context } from './context.ts';
import { isNull } from './narrowing.ts';

/** `open` where it depends on something else. */
type Outcome = 'true' | 'false' | 'open';

export function reportTrueWhenSignedOut(context: Context, { authorize }: Endpoint): void {
  if (authorize.some((guard) => outcomeOf(guard) === 'false')) return;
  for (const { span } of authorize.flatMap(slips)) context.report('true-when-signed-out', span, { span });
}

/** The parts that say something of the caller and let in everybody who is not signed in. */
function slips(condition: Expression): readonly Expression[] {
  if (outcomeOf(condition) === 'false' || asksForNobody(condition)) return [];
  const all = operandsOf(condition, 'and');
  if (all) return all.flatMap(slips);
  const any = operandsOf(condition, 'or');
  // `@auth is null or not @auth.banned` says that everybody else is meant too.
  if (any) return any.some(asksForNobody) ? [] : any.flatMap(slips);
  return outcomeOf(condition) === 'true' && pathsIn(condition).some(isOfCaller) ? [condition] : [];
}

function operandsOf(condition: Expression, operator: Operation['operator']): readonly Expression[] | undefined {
  return condition.kind === 'operation' && condition.operator === operator ? condition.operands : undefined;
}

/** `@auth is null`. */
function asksForNobody(condition: Expression): boolean {
  const sides = operandsOf(condition, 'is') ?? [];
  return sides.some(isNull) && sides.some(isOfCaller);
}

function outcomeOf(condition: Expression): Outcome {
  switch (condition.kind) {
    case 'literal':
      return condition.value === true ? 'true' : 'false';
    case 'path':
      return isOfCaller(condition) ? 'false' : 'open';
    case 'operation':
      return outcomeOfOperation(condition);
    case 'call':
      return outcomeOfCall(condition);
    default:
      return 'open';
  }
}

function outcomeOfCall({ function: name, arguments: args }: Call): Outcome {
  if (name === 'exists') return args.some(isOfCaller) ? 'false' : 'open';
  if (name !== 'if') return 'open';
  const [asked, then, otherwise] = args.map(outcomeOf) as [Outcome, Outcome, Outcome];
  if (asked !== 'open') return asked === 'true' ? then : otherwise;
  return then === otherwise ? then : 'open';
}

function outcomeOfOperation({ operator, operands }: Operation): Outcome {
  switch (operator) {
    case 'and':
      return joined(operands.map(outcomeOf), 'false', 'true');
    case 'or':
      return joined(operands.map(outcomeOf), 'true', 'false');
    case 'not':
      return OPPOSITE[outcomeOf(operands[0] as Expression)];
    case 'is not':
      return OPPOSITE[comparison('is', operands)];
    case 'not in':
      return OPPOSITE[comparison('in', operands)];
    default:
      return comparison(operator, operands);
  }
}

/** Only a test for null finds the null that a path from `@auth` is. */
function comparison(operator: Operation['operator'], operands: readonly Expression[]): Outcome {
  if (operands.some(isOfCaller)) return operator === 'is' && operands.some(isNull) ? 'true' : 'false';
  const [left, right] = operands.map(numberOf);
  const compare = COMPARISONS[operator];
  return compare && left !== undefined && right !== undefined ? (compare(left, right) ? 'true' : 'false') : 'open';
}

const COMPARISONS: Readonly<Partial<Record<Operation['operator'], (left: number, right: number) => boolean>>> = {
  is: (left, right) => left === right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

function numberOf(side: Expression): number | undefined {
  if (side.kind === 'literal') return typeof side.value === 'number' ? side.value : undefined;
  const isOfNothing = side.kind === 'call' && (side.function === 'count' || side.function === 'sum');
  return isOfNothing && side.arguments.some(isOfCaller) ? 0 : undefined;
}

/** One that decides is enough; all that agree decide too. */
function joined(outcomes: readonly Outcome[], decisive: Outcome, other: Outcome): Outcome {
  if (outcomes.includes(decisive)) return decisive;
  return outcomes.every((outcome) => outcome === other) ? other : 'open';
}

const OPPOSITE: Readonly<Record<Outcome, Outcome>> = { true: 'false', false: 'true', open: 'open' };

function isOfCaller(side: Expression): boolean {
  return side.kind === 'path' && side.root.kind === 'auth';
}
