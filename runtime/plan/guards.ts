/**
 * The parts of `authorize` that do not need the records of the path. They are checked first, so a 404 does not reveal
 * which records exist.
 */
import type { Endpoint, Expression, Operation } from '../../compiler/definition/definition.ts';
import { isHookInside, mentions } from './mentions.ts';

export interface Guards {
  readonly beforeRecords: readonly Expression[];
  readonly afterRecords: readonly Expression[];
}

export function guardsOf({ authorize, records }: Endpoint): Guards {
  const names = new Set(records.map(({ record }) => record));
  const isFree = (condition: Expression) => names.size > 0 && !mentions(condition, names);
  return {
    beforeRecords: authorize.flatMap((condition) => (isFree(condition) ? [condition] : needed(condition, names))),
    afterRecords: authorize.filter((condition) => !isFree(condition)),
  };
}

/** What must be true for the condition to be true, whatever the records are; nothing where that cannot be said. */
function needed(condition: Expression, names: ReadonlySet<string>): readonly Expression[] {
  if (names.size === 0) return [];
  // The code of a hook runs once for a request, with the whole condition.
  if (!mentions(condition, names)) return isHookInside(condition) ? [] : [condition];
  if (condition.kind === 'truth') return needed(condition.value, names);
  if (condition.kind !== 'operation') return [];
  if (condition.operator === 'and') return condition.operands.flatMap((operand) => needed(operand, names));
  return condition.operator === 'or' ? neededOfAny(condition, names) : [];
}

function neededOfAny(condition: Operation, names: ReadonlySet<string>): readonly Expression[] {
  const parts = condition.operands.map((operand) => needed(operand, names));
  if (parts.some((part) => part.length === 0)) return [];
  const operands = parts.map((part) => all(part, condition));
  return [{ ...condition, operands }];
}

function all(parts: readonly Expression[], around: Operation): Expression {
  return parts.length === 1 ? (parts[0] as Expression) : { ...around, operator: 'and', operands: parts };
}
