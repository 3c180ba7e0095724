/** `run`: stores jobs in the transaction of the action, so that they are there exactly if its changes are. */
import { Buffer } from 'node:buffer';
import type { Run, ValueInput } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { insertJobSql } from '../../compiler/definition/sql/job-sql.ts';
import { sql } from '../../compiler/definition/sql/sql.ts';
import { type Job, jobKind, jobsByName, MOST_INPUT_BYTES } from '../../compiler/definition/work.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { withSubject } from '../expressions/fit.ts';
import { type Given, given, run } from '../query/prepared.ts';
import { fitsType } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RequestScope } from './action-tools.ts';

/** Stores a job for each scope. All of them go out at once. */
type StoreJobs = (scopes: readonly RequestScope[]) => Promise<void>;

export function storeJobsOf(action: Run, tools: ActionTools): StoreJobs {
  const job = jobsByName(tools.definition).get(action.job) as Job;
  const values = valuesOf(action, job, tools);
  const kind = jobKind(job);
  const due = action.due ? sql`coalesce(${given('due', 'timestamptz')}, now())` : sql`now()`;
  const others = { once: given('once', 'text'), line: given('line', 'text') };
  const columns = { kind: given('kind', 'text'), input: given('input', 'jsonb'), due, ...others };
  const insert = tools.statements.add(insertJobSql(columns), false);
  return async (scopes) => {
    const rows: Given[] = [];
    for (const scope of scopes) rows.push({ kind, ...(await values(scope)) });
    await Promise.all(
      rows.map((row, at) => run(insert, (scopes[at] as RequestScope).connection, scopes[at] as RequestScope, row)),
    );
  };
}

function valuesOf(action: Run, job: Job, tools: ActionTools): (scope: RequestScope) => Promise<Given> {
  const inputs = action.values.map(({ input, value }) => ({ input, evaluate: inputValue(job, input, value, tools) }));
  const evaluated = (expression: Expression | null) => {
    const compiled = expression && compileExpression(expression, tools.environment);
    return async (scope: RequestScope) => ((await compiled?.run(scope)) ?? null) as string | null;
  };
  const [due, once, line] = [evaluated(action.due), evaluated(action.once), evaluated(action.line)];
  return async (scope) => {
    const input: Record<string, Value> = {};
    for (const { input: name, evaluate } of inputs) input[name] = await evaluate(scope);
    return {
      input: textOf(input, job),
      due: await due(scope),
      once: await once(scope),
      line: await line(scope),
    };
  };
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
  const detail = `The inputs of the job \`${name}\` have ${bytes} bytes as JSON, but at most ${MOST_INPUT_BYTES} are stored.`;
  throw new ApiError('too-large', { detail });
}
