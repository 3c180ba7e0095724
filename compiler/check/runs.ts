/** `run J { … } after … once per …`: stores a job, in endpoints, jobs and reactions. */
import type * as ast from '../ast/ast.ts';
import { isUnit } from '../definition/functions.ts';
import { webhookOf } from '../definition/work.ts';
import { inputOf, isNull, withParts } from '../program/parts.ts';
import type { Expression, Job, JobInput, Run } from '../program/program.ts';
import { isAny, STRING, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { TOKEN_INPUT } from './auth.ts';
import { type Context, firstOfEach, isReported, notAmong, pathText, reported } from './context.ts';
import { checkFitting } from './fitting.ts';
import { isLiteral } from './literals.ts';
import { POSITIONS, type Scope } from './scope.ts';

/** Checks a `run`. The position of the scope says what the values may contain. */
export function checkRun(context: Context, action: ast.RunAction, scope: Scope): Run | undefined {
  const job = context.jobs.byName.get(action.job.text);
  if (!job) return reportUnknown(context, action, scope);
  const { verb, head: word } = action;
  if ((job.delivers === 'mail') !== (verb === 'send'))
    context.report('send-or-run', action.job.span, { verb, name: job.name, declared: job.span, word });
  context.jobs.used.add(job.name);
  if (!webhookOf(job)) context.witness?.meant(action.job.span, { kind: 'job', job });
  const values = checkArguments(context, action, job, scope);
  // An input that is called by a wrong name has been reported.
  if (values.length === action.arguments.length) reportMissing(context, action, job, scope);
  const given = new Map(values.map(({ input, value }) => [input.input, value]));
  return {
    kind: 'run',
    job,
    values,
    due: action.after ? checkDelay(context, action.after, scope) : null,
    once: action.once ? checkKey(context, action.once, scope, '`once per`', job) : null,
    line: job.line ? withValues(context, job.line, job, given, action.job.span) : null,
    span: action.job.span,
  };
}

function reportUnknown(context: Context, { job: name, verb }: ast.RunAction, scope: Scope): undefined {
  context.witness?.missed?.(name.span, scope, undefined);
  const isMail = verb === 'send';
  const jobs = [...context.jobs.byName.values()].filter(
    (job) => !webhookOf(job) && (job.delivers === 'mail') === isMail,
  );
  context.report('unknown-job', name.span, { isMail, ...notAmong(name, jobs) });
}

function checkArguments(context: Context, action: ast.RunAction, job: Job, scope: Scope): Run['values'] {
  firstOfEach(
    action.arguments,
    ({ name }) => name.text,
    ({ name }, first) => context.report('duplicate-argument', name.span, { name: name.text, first: first.name.span }),
  );
  return action.arguments.flatMap(({ name, value }) => {
    if (isMade(context, job, name.text))
      return context.report('token-is-made', name.span, { mail: job.name, declared: job.span }) ?? [];
    const input = job.inputs.find((each) => each.name === name.text);
    if (!input) {
      if (context.jobs.incomplete.has(job.name)) return [];
      context.report('unknown-job-input', name.span, {
        job: job.name,
        isMail: job.delivers === 'mail',
        ...notAmong(name, job.inputs),
      });
      return [];
    }
    const by = `\`${name.text}\` of \`${job.name}\``;
    return [{ input, value: checkFitting(context, value, scope, { type: input.type, by }) }];
  });
}

/** Whether the server makes the value when it does the job. */
function isMade({ jobs }: Context, job: Job, input: string): boolean {
  return input === TOKEN_INPUT && jobs.withToken.has(job.name);
}

function reportMissing(context: Context, { arguments: given, job: { span } }: ast.RunAction, job: Job, scope: Scope) {
  const names = new Set(given.map(({ name }) => name.text));
  const inputs = job.inputs.filter(
    ({ name, input }) => input.required && !names.has(name) && !isMade(context, job, name),
  );
  if (inputs.length === 0) return;
  const isScheduled = scope.position === POSITIONS.schedule;
  const facts = { job: job.name, missing: inputs.map(({ name }) => name), declared: job.span };
  const hasRecord = inputs.some(({ type }) => type.base.kind === 'record');
  if (isScheduled) context.report('schedule-needs-input', span, { ...facts, hasRecord });
  else context.report('missing-job-input', span, facts);
}

/** The moment, `now() + days(3)`. */
function checkDelay(context: Context, after: ast.Expression, scope: Scope): Expression {
  const { span } = after;
  const isTime = after.kind === 'call' && isUnit(pathText(after.function));
  const [count] = isTime ? after.arguments : [];
  if (!isTime || (count?.kind === 'unary' && isLiteral(count)))
    return context.report('bad-delay', span, {}) ?? reported(span);
  const now: ast.Expression = {
    kind: 'call',
    function: { kind: 'path', steps: [{ text: 'now', span }], span },
    arguments: [],
    span,
  };
  const moment = { kind: 'binary', operator: '+', operatorSpan: span, left: now, right: after, span } as const;
  return context.checkExpression(context, moment, { ...scope });
}

/**
 * A key as a text that begins with the name of the job, so that two jobs share none. A job that is renamed keeps its old
 * name there, so that both releases have the same keys.
 */
export function checkKey(
  context: Context,
  written: ast.Expression,
  scope: Scope,
  by: string,
  { was, name: now }: Pick<Job, 'was' | 'name'>,
): Expression {
  const value = context.checkExpression(context, written, scope);
  if (isReported(value)) return value;
  const { span, type } = value;
  const isValue = !type.many && type.base.kind !== 'json' && type.base.kind !== 'object' && !isNull(value);
  if (!isValue || isAny(type))
    return context.report('not-a-job-key', span, { by, type: typeName(type) }) ?? reported(span);
  if (type.nullable) context.report('job-key-may-be-null', span, { by });
  const name: Expression = { kind: 'literal', value: `${was ?? now} `, type: STRING, span };
  return { kind: 'operation', operator: 'join', operands: [name, value], type: STRING, span };
}

// ── The line ────────────────────────────────────────────────────────────────────────────────────────────────────────

type Given = ReadonlyMap<JobInput['input'], Expression>;

/** The line of the job, with what the `run` gives in place of the inputs. */
function withValues(context: Context, line: Expression, job: Job, given: Given, span: Span): Expression {
  if (line.kind !== 'path') return { ...withParts(line, (part) => withValues(context, part, job, given, span)), span };
  const { root, steps } = line;
  const input = inputOf(root);
  if (!input) return line;
  const value = given.get(input) ?? input.default ?? reported(span);
  if (steps.length === 0 || isNull(value)) return value;
  if (value.kind === 'path') return { ...line, root: value.root, steps: [...value.steps, ...steps] };
  const name = job.inputs.find((each) => each.input === input)?.name ?? '';
  return context.report('not-a-path-to-record', value.span, { input: name, job: job.name }) ?? reported(span);
}
