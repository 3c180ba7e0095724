import type { Create, Each } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { resultName, type Snapshot } from '../expressions/scope.ts';
import { isNear } from '../plan/endpoint-plan.ts';
import type { Bound } from '../query/database.ts';
import { type EachConflict, insertEachOf } from '../query/insert-each.ts';
import type { WrittenValue } from '../query/writes.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { fieldsOf, writtenValue } from './create-fields.ts';
import type { RequestScope } from './request-scope.ts';

/** Makes a record for each item of a list, by one statement for all of them. */
export function createEachAction(action: Create, each: Each, tools: ActionTools): RunAction {
  const { statements, environment } = tools;
  if (!isNear(action.reads, action.model)) throw new Error('a record of a loop is read beyond its own columns');
  const fields = fieldsOf(action, tools);
  const list = compileExpression(each.list, environment);
  const { conflict, others } = conflictOf(action, tools);
  const names = fields.map(({ field }) => field);
  const insert = insertEachOf(action.model, names, conflict, { reads: action.reads, select: null }, statements);
  return async (scope) => {
    const items = ((await list.run(scope)) ?? []) as readonly Value[];
    const rows: (readonly Bound[])[] = [];
    for (const at of items.keys())
      rows.push(
        await evaluated(
          fields.map(({ value }) => value),
          scopeAt(at, items, each, scope),
        ),
      );
    const shared = await evaluated(others, scope);
    scope.records[action.record] = rows.length === 0 ? [] : await insert.write(rows, shared, scope.connection, scope);
  };
}

async function evaluated(values: readonly WrittenValue[], scope: RequestScope): Promise<readonly Bound[]> {
  const found: Bound[] = [];
  for (const { isAsync, run } of values) found.push(isAsync ? await run(scope) : (run(scope) as Bound));
  return found;
}

/** What the actions of the loop see of one item: the item, and the records that were made for it. */
function scopeAt(at: number, items: readonly Value[], { item, made }: Each, scope: RequestScope): RequestScope {
  const own = made.map((record) => [record, (scope.records[record] as readonly Snapshot[])[at] as Snapshot] as const);
  const records = { ...scope.records, ...Object.fromEntries(own), [resultName(item)]: items[at] as Value };
  return { ...scope, records };
}

interface Conflict {
  readonly conflict: EachConflict | null;
  /** What is the same for all items. */
  readonly others: readonly WrittenValue[];
}

function conflictOf(action: Create, tools: ActionTools): Conflict {
  if (!action.onConflict) return { conflict: null, others: [] };
  const { key, changes } = action.onConflict;
  const others: WrittenValue[] = [];
  const place = (field: string, value: Expression) => others.push(writtenValue(field, value, action, tools)) - 1;
  const places = changes.map(({ field, otherwise }) => ({ field, other: otherwise && place(field, otherwise) }));
  return { conflict: { key, changes: places }, others };
}
