/** Reads the records that inputs or lists name by their ids. */
import type { FindRecords, QueryAction } from '../../compiler/definition/endpoint.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { Snapshot } from '../expressions/scope.ts';
import type { NamedRecord } from '../plan/parts.ts';
import { notFound } from '../query/checks.ts';
import { foundReadingOf } from '../query/found-records.ts';
import { placeOfItem } from '../request/inputs.ts';
import { isList } from '../values/json.ts';
import { binderOf } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RequestScope, RunAction } from './action-tools.ts';
import { fieldOf } from './write-actions.ts';

/** The records in the order of the ids; null for an id that is null, or whose record is gone. */
type Finding = (ids: readonly Value[], scope: RequestScope) => Promise<readonly (Snapshot | null)[]>;

/** Reads the records. There is no query where only the ids are used: it is checked already that the records exist. */
export function findingOf({ record, model, reads }: NamedRecord, tools: ActionTools): Finding {
  if (reads.every(({ name }) => name === 'id'))
    return async (values) => values.map((id) => (id === null ? null : { id }));
  const read = foundReadingOf(model, reads, tools.plan.changed.has(record), tools.statements);
  const bind = binderOf(fieldOf(tools.model(model), 'id').type);
  return async (values, scope) => {
    const keys = values.map((value) => bind(value) as string | null);
    const present = keys.filter((key) => key !== null);
    const found = await read(present, scope);
    return keys.map((key) => (key === null ? null : (found.get(key) ?? null)));
  };
}

export function findAction(action: QueryAction, does: FindRecords, tools: ActionTools): RunAction {
  const record = action.record as string;
  const ids = compileExpression(does.ids, tools.environment);
  const find = findingOf({ record, model: action.query.model, reads: does.reads }, tools);
  return async (scope) => {
    const value = (await ids.run(scope)) as Value;
    const isMany = isList(value);
    const values = isMany ? value : [value];
    const found = await find(values, scope);
    const isGone = (at: number) => found[at] === null && values[at] !== null;
    const gone = [...values.keys()].filter(isGone);
    if (does.input && gone.length > 0) throw nothingFound(does.input, isMany ? gone : null);
    scope.records[record] = isMany ? (found as readonly Value[]) : (found[0] ?? null);
  };
}

/** The records were deleted after the inputs were checked. */
function nothingFound(input: readonly string[], items: readonly number[] | null): ApiError {
  const paths = items === null ? [input.join('.')] : items.map((at) => placeOfItem(input, at));
  return new ApiError('validation-failed', { errors: paths.map(notFound) });
}
