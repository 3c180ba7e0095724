/**
 * The parts of `authorize` that do not need the records of the path. They are checked first, so a 404 does not reveal
 * which records exist.
 */
import type { Endpoint, Expression, Operation, Read } from '../../compiler/definition/definition.ts';
import { isHookInside, mentions, mentionsRead } from './mentions.ts';

export interface Guards {
  readonly beforeRecords: readonly Expression[];
  readonly afterRecords: readonly Expression[];
  /** Whether a value that the database calculates decides, which may be out of range. */
  readonly readsCalculated: boolean;
}

export function guardsOf({ authorize, authReads, records }: Endpoint): Guards {
  const names = new Set(records.map(({ record }) => record));
  const conditions = authorize.flatMap(conjuncts);
  const isFree = (condition: Expression) => names.size > 0 && !mentions(condition, names);
  const before = conditions.flatMap((condition) => (isFree(condition) ? [condition] : needed(condition, names)));
  return {
    // Code runs only for callers whom nothing else refuses.
    beforeRecords: [...before.filter((each) => !isHookInside(each)), ...before.filter(isHookInside)],
    afterRecords: conditions.filter((condition) => !isFree(condition)),
    readsCalculated: readsCalculated({ authorize, authReads, records }),
  };
}

function readsCalculated({
  authorize,
  authReads,
  records,
}: Pick<Endpoint, 'authorize' | 'authReads' | 'records'>): boolean {
  const all = [{ record: '@auth', reads: authReads }, ...records];
  return all.some(({ record, reads }) =>
    reads.some((read) => isCalculated(read) && mentionsRead(authorize, record, read.name)),
  );
}

function isCalculated(read: Read): boolean {
  return read.kind !== 'value' || read.value.kind !== 'field';
}

/** `a and b` is two conditions: the one may need the records, the other not. */
function conjuncts(condition: Expression): readonly Expression[] {
  if (condition.kind === 'truth') return conjuncts(condition.value);
  const isBoth = condition.kind === 'operation' && condition.operator === 'and';
  return isBoth ? condition.operands.flatMap(conjuncts) : [condition];
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
