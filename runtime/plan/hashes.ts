import type { Action, Call, Expression } from '../../compiler/definition/definition.ts';
import { nodesIn } from '../../compiler/definition/nodes.ts';

/** The calls of `cryptoHash` in actions whose values are known as soon as the inputs are. */
export function hashesOfInputs(actions: readonly Action[]): readonly Call[] {
  const calls = [...nodesIn(actions)].filter(({ kind, function: name }) => kind === 'call' && name === 'cryptoHash');
  return (calls as unknown as readonly Call[]).filter(({ arguments: args }) => args.every(isOfInputs));
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
