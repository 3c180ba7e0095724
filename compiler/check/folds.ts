/** Aggregates over the records of a group. */
import type * as ast from '../ast/ast.ts';
import type { Expression, Fold, FunctionName, Type } from '../program/program.ts';
import { FLOAT, INTEGER, isAny, nonNull, nullable, typeName } from '../program/type.ts';
import { isNumber, isOrdered } from '../program/type-traits.ts';
import type { Context } from './context.ts';
import { pathText } from './path-text.ts';
import { reported } from './reported.ts';
import type { Grouped, Scope } from './scope.ts';

const FOLDING: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'min', 'max']);

export function isFolding(name: FunctionName): name is Fold['function'] {
  return FOLDING.has(name);
}

/** `count()` counts the records; the others take a value of each of them. */
export function checkFold(
  context: Context,
  call: ast.Call,
  name: Fold['function'],
  grouped: Grouped,
  saidInputs: Scope['saidInputs'],
): Expression {
  const { span } = call;
  const wanted = name === 'count' ? 0 : 1;
  const row = saidInputs ? { ...grouped.row, saidInputs } : grouped.row;
  const values = call.arguments.map((argument) => context.checkExpression(context, argument, row));
  if (values.length !== wanted) {
    const facts = { function: name, fewest: wanted, most: wanted, count: values.length };
    context.report('wrong-argument-count', span, facts);
    return reported(span);
  }
  const [value] = values;
  if (!value) return { kind: 'fold', function: name, value: undefined, type: INTEGER, span };
  if (!fits(value.type, name)) {
    reportArgument(context, call, name, value);
    return reported(span);
  }
  return { kind: 'fold', function: name, value, type: typeOf(value.type, name, grouped), span };
}

function fits(type: Type, name: Fold['function']): boolean {
  if (type.many || isAny(type)) return false;
  return name === 'sum' || name === 'avg' ? isNumber(type) : isOrdered(type);
}

function reportArgument(context: Context, call: ast.Call, name: Fold['function'], { type, span }: Expression): void {
  if (isAny(type)) return;
  context.report('wrong-argument', span, {
    function: name,
    wants: name === 'sum' || name === 'avg' ? 'a number of each record' : 'a value of each record that has an order',
    type: typeName(type),
    record: type.base.kind === 'record',
    path: pathText(call.arguments[0]),
  });
}

/** A sum of nothing is 0. Of the others there is none, where no record has a value. */
function typeOf(type: Type, name: Fold['function'], { mayBeEmpty }: Grouped): Type {
  if (name === 'sum') return nonNull(type);
  const one = name === 'avg' && type.base.kind !== 'decimal' ? { ...FLOAT, nullable: type.nullable } : type;
  return mayBeEmpty ? nullable(one) : one;
}
