/**
 * Work beside requests. A job is done like an endpoint without a route: its inputs are the body of a request, and its
 * actions are one transaction, together with the removal of the job. Jobs wait in a table of Kiln's own.
 */
import { createHash } from 'node:crypto';
import type { Definition } from './definition.ts';
import { type Endpoint, type Job, PLAIN_ENDPOINT, type Schedule, type Webhook } from './endpoint.ts';
import type { Type } from './expression.ts';
import { REMOVAL } from './files.ts';
import { hasNode, isCode } from './lookup.ts';
import { memoized } from './memo.ts';

export type { Job, Reaction, Schedule } from './endpoint.ts';
export { OWN_CODE } from './lookup.ts';

/** The table of jobs. No name of an author begins with `kiln_`. */
export const JOBS = 'kiln_jobs';

/** The table of schedules: up to when the due times of each have been dealt with. */
export const SCHEDULES = 'kiln_schedules';

/** Makes the writes of a transaction start no jobs: those of `populate` and of `migrate`. */
export const WITHOUT_REACTIONS = "SET LOCAL kiln.reactions = 'off'";

/** The condition of a trigger that holds in any other transaction. */
export const HAS_REACTIONS = "current_setting('kiln.reactions', true) IS DISTINCT FROM 'off'";

/** The exports of Kiln's own code. `body` makes the text of a webhook. */
export type OwnCode = 'mail' | 'webhook' | 'body' | 'removeFile';

/** What the names of the two jobs of a webhook begin with. No name of an author has a blank. */
export const MAKING = 'webhook ';
export const DELIVERY = 'deliver ';

/** The event of the webhook that the job belongs to. */
export function webhookOf({ name }: Pick<Job, 'name'>): string | undefined {
  return [MAKING, DELIVERY].flatMap((prefix) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))[0];
}

/** Whether a job is not one of the author. */
export function isOwnJob(job: Pick<Job, 'name'>): boolean {
  return webhookOf(job) !== undefined || job.name === REMOVAL;
}

/** Whether those of a removed job are deleted, once the previous release is not served any more. */
export function isJobDiscarded(job: Pick<Job, 'name'>, { droppedJobs = [] }: Pick<Definition, 'droppedJobs'>): boolean {
  return isOwnJob(job) || droppedJobs.some(({ name, discard }) => name === job.name && discard);
}

/** A chain of jobs that start each other is cut off behind so many. */
export const DEEPEST_JOB = 16;

/** The most bytes of the inputs of a job, as JSON. */
export const MOST_INPUT_BYTES = 64 * 1024;

/** The SQLSTATE with which a reaction refuses inputs of a job that are larger. */
export const INPUT_TOO_LARGE = 'KILN2';

export function tooLargeText(job: string, bytes: string): string {
  return `The inputs of the job \`${job}\` have ${bytes} bytes as JSON, but at most ${MOST_INPUT_BYTES} are stored.`;
}

const SHORT_KINDS: ReadonlySet<Type['kind']> = new Set([
  'integer',
  'float',
  'boolean',
  'timestamp',
  'date',
  'uuid',
  'enum',
]);

/** Whether no value of the type is a long text. */
export function isShort({ kind, many }: Type): boolean {
  return !many && SHORT_KINDS.has(kind);
}

/**
 * The kind under which a job is stored: its name and the names and types of its inputs, so that a server knows whether it
 * can read what another release has stored. `SendReceipt(copy boolean, order_id integer, size enum(large|small))`.
 */
export function jobKind({ name, inputs }: Pick<Job, 'name' | 'inputs'>, definition: WithEnums): string {
  const typed = inputs.map((input) => ({ name: input.name, ...input.type, values: valuesOf(input.type, definition) }));
  return kindText(name, typed);
}

interface KindInput {
  readonly name: string;
  readonly kind: string;
  /** Of an enum. */
  readonly values: readonly string[];
  readonly many?: boolean;
  readonly nullable?: boolean;
}

export function kindText(name: string, inputs: readonly KindInput[]): string {
  const signatures = inputs.map((input) => `${input.name} ${formOf(input, valuesText(input.values))}`);
  return `${name}(${signatures.sort().join(', ')})`;
}

/** The name of the job under which a kind was stored. */
export function jobNameOf(kind: string): string {
  return kind.slice(0, kind.indexOf('('));
}

type WithEnums = Pick<Definition, 'enums'>;

