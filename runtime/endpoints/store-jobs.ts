/** `run`: stores jobs in the transaction of the action, so that they are there exactly if its changes are. */
import { Buffer } from 'node:buffer';
import type { Create, Run, ValueInput } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { insertJobSql, keySql } from '../../compiler/definition/sql/job-sql.ts';
import { joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { type Job, jobKind, jobsByName, MOST_INPUT_BYTES, tooLargeText } from '../../compiler/definition/work.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { fittedValue } from '../expressions/fit.ts';
import { momentOf } from '../expressions/scope.ts';
import { isIdOf } from '../plan/endpoint-plan.ts';
import { bound, type Given, run } from '../query/prepared.ts';
import { type Alongside, CHANGED, type WrittenValue, WrittenValues } from '../query/writes.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RequestScope } from './action-tools.ts';

/** Stores a job for each scope. All of them go out at once. */
type StoreJobs = (scopes: readonly RequestScope[]) => Promise<void>;

export function storeJobsOf(action: Run, tools: ActionTools): StoreJobs {
  const values = new WrittenValues();
  const insert = tools.statements.add(insertJobSql(columnsOf(action, values, tools)), false);
  return async (scopes) => {
    const rows: Given[] = [];
    for (const scope of scopes) rows.push(await values.evaluated(scope));
    await Promise.all(rows.map((row, at) => run(insert, scopes[at] as RequestScope, row)));
  };
}

/** The same as a part of the statement that makes the record of `create`, whose id only this statement knows. */
export function storedAlongside(action: Run, create: Create, tools: ActionTools): Alongside {
  const [ids, known] = [true, false].map((isId) => action.values.filter(({ value }) => isIdOf(create, value) === isId));
  const id = sql`(SELECT "id" FROM ${CHANGED})`;
  const pairs = (ids as Run['values']).map(({ input }) => sql`${bound(() => input, 'text')}, ${id}`);
  return (values) => {
    const columns = columnsOf({ ...action, values: known as Run['values'] }, values, tools);
    return insertJobSql({ ...columns, input: sql`${columns.input} || jsonb_build_object(${joined(pairs, ', ')})` });
  };
}

function columnsOf(action: Run, values: WrittenValues, tools: ActionTools) {
  const { due, once, line } = action;
  const job = jobsByName(tools.definition).get(action.job) as Job;
  const kind = jobKind(job, tools.definition);
  const written = (expression: Expression, type: Sql) =>
    values.sql(compileExpression(expression, tools.environment) as WrittenValue, type);
  const keyed = (key: Expression | null) => key && keySql(key, written(key, sql`text`));
  // Servers claim jobs by the clock of Postgres, which may differ from that of this server.
  const waitUntil = (moment: Expression) =>
    sql`coalesce(extract(epoch FROM ${written(moment, TIMESTAMP)} - ${values.sql(ASKED, TIMESTAMP)})::float8, 0)`;
  return {
    kind: bound(() => kind, 'text'),
    input: values.sql(inputOf(action, job, tools), sql`jsonb`),
    due: due && sql`now() + make_interval(secs => ${waitUntil(due)})`,
    once: keyed(once),
    line: keyed(line),
  };
}

const TIMESTAMP = sql`timestamptz`;

/** The moment from which `due` was reckoned. */
const ASKED: WrittenValue = { isAsync: false, run: (scope) => momentOf(scope).toISOString() };

function inputOf({ values }: Run, job: Job, tools: ActionTools): WrittenValue {
  const inputs = values.map(({ input, value }) => ({ input, evaluate: inputValue(job, input, value, tools) }));
  return {
    isAsync: true,
    run: async (scope) => {
      const input: Record<string, Value> = {};
      for (const { input: name, evaluate } of inputs) input[name] = await evaluate(scope as RequestScope);
      return textOf(input, job);
    },
  };
}

/** A value of custom code is checked, because its type is known only now. */
function inputValue(job: Job, name: string, value: Expression, { environment }: ActionTools) {
  const { run: evaluate } = compileExpression(value, environment);
  const { type } = job.inputs.find((input) => input.name === name) as ValueInput;
  return async (scope: RequestScope): Promise<Value> => {
    const found = (await evaluate(scope)) ?? null;
    if (value.type.kind !== 'any' || found === null) return found as Value;
    return fittedValue(found, type, environment.enumValues, ` for \`${name}\` of \`${job.name}\``);
  };
}

function textOf(input: Readonly<Record<string, Value>>, { name }: Job): string {
  const text = JSON.stringify(input);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MOST_INPUT_BYTES) return text;
  throw new ApiError('too-large', { detail: tooLargeText(name, String(bytes)) });
}
