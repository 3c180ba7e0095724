/**
 * Expressions of the definition become closures, once. What they give for a request is what Postgres would give for the
 * same values. Those that read the database are not evaluated here: asking for one is a mistake of our own.
 */
import type { Expression, HookValue, Operation } from '../../compiler/definition/definition.ts';
import type { Value } from '../values/value.ts';
import { aggregateOf } from './aggregate.ts';
import { arithmetic, negate } from './arithmetic.ts';
import { callOf } from './calls.ts';
import { member, ordered, same } from './comparison.ts';
import { asynchronous, binary, type Compiled, type Environment, firstOf, nary, strictPair, unary } from './compiled.ts';
import { convert } from './convert.ts';
import { checked, fittedValue, type Operand } from './fit.ts';
import { memberOf, objectOf } from './objects.ts';
import { isOverServerValues } from './server-only.ts';
import { argumentOf, authenticated, inputOf, literalOf, snapshotOf } from './sources.ts';

export type { Compiled, Environment } from './compiled.ts';

export function compileExpression(expression: Expression, environment: Environment): Compiled {
  const instead = environment.instead?.(expression, (part) => compileExpression(part, environment));
  return instead ?? compiledFrom(expression, environment);
}

function compiledFrom(expression: Expression, environment: Environment): Compiled {
  const operand = (part: Expression) => operandFrom(part, environment);
  switch (expression.kind) {
    case 'literal':
      return literalOf(expression);
    case 'list':
      return nary(expression.items.map(operand), (items) => items);
    case 'object':
      return objectOf(
        expression,
        expression.members.map(({ value }) => operand(value)),
      );
    case 'member':
      return memberOf(expression, operand(expression.of));
    case 'snapshot':
      return snapshotOf(expression);
    case 'input':
      return inputOf(expression);
    case 'argument':
      return argumentOf(expression);
    case 'authenticated':
      return authenticated();
    case 'operation':
      return operationOf(expression, expression.operands.map(operand), environment);
    case 'truth':
      return isTrue(operand(expression.value));
    case 'convert':
      if (expression.checked) return checked(operand(expression.value), expression, environment);
      return convert(operand(expression.value), expression.type);
    case 'call':
      return callOf(expression, expression.arguments.map(operand), environment);
    case 'hook':
      return hookOf(expression, environment);
    case 'aggregate':
      if (isOverServerValues(expression)) return aggregateOf(expression, operand(expression.value), environment);
      throw notHere(expression);
    case 'field':
    case 'computed':
    case 'collect':
    case 'key':
    case 'fold':
    case 'iterator':
    case 'faker':
      throw notHere(expression);
  }
}

function operandFrom(expression: Expression, environment: Environment): Operand {
  return { ...compileExpression(expression, environment), type: expression.type };
}

function notHere({ kind }: Expression): Error {
  return new Error(`an expression of the kind ${kind} cannot be evaluated here`);
}

function isTrue(part: Compiled): Compiled {
  return unary(part, (value) => value === true);
}

function operationOf(operation: Operation, operands: readonly Operand[], environment: Environment): Compiled {
  const { operator, type } = operation;
  switch (operator) {
    case 'and':
      return isTrue(firstOf(operands, (value) => value !== true));
    case 'or':
      return isTrue(firstOf(operands, (value) => value === true));
    case 'not':
      return unary(only(operands), (value) => value !== true);
    case 'is':
      return same(pair(operands), environment);
    case 'in':
      return member(pair(operands), environment);
    case 'join':
      return operands.slice(1).reduce<Compiled>((left, right) => binary(left, right, joined), only(operands));
    case 'negate':
      return negate(only(operands), environment);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(operator, pair(operands), environment);
    default:
      return arithmetic(operator, pair(operands), type, environment);
  }
}

const joined = strictPair((a, b) => `${a}${b}`);

function only([operand]: readonly Operand[]): Operand {
  if (!operand) throw new Error('an operation without an operand');
  return operand;
}

function pair([left, right]: readonly Operand[]): readonly [Operand, Operand] {
  if (!left || !right) throw new Error('an operation without two operands');
  return [left, right];
}

/** What custom code gives must at least be something that JSON can say. */
function hookOf({ hook, type }: HookValue, environment: Environment): Compiled {
  const call = environment.hook(hook);
  // One that declares its result is held to it where it is called.
  if (hook.returns) return asynchronous(async (scope, args) => (await call(scope, args)) as Value);
  return asynchronous(async (scope, args) => {
    const result = (await call(scope, args)) ?? null;
    return result === null ? null : fittedValue(result, type, environment.enumValues);
  });
}
