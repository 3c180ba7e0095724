/** Inputs that say how much of a query is wanted: a negative one is refused before anything is done. */
import type { Action, Check, Expression, Input, Validation } from '../program/program.ts';
import { INTEGER } from '../program/type.ts';

/** The inputs of an endpoint, in which those that are a `limit` or an `offset` take no negative number. */
export function withLimitInputs(inputs: readonly Input[], actions: readonly Action[]): readonly Input[] {
  const limits = new Set(actions.flatMap(limitsOf).flatMap(inputOf));
  if (limits.size === 0) return inputs;
  return inputs.map((input) =>
    limits.has(input) && !isNeverNegative(input.validate) ? { ...input, validate: withLeast(input.validate) } : input,
  );
}

function limitsOf(action: Action): readonly Expression[] {
  if (action.kind !== 'query') return [];
  return [action.query.limit, action.query.offset].filter((limit) => typeof limit === 'object');
}

function inputOf(value: Expression): readonly Input[] {
  return value.kind === 'path' && value.root.kind === 'input' ? [value.root.input] : [];
}

function isNeverNegative(validation: Validation | undefined): boolean {
  if (validation?.kind === 'and') return validation.parts.some(isNeverNegative);
  return validation?.kind === 'check' && isLeast(validation);
}

function isLeast({ validator, arguments: [least] }: Check): boolean {
  const isMin = validator.kind === 'built-in' && validator.name === 'min';
  return isMin && least?.kind === 'literal' && Number(least.value) >= 0;
}

function withLeast(validation: Validation | undefined): Validation {
  const span = { file: '', start: 0, end: 0 };
  const least: Check = {
    kind: 'check',
    validator: { kind: 'built-in', name: 'min' },
    value: undefined,
    arguments: [{ kind: 'literal', value: 0, type: INTEGER, span }],
  };
  return validation ? { kind: 'and', parts: [least, validation] } : least;
}
