/** Jobs: work beside requests. A job is checked like a custom endpoint whose inputs each `run` gives. */
import type * as ast from '../ast/ast.ts';
import { kindText, LONGEST_KIND, webhookOf } from '../definition/work.ts';
import type { Action, Entrypoint, Input, Job, JobInput } from '../program/program.ts';
import { record } from '../program/type.ts';
import { checkJobActions, checkTimeout } from './actions.ts';
import { type Building, type Context, isReported } from './context.ts';
import { checkExtraInputs } from './extra-inputs.ts';
import { checkMail } from './mails.ts';
import { declareModel } from './members.ts';
import { checkKey } from './runs.ts';
import { at, type Binding, emptyScope, POSITIONS, type Scope } from './scope.ts';
import type { EndpointContext } from './write-actions.ts';

type Declaration = ast.JobDeclaration | ast.MailDeclaration;

/** What the actions of a job begin with. */
interface Start {
  readonly declaration: Declaration;
  readonly job: Building<Job>;
  readonly scope: Scope;
  /** The queries that read the records which the inputs name. */
  readonly finds: readonly Action[];
}

/** Jobs with their inputs. Their actions may `run` each other, so `checkJobs` checks them when all are known. */
export function declareJobs(context: Context, declarations: readonly Declaration[]): readonly Start[] {
  return declarations.map((declaration) => {
    const start = declareJob(context, declaration);
    context.jobs.byName.set(start.job.name, start.job);
    return start;
  });
}

const ROUTE = { method: 'POST', path: undefined, cardinality: 'many' } as const;
const DEFAULT_RETRY = 8;
const MOST_RETRIES = 50;
/** A mail server may be down for a day. */
const MAIL_RETRY = 12;
const MAIL_TIMEOUT = 60;
const NOT_SAID = { retry: undefined, timeout: undefined, oneAtATimePer: undefined };

function declareJob(context: Context, declaration: Declaration): Start {
  const { name, was, doc } = declaration;
  const { retry, timeout, oneAtATimePer: per } = declaration.kind === 'job' ? declaration : NOT_SAID;
  const isMail = declaration.kind === 'mail';
  const takesInputs = webhookOf({ name: name.text }) === undefined ? declaration.kind : undefined;
  const start = { ...emptyScope(POSITIONS.set), isWork: true, takesInputs };
  const fields = declaration.inputs.map((input) => fieldFrom(context, input));
  const { finds, scope } = checkExtraInputs(context, fields, start, ROUTE);
  if (retry && retry.value > MOST_RETRIES) context.report('bad-retry', retry.span, { most: MOST_RETRIES });
  const names = { name: name.text, was: was?.text ?? null };
  const line = per && checkKey(context, per, at(scope, POSITIONS.line), '`one at a time per`', names);
  const job: Job = {
    ...names,
    doc,
    retry: isMail ? MAIL_RETRY : (retry?.value ?? DEFAULT_RETRY),
    timeout: isMail ? MAIL_TIMEOUT : checkTimeout(context, timeout),
    ...(isMail && { delivers: 'mail' }),
    inputs: declaration.inputs.flatMap((input) => inputOf(input, scope.names.get(input.name.text))),
    line: line && isReported(line) ? undefined : line,
    actions: [],
    onFailure: [],
    span: name.span,
  };
  reportTooLarge(context, job);
  if (job.inputs.length < declaration.inputs.length) context.jobs.incomplete.add(job.name);
  return { declaration, job, scope, finds };
}

/** The names and types of all inputs are stored with each job, in a column that has an index. */
function reportTooLarge(context: Context, { name, inputs, span }: Job): void {
  const typed = inputs.map(({ name: input, type: { base, many, nullable } }) => ({
    ...(base.kind === 'record' ? { name: `${input}_id`, kind: 'integer' } : { name: input, kind: base.kind }),
    values: base.kind === 'enum' ? base.enum.values.map((value) => value.name) : [],
    many,
    nullable,
  }));
  const bytes = new TextEncoder().encode(kindText(name, typed)).length;
  if (bytes > LONGEST_KIND) context.report('job-too-large', span, { job: name, bytes, most: LONGEST_KIND });
}

/** The same as an extra input of an endpoint. */
function fieldFrom(context: Context, input: ast.JobInput): ast.FieldDeclaration | ast.RecordInput {
  const { to, type, default: fallback, nullable, ...declared } = input;
  if (!to) return { ...declared, kind: 'field', type, default: fallback, nullable: nullable as ast.Flag };
  for (const [property, found] of Object.entries({ type, default: fallback }))
    if (found) context.report('job-input-kind', found.span, { input: input.name.text, property, to: to.span });
  return { ...declared, kind: 'record', to, nullable };
}

function inputOf({ name: { text: name, span } }: ast.JobInput, binding: Binding | undefined): readonly JobInput[] {
  if (binding?.kind === 'input') return [{ name, type: binding.input.type, input: binding.input, span }];
  if (binding?.kind !== 'variable' || !binding.variable.input) return [];
  return [{ name, type: binding.variable.type, input: binding.variable.input, span }];
}

/** Checks what the jobs do. */
export function checkJobs(context: Context, starts: readonly Start[]): readonly Job[] {
  return starts.map(({ declaration, job, scope, finds }) => {
    const inputs: readonly Input[] = job.inputs.map(({ input }) => input);
    context.inputUse.begin(inputs);
    if (declaration.kind === 'mail') {
      job.actions = [...finds, ...checkMail(context, declaration, scope, MAIL_TIMEOUT)];
      return job;
    }
    const { action, onFailure } = declaration;
    if (!action) context.report('job-without-action', declaration.name.span, { job: job.name });
    const endpoint = endpointOf(context, declaration);
    const actionsOf = (block: ast.ActionBlock | undefined, isFailure: boolean) =>
      block ? checkJobActions(endpoint, block, { ...scope, isFailure }, finds, inputs, isFailure) : [];
    job.actions = actionsOf(action, false);
    job.onFailure = actionsOf(onFailure, true);
    return job;
  });
}

function endpointOf(context: Context, { action, name, span }: ast.JobDeclaration): EndpointContext {
  const written = {
    endpoint: 'custom',
    head: name.span,
    cardinality: { value: ROUTE.cardinality, span },
    action,
  } as const;
  return { context, kind: 'custom', written, entrypoint: nowhere(name), alias: undefined, isJob: true };
}

/** Stands in for the entrypoint: a job has none, and no action of it is the endpoint's own. */
function nowhere({ span }: ast.Name): Entrypoint {
  const model = declareModel({ kind: 'model', name: { text: 'Model', span }, doc: null, members: [], span });
  return {
    api: null,
    doc: null,
    segment: '',
    model,
    variable: { name: '', type: record(model), holds: 'record' },
    isCaller: false,
    optional: false,
    span,
  };
}
