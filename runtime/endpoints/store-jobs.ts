/** `run`: stores jobs in the transaction of the action, so that they are there exactly if its changes are. */
import { Buffer } from 'node:buffer';
import type { Create, Run, ValueInput } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { insertJobSql, keySql } from '../../compiler/definition/sql/job-sql.ts';
import { joined, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { type Job, jobKind, jobsByName, MOST_INPUT_BYTES, tooLargeText } from '../../compiler/definition/work.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { withSubject } from '../expressions/fit.ts';
import { momentOf } from '../expressions/scope.ts';
import { isIdOf } from '../plan/endpoint-plan.ts';
import type { Bound } from '../query/database.ts';
import { bound, type Given, given, run } from '../query/prepared.ts';
import { type Alongside, CHANGED, type WrittenValue } from '../query/writes.ts';
import { fitsType } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RequestScope } from './action-tools.ts';

/** Stores a job for each scope. All of them go out at once. */
type StoreJobs = (scopes: readonly RequestScope[]) => Promise<void>;

export function storeJobsOf(action: Run, tools: ActionTools): StoreJobs {
  const values = valuesOf(action, tools);
  const columns = columnsOf(action, given);
  const insert = tools.statements.add(insertJobSql(columns), false);
  return async (scopes) => {
    const rows: Given[] = [];
    for (const scope of scopes) rows.push(await allOf(values, scope));
    await Promise.all(
      rows.map((row, at) => run(insert, (scopes[at] as RequestScope).connection, scopes[at] as RequestScope, row)),
    );
  };
}

/** The same as a part of the statement that makes the record of `create`, whose id only this statement knows. */
export function storedAlongside(action: Run, create: Create, tools: ActionTools): Alongside {
  const [ids, known] = [true, false].map((isId) => action.values.filter(({ value }) => isIdOf(create, value) === isId));
  const values = valuesOf({ ...action, values: known as Run['values'] }, tools);
  const id = sql`(SELECT "id" FROM ${CHANGED})`;
  const pairs = (ids as Run['values']).map(({ input }) => sql`${bound(() => input, 'text')}, ${id}`);
  return {
    values: Object.values(values),
    sql: (bind) => {
      const columns = columnsOf(action, (name, type) => bind.sql(values[name], type));
      return insertJobSql({ ...columns, input: sql`${columns.input} || jsonb_build_object(${joined(pairs, ', ')})` });
    },
  };
}

/** The columns that a value is bound for, with their types. */
const TYPES = {
  kind: sql`text`,
  input: sql`jsonb`,
  due: sql`timestamptz`,
  /** The moment from which `due` was reckoned. */
  asked: sql`timestamptz`,
  once: sql`text`,
  line: sql`text`,
};

type Column = keyof typeof TYPES;
type JobValues = Readonly<Record<Column, WrittenValue>>;

function columnsOf({ due, once, line }: Run, bind: (name: Column, type: Sql) => Sql) {
  const keyed = (name: 'once' | 'line', key: Expression | null) => {
    const text = bind(name, TYPES[name]);
    return key ? keySql(key, text) : text;
  };
  // Servers claim jobs by the clock of Postgres, which may differ from that of this server.
  const wait = () =>
    sql`coalesce(extract(epoch FROM ${bind('due', TYPES.due)} - ${bind('asked', TYPES.asked)})::float8, 0)`;
  return {
    kind: bind('kind', TYPES.kind),
    input: bind('input', TYPES.input),
    due: due && sql`now() + make_interval(secs => ${wait()})`,
    once: keyed('once', once),
    line: keyed('line', line),
  };
}

function valuesOf(action: Run, tools: ActionTools): JobValues {
  const job = jobsByName(tools.definition).get(action.job) as Job;
  const kind = jobKind(job, tools.definition);
  const inputs = action.values.map(({ input, value }) => ({ input, evaluate: inputValue(job, input, value, tools) }));
  const evaluated = (expression: Expression | null): WrittenValue => {
    const compiled = expression && compileExpression(expression, tools.environment);
    return { isAsync: true, run: async (scope) => ((await compiled?.run(scope)) ?? null) as string | null };
  };
  return {
    kind: { isAsync: false, run: () => kind },
    input: {
      isAsync: true,
      run: async (scope) => {
        const input: Record<string, Value> = {};
        for (const { input: name, evaluate } of inputs) input[name] = await evaluate(scope as RequestScope);
        return textOf(input, job);
      },
    },
    due: evaluated(action.due),
    asked: { isAsync: false, run: (scope) => momentOf(scope).toISOString() },
    once: evaluated(action.once),
    line: evaluated(action.line),
  };
}

async function allOf(values: JobValues, scope: RequestScope): Promise<Given> {
  const found: Record<string, Bound> = {};
  for (const [name, value] of Object.entries(values)) found[name] = await value.run(scope);
  return found;
}

/** A value of custom code is checked, because its type is known only now. */
function inputValue(job: Job, name: string, value: Expression, { environment }: ActionTools) {
  const { run: evaluate } = compileExpression(value, environment);
  const { type } = job.inputs.find((input) => input.name === name) as ValueInput;
  return async (scope: RequestScope): Promise<Value> => {
    const found = (await evaluate(scope)) ?? null;
    if (value.type.kind !== 'any' || found === null) return found as Value;
    const checked = fitsType(found, type, environment.enumValues);
    if (checked.ok) return checked.value;
    throw new Error(
      `custom code returned an invalid value for \`${name}\` of \`${job.name}\`: ${withSubject(checked.message)}`,
    );
  };
}

function textOf(input: Readonly<Record<string, Value>>, { name }: Job): string {
  const text = JSON.stringify(input);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MOST_INPUT_BYTES) return text;
  throw new ApiError('too-large', { detail: tooLargeText(name, String(bytes)) });
}
