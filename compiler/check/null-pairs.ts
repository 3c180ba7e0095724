/** Two sides of a rule that may both be null are equal then: whoever has no team would get the records that have none. */
import type { Endpoint, Expression, Path } from '../program/program.ts';
import type { Context } from './context.ts';
import { factsWhen, rootKey, valueKey } from './narrowing.ts';
import { isSomebody } from './privileges.ts';
import { tiesIn } from './ties.ts';

export function reportNullPairs(context: Context, { authorize, list, actions }: Endpoint): void {
  const filters = [
    list?.filter,
    ...actions.map((action) => (action.kind === 'query' ? action.query.filter : undefined)),
  ];
  for (const rule of [...authorize, ...filters]) {
    const pairs = rule ? pairsIn(rule) : [];
    if (!rule || pairs.length === 0) continue;
    const known = new Set([...authorize, rule].flatMap((condition) => factsWhen(condition, true)));
    for (const { caller, other, span } of pairs) {
      if (known.has(valueKey(caller)) || known.has(valueKey(other))) continue;
      context.report('null-is-null', span, { caller: textOf(caller), other: textOf(other), span });
    }
  }
}

interface Pair {
  readonly caller: Path;
  readonly other: Path;
  readonly span: Expression['span'];
}

function pairsIn(rule: Expression): readonly Pair[] {
  if (rule.kind !== 'operation') return [];
  if (rule.operator === 'and' || rule.operator === 'or') return rule.operands.flatMap(pairsIn);
  if (rule.operator !== 'is') return [];
  return tiesIn(rule)
    .filter(({ caller, path }) => caller.type.nullable && path.type.nullable && !isSomebody(caller))
    .map(({ caller, path }) => ({ caller, other: path, span: rule.span }));
}

function textOf({ root, steps }: Path): string {
  return [rootKey(root), ...steps.map(({ name }) => name)].filter((name) => name !== '').join('.');
}
