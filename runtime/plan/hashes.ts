import type { Action } from '../../compiler/definition/endpoint.ts';
import type { Call, Expression } from '../../compiler/definition/expression.ts';

/** The calls of `cryptoHash` in actions whose values are known as soon as the inputs are. */
export function hashesOfInputs(actions: readonly Action[]): readonly Call[] {
  return callsIn(actions).filter(({ arguments: args }) => args.every(isOfInputs));
}

function callsIn(value: unknown): readonly Call[] {
  if (typeof value !== 'object' || value === null) return [];
  const { kind, function: name } = value as Partial<Call>;
  if (kind === 'call' && name === 'cryptoHash') return [value as Call];
  return Object.values(value).flatMap(callsIn);
}

/** What is random is another one each time. */
function isOfInputs(expression: Expression): boolean {
  switch (expression.kind) {
    case 'input':
    case 'literal':
      return true;
    case 'operation':
      return expression.operands.every(isOfInputs);
    case 'convert':
      return isOfInputs(expression.value);
    case 'call':
      return expression.function !== 'cryptoToken' && expression.arguments.every(isOfInputs);
    default:
      return false;
  }
}
