import type { Expression } from './program.ts';

/** Whether it is one value that is a list, as opposed to the values of many records. */
export function isListValue(expression: Expression): boolean {
  if (!expression.type.many || expression.type.base.kind === 'record') return false;
  if (expression.kind === 'member') return !expression.of.type.many;
  if (expression.kind !== 'path') return true;
  const { root, steps } = expression;
  const last = steps.at(-1);
  if (last) return last.kind === 'field' && last.type.many;
  return root.kind === 'input' || root.kind === 'argument';
}
