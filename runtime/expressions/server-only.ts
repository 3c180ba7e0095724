import type { Expression } from '../../compiler/definition/expression.ts';
import { isBounded } from '../../compiler/definition/functions.ts';

/** Whether the server has all that the expression needs, so that its value can be bound to a statement. */
export function isServerOnly(expression: Expression): boolean {
  switch (expression.kind) {
    case 'field':
    case 'computed':
    case 'collect':
    case 'key':
    case 'fold':
      return false;
    case 'aggregate':
      return isOverServerValues(expression);
    case 'hook':
      return expression.hook.arguments.every((argument) => argument.kind === 'query' || isServerOnly(argument.value));
    default:
      return partsOf(expression).every(isServerOnly);
  }
}

/** Whether its value can be too large for its type, which is an error in the server. */
export function mayBeOutOfRange(expression: Expression): boolean {
  return isBounded(expression) || partsOf(expression).some(mayBeOutOfRange);
}

/** A path that reads the database has steps. */
export function isOverServerValues(
  expression: Expression & { readonly kind: 'aggregate' },
): expression is Expression & { readonly kind: 'aggregate'; readonly value: Expression } {
  return expression.path.length === 0 && expression.value !== null && isServerOnly(expression.value);
}

/** The expressions directly inside. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'list':
      return expression.items;
    case 'object':
      return expression.members.map(({ value }) => value);
    case 'member':
      return [expression.of];
    case 'operation':
      return expression.operands;
    case 'truth':
    case 'convert':
    case 'collect':
      return [expression.value];
    case 'aggregate':
      return expression.value === null ? [] : [expression.value];
    case 'call':
    case 'faker':
      return expression.arguments;
    case 'hook':
      return expression.hook.arguments.flatMap((argument) => (argument.kind === 'value' ? [argument.value] : []));
    default:
      return [];
  }
}
