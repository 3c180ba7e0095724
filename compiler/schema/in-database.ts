import type { Expression } from '../definition/expression.ts';

/** Whether the database alone can compute it: without code, without a request, without secrets. */
export function isInDatabase(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
    case 'field':
    case 'computed':
      return true;
    case 'list':
      return expression.items.every(isInDatabase);
    case 'collect':
    case 'truth':
    case 'convert':
      return isInDatabase(expression.value);
    case 'aggregate':
      return expression.path.length > 0 && (expression.value === null || isInDatabase(expression.value));
    case 'operation':
      return expression.operands.every(isInDatabase);
    case 'call':
      // Hashes and tokens are made by the server alone.
      return !expression.function.startsWith('crypto') && expression.arguments.every(isInDatabase);
    default:
      return false;
  }
}