function formOf({ kind, many, nullable }: Omit<KindInput, 'name' | 'values'>, values = ''): string {
  return `${kind}${values}${many ? '[]' : ''}${nullable ? '?' : ''}`;
}

/** The bytes of a kind that Postgres can always index together with the time when it is due. */
export const LONGEST_KIND = 2600;
const LONGEST_VALUES = 500;

/** The values of an enum. Where they are long, each is a digest, so that fewer values can still be told from others. */
function valuesText(values: readonly string[]): string {
  if (values.length === 0) return '';
  const text = values.join('|');
  return `(${text.length <= LONGEST_VALUES ? text : values.map(digestOf).join('|')})`;
}

function valuesOf(type: Type, { enums }: WithEnums): readonly string[] {
  const values = enums.find(({ name }) => name === type.enum)?.values ?? [];
  return values.map(({ name }) => name).sort();
}

function digestOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url').slice(0, 4);
}

/**
 * Whether the job can read what is stored under a kind: its inputs, without some that have a default or may be null, and
 * no values of enums that it does not know.
 */
export function readsKind(job: Job, kind: string, definition: WithEnums): boolean {
  const name = jobNameOf(kind);
  if (name !== job.name && name !== job.was) return false;
  const signatures = kind
    .slice(name.length + 1, -1)
    .split(', ')
    .filter(Boolean);
  const stored = new Map(signatures.map((each) => each.split(' ') as [string, string]));
  const missing = job.inputs.filter((input) => {
    const form = stored.get(input.name);
    return form === undefined || !readsForm(input.type, form, definition) || !stored.delete(input.name);
  });
  return stored.size === 0 && missing.every(({ required }) => !required);
}

/** An input that may be null also reads what was stored when it could not. */
function readsForm(type: Type, stored: string, definition: WithEnums): boolean {
  const [, listed] = /\((.*)\)/.exec(stored) ?? [];
  const known = new Set(valuesOf(type, definition).flatMap((value) => [value, digestOf(value)]));
  if (listed?.split('|').some((value) => !known.has(value))) return false;
  const form = stored.replace(/\(.*\)/, '');
  return [form, `${form}?`].includes(formOf(type));
}

/** A job is exactly once where its effects and its removal are one transaction. */
export function isExactlyOnce({ actions, delivers }: Job): boolean {
  return delivers === undefined && !hasNode(actions, isCode);
}

export function sendsMail({ jobs = [] }: Definition): boolean {
  return jobs.some(({ delivers }) => delivers === 'mail');
}

export const jobsByName = memoized(
  ({ jobs = [] }: Definition): ReadonlyMap<string, Job> => new Map(jobs.map((job) => [job.name, job])),
);

/** The job as an endpoint, which no request reaches. */
export function jobEndpoint(job: Job, part: 'actions' | 'onFailure' = 'actions'): Endpoint {
  const id = part === 'actions' ? `job.${job.name}` : `job.${job.name}.failure`;
  return endpointOf(id, job.doc, job.inputs, job[part]);
}

/** What a webhook tells, as the response of an endpoint. */
export function webhookEndpoint({ name, doc, model, select, shape }: Webhook): Endpoint {
  const response = {
    kind: 'record',
    status: 200,
    record: '',
    select,
    ...(shape && { shape }),
    location: null,
  } as const;
  return { ...endpointOf(MAKING + name, doc, [], []), model, response };
}

/** What a schedule does when it is due, as an endpoint. */
export function scheduleEndpoint({ name, doc, runs }: Schedule): Endpoint {
  return endpointOf(`schedule.${name}`, doc, [], runs);
}

function endpointOf(id: string, doc: string | null, inputs: Job['inputs'], actions: Job['actions']): Endpoint {
  return { ...PLAIN_ENDPOINT, id, doc, request: { from: 'body', inputs }, actions };
}

/** A schedule with other times is a new one, which begins after `migrate`. */
export function scheduleKey({ name, cron, zone }: Schedule): string {
  return `${name} ${cron} ${zone}`;
}

/** All that a job does, as endpoints. */
export function endpointsOfJob(job: Job): readonly Endpoint[] {
  return [jobEndpoint(job), ...(job.onFailure.length > 0 ? [jobEndpoint(job, 'onFailure')] : [])];
}

export const workEndpoints = memoized(({ jobs = [] }: Definition): readonly Endpoint[] => jobs.flatMap(endpointsOfJob));
