import type { Grouping, QueryAction } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import { resultName } from '../expressions/scope.ts';
import { isServerOnly } from '../expressions/server-only.ts';
import { countingOf, groupReadingOf, type Reading, readingOf } from '../query/list.ts';
import { lockOf } from '../query/locks.ts';
import type { Statements } from '../query/statements.ts';
import { deleteAllOf, updateAllOf } from '../query/writes.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { assignedValue, fieldOf } from './assigned-values.ts';
import type { RequestScope } from './request-scope.ts';

type Gives = (scope: RequestScope) => Promise<Value>;

/** Reads, counts, changes or deletes the records of a query. */
export function queryAction(action: QueryAction, tools: ActionTools): RunAction {
  const { does, record } = action;
  if (does.kind === 'select') return selecting(action, tools);
  if (does.kind === 'group') return grouping(action, does, tools);
  const gives = does.kind === 'count' ? counting(action, tools) : changing(action, tools);
  return async (scope) => {
    const result = await gives(scope);
    if (record !== null) scope.records[resultName(record)] = result;
  };
}

function counting({ query }: QueryAction, { statements }: ActionTools): Gives {
  const all = countingOf(query, statements);
  return (scope) => all.count(scope.connection, scope);
}

function changing({ query, does }: QueryAction, tools: ActionTools): Gives {
  const { statements } = tools;
  if (does.kind === 'delete') {
    const all = deleteAllOf(query, statements);
    return (scope) => all.change(scope.connection, scope);
  }
  if (does.kind !== 'update') throw new Error(`a query that does \`${does.kind}\` changes nothing`);
  return updating(query, does.values, tools);
}

type Values = Extract<QueryAction['does'], { kind: 'update' }>['values'];

/** What the server knows is evaluated once; what is read of each record, the database evaluates for each. */
function updating(query: QueryAction['query'], values: Values, tools: ActionTools): Gives {
  const model = tools.model(query.model);
  const fields = values.map(({ field, value }) =>
    isServerOnly(value)
      ? { field, value: assignedValue(value, fieldOf(model, field), model, tools.environment) }
      : { field, of: value },
  );
  const all = updateAllOf(query, fields, tools.statements);
  return (scope) => all.change(scope.connection, scope);
}

/** The result as it is goes under a name of its own, beside what later expressions read of the records. */
function selecting({ query, record, does }: QueryAction, { statements, plan }: ActionTools): RunAction {
  if (does.kind !== 'select') throw new Error('not a query that selects');
  const results = readingOf(query, does.select, statements);
  const reads = does.reads.length === 0 ? null : readingOf(query, does.reads, statements);
  const isSingle = query.cardinality !== 'many';
  const isChanged = isSingle && record !== null && plan.changed.has(record);
  const lock = reads && isChanged ? lockingFirst(reads, query.model, statements) : null;
  return async (scope) => {
    await lock?.(scope);
    const found = await results.read(scope.connection, scope);
    if (query.cardinality === 'one' && found.length === 0) throw nothingFound();
    if (record === null) return;
    scope.records[resultName(record)] = isSingle ? (found[0] ?? null) : found;
    const snapshots = reads ? await reads.read(scope.connection, scope) : found;
    scope.records[record] = isSingle ? (snapshots[0] ?? null) : snapshots;
  };
}

function grouping({ query, record }: QueryAction, groups: Grouping, { statements }: ActionTools): RunAction {
  const reading = groupReadingOf(query, groups, statements);
  const isSingle = query.cardinality !== 'many';
  return async (scope) => {
    const found = await reading.read(scope.connection, scope);
    if (query.cardinality === 'one' && found.length === 0) throw nothingFound();
    if (record !== null) scope.records[resultName(record)] = isSingle ? (found[0] ?? null) : found;
  };
}

/** A record that a later action changes by what is read of it here must stay as it is read. */
function lockingFirst(reads: Reading, model: string, statements: Statements): (scope: RequestScope) => Promise<void> {
  const lock = lockOf(model, statements);
  return async (scope) => {
    const [first] = await reads.read(scope.connection, scope);
    if (first) await lock(scope.connection, scope, String(first.id));
  };
}

/** Names of queries are a matter of the sources: callers are not told them. */
function nothingFound(): ApiError {
  return new ApiError('not-found', { detail: 'A record that the request needs does not exist.' });
}
