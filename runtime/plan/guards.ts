/**
 * The parts of `authorize` that do not need the records of the path, or only the outer ones. They are checked before an
 * inner record is looked for, so a 404 does not reveal which records exist.
 */
import type { Endpoint, Expression, Operation, Read } from '../../compiler/definition/definition.ts';
import { isHookInside, mentions, mentionsRead } from './mentions.ts';

export interface Guards {
  readonly beforeRecords: readonly Expression[];
  readonly afterRecords: readonly Expression[];
  /** What needs only the outer records: it decides where an inner one is missing. From the outside in. */
  readonly byOuter: readonly OuterGuards[];
  /** Whether a value that the database calculates decides, which may be out of range. */
  readonly readsCalculated: boolean;
}

interface OuterGuards {
  /** How many records of the path it needs. */
  readonly count: number;
  readonly conditions: readonly Expression[];
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
    byOuter: outerGuards(conditions, [...names]),
    readsCalculated: readsCalculated({ authorize, authReads, records }),
  };
}

function outerGuards(conditions: readonly Expression[], names: readonly string[]): readonly OuterGuards[] {
  return names.slice(1).flatMap((_, at) => {
    const [inner, outermost] = [new Set(names.slice(at + 1)), new Set(names.slice(at, at + 1))];
    const decided = conditions.flatMap((each) => (mentions(each, inner) ? needed(each, inner) : [each]));
    const own = decided.filter((each) => mentions(each, outermost));
    return own.length === 0 ? [] : [{ count: at + 1, conditions: own }];
  });
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
