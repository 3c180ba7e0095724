/**
 * `webhook "order.paid" { … }`: other servers are told of a change. It stands for a reaction that runs the job
 * `webhook order.paid`, which makes the body and runs the job `deliver order.paid` for each receiver. All three are
 * checked like those of an author, with the expressions at the places where they were written.
 */
import type * as ast from '../ast/ast.ts';
import { hasNode } from '../definition/lookup.ts';
import { DELIVERY, MAKING, OWN_CODE, type OwnCode } from '../definition/work.ts';
import type { Expression, Input, Job, Webhook } from '../program/program.ts';
import { nullable, record, STRING } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Building, type Context, isReported } from './context.ts';
import { reportMisfit } from './fitting.ts';
import { modelNamed } from './members.ts';
import { checkQuery } from './queries.ts';
import { emptyScope, POSITIONS, rowScope } from './scope.ts';
import { checkSelection, wholeShape } from './selections.ts';

/**
 * What webhooks stand for. Where the records are not known, that is reported, and nothing is written out. A webhook that
 * `isBeingWritten` may come to read all of its records.
 */
export function writtenOut(context: Context, webhooks: readonly ast.WebhookDeclaration[], isBeingWritten = false) {
  const parts = webhooks.flatMap((webhook) => {
    const found = partsOf(context, webhook);
    return found ? [{ ...found, isBeingWritten }] : [];
  });
  return { jobs: parts.flatMap((each) => [makingJob(each), deliveryJob(each)]), reactions: parts.map(reactionOf) };
}

interface Parts {
  readonly isBeingWritten?: boolean;
  readonly webhook: ast.WebhookDeclaration;
  readonly event: ast.ReactionDeclaration;
  /** The aliases that the author has given to records, with their models. */
  readonly records: readonly { readonly alias: ast.Name; readonly model: ast.Name }[];
}

function partsOf(context: Context, webhook: ast.WebhookDeclaration): Parts | undefined {
  const { event, receivers } = webhook;
  const model = event && modelNamed(context, event.model, `webhook "${webhook.name.text}"`);
  if (!event || !model || event.event === 'delete') return undefined;
  const own = { alias: event.alias, model: event.model };
  const { list, alias } = receivers ?? {};
  if (!list || !alias) return { webhook, event, records: [own] };
  const variable = { name: event.alias.text, type: record(model), holds: 'record' } as const;
  const names = new Map([[event.alias.text, { kind: 'variable', variable, span: event.alias.span } as const]]);
  const scope = { ...emptyScope(POSITIONS.filter), names, isWork: true };
  const from = { path: list, alias, span: list.span };
  const query = checkQuery(context, { from, span: list.span }, scope, '`to`');
  return query && { webhook, event, records: [own, { alias, model: name(query.model.name, list.span) }] };
}

/** No author can write these names. */
const TIME = 'event_time#';
const BODY = 'event_body#';
const RECEIVERS = 'receivers#';
/** Ten tries. */
const RETRY = 9;
/** The request itself ends before. */
const TIMEOUT = 20;

/** Without a list, the condition of the receiver is one of the event. */
function reactionOf({ webhook, event }: Parts): ast.ReactionDeclaration {
  const span = behind(webhook);
  const { list, when: other } = webhook.receivers ?? {};
  const [first, second] = [event.when, list ? undefined : other].flatMap((when) => when ?? []);
  const both = (left: ast.Expression, right: ast.Expression): ast.Expression => {
    return { kind: 'binary', operator: 'and', operatorSpan: span, left, right, span };
  };
  const { text } = event.alias;
  const given = { [text]: path(text, span), [TIME]: call('now', [], span) };
  return {
    ...event,
    when: first && second ? both(first, second) : first,
    runs: [runOf(MAKING + webhook.name.text, given, span)],
  };
}

/** Makes the body, and runs a delivery of it to each receiver. */
function makingJob(parts: Parts): ast.JobDeclaration {
  const { webhook, event, records } = parts;
  const span = behind(webhook);
  const { name: type, body, receivers } = webhook;
  const text = { type: { text: 'string', list: undefined, span }, members: [], nullable: false, span };
  const from: ast.From = { path: path(event.alias.text, event.alias.span), alias: undefined, span };
  const query = { from, select: body, cardinality: { value: 'one', span }, span } as const;
  const data = body && ({ kind: 'query', query, span } as const);
  const args = { type: { kind: 'string', value: type.text, span }, timestamp: path(TIME, span), data } as const;
  const hook = { ...ownCode('body', args, span), returns: text };
  const made: ast.Action = { kind: 'execute', alias: name(BODY, span), hook, head: span, span };
  const inputs = [...records.slice(0, 1).map(recordInput), valueInput(TIME, 'timestamp', span)];
  return jobOf(webhook, MAKING, inputs, [made, ...(receivers ? deliveries(parts, receivers) : [])]);
}

function deliveries(parts: Parts, { list, alias, when: filter }: ast.WebhookReceivers): readonly ast.Action[] {
  const { webhook } = parts;
  const span = behind(webhook);
  const given = deliveryInputs(parts).map(({ name: { text } }) => [text, path(text, span)]);
  const run = runOf(DELIVERY + webhook.name.text, Object.fromEntries(given), span);
  if (!list || !alias) return [run];
  const query: ast.Query = { from: { path: list, alias, span: list.span }, filter, span };
  return [
    { kind: 'query', alias: name(RECEIVERS, span), query, head: span, span },
    { kind: 'for', name: alias, list: path(RECEIVERS, span), actions: [run], head: span, span },
  ];
}

/** Sends it to one receiver. The URL and the secrets are read when it is done, so what is stored has none of them. */
function deliveryJob(parts: Parts): ast.JobDeclaration {
  const { webhook } = parts;
  const span = behind(webhook);
  const { url, secrets: [secret, otherSecret] = [] } = webhook.receivers ?? {};
  const hook = ownCode('webhook', { url, secret, otherSecret, body: path(BODY, span) }, span);
  const timeout = call('seconds', [{ kind: 'integer', value: TIMEOUT, text: String(TIMEOUT), span }], span);
  const job = jobOf(webhook, DELIVERY, deliveryInputs(parts), [{ kind: 'call', hook, timeout, head: span, span }]);
  return { ...job, retry: { value: RETRY, span }, timeout, onFailure: webhook.gone };
}

/** The records that the expressions of the receiver read, and the body. */
function deliveryInputs({ webhook, records, isBeingWritten }: Parts): readonly ast.JobInput[] {
  const { receivers, gone } = webhook;
  const reads = ({ text }: ast.Name) =>
    hasNode([receivers?.url, receivers?.secrets, gone], ({ kind, steps }) => {
      return kind === 'path' && (steps as ast.Path['steps'])[0].text === text;
    });
  const read = records.filter(({ alias }) => isBeingWritten || reads(alias));
  return [...read.map(recordInput), valueInput(BODY, 'string', behind(webhook))];
}

// ── Parts of the abstract syntax ────────────────────────────────────────────────────────────────────────────────────

/** The end of the webhook: a place that has no name, so that an editor shows nothing of what is made here. */
function behind({ span }: ast.WebhookDeclaration): Span {
  return { ...span, start: span.end };
}

function name(text: string, span: Span): ast.Name {
  return { text, span };
}

function path(text: string, span: Span): ast.Path {
  return { kind: 'path', steps: [name(text, span)], span };
}

function call(text: string, args: ast.Call['arguments'], span: Span): ast.Expression {
  return { kind: 'call', function: path(text, span), arguments: args, span };
}

function ownCode(code: OwnCode, args: Readonly<Record<string, ast.HookArg['value'] | undefined>>, span: Span) {
  const given = Object.entries(args).flatMap(([argument, value]) =>
    value ? [{ name: name(argument, span), value, doc: null, span }] : [],
  );
  const source = { export: name(code, span), file: { value: OWN_CODE, span }, isOwn: true, span } as const;
  return { args: given, source, span };
}

function recordInput({ alias, model }: Parts['records'][number]): ast.JobInput {
  return { kind: 'input', name: alias, doc: null, to: model, span: alias.span };
}

function valueInput(text: string, type: string, span: Span): ast.JobInput {
  return { kind: 'input', name: name(text, span), doc: null, type: { text: type, list: undefined, span }, span };
}

function runOf(job: string, given: Readonly<Record<string, ast.Expression>>, span: Span): ast.RunAction {
  const values = Object.entries(given).map(([input, value]) => ({ name: name(input, span), value }));
  return { kind: 'run', verb: 'run', job: name(job, span), arguments: values, head: span, span };
}

function jobOf(
  { name: { text, span }, doc }: ast.WebhookDeclaration,
  prefix: string,
  inputs: readonly ast.JobInput[],
  actions: readonly ast.Action[],
): ast.JobDeclaration {
  return { kind: 'job', name: name(prefix + text, span), doc, inputs, action: { actions, span }, span };
}

// ── What only webhooks have ─────────────────────────────────────────────────────────────────────────────────────────

/** Checks the rest, when the jobs have been checked. */
export function checkWebhooks(context: Context, webhooks: readonly ast.WebhookDeclaration[]): readonly Webhook[] {
  return webhooks.flatMap((webhook) => checkWebhook(context, webhook) ?? []);
}

const EVENT_NAME = /^[\w.-]+$/;
const MOST_SECRETS = 2;

function checkWebhook(context: Context, webhook: ast.WebhookDeclaration): Webhook | undefined {
  const { name: written, doc, event, body, receivers } = webhook;
  const { text: type, span } = written;
  if (!EVENT_NAME.test(type)) context.report('bad-event-name', span, { name: type });
  reportMissing(context, webhook);
  if (event?.event === 'delete') context.report('webhook-of-delete', event.head, { record: event.alias.text });
  const third = receivers?.secrets[MOST_SECRETS];
  if (third) context.report('too-many-secrets', third.span, { most: MOST_SECRETS });
  const model = event && context.models.get(event.model.text);
  if (!event || !model) return undefined;
  const jobs = [MAKING, DELIVERY].flatMap((prefix) => context.jobs.byName.get(prefix + type) ?? []);
  for (const job of jobs) settleInputs(job, event.alias.text);
  const delivery: Building<Job> | undefined = jobs.find((job) => job.name.startsWith(DELIVERY));
  if (delivery) checkDelivery(context, delivery);
  const select = body
    ? checkSelection(context, body, model, { ...rowScope(POSITIONS.webhook, model), isWork: true })
    : [];
  return { name: type, doc, model, select, shape: wholeShape(context, body), span };
}

function reportMissing(context: Context, { name: written, event, receivers, body }: ast.WebhookDeclaration): void {
  const parts = { on: event, to: receivers, body };
  const missing = Object.entries(parts).flatMap(([part, found]) => (found ? [] : [part]));
  const facts = { name: written.text, of: 'webhook' } as const;
  if (missing.length > 0) context.report('incomplete-webhook', written.span, { ...facts, missing });
  if (!receivers) return;
  const lacking = [receivers.url ? [] : 'url', receivers.secrets.length > 0 ? [] : 'secret'].flat();
  if (lacking.length > 0)
    context.report('incomplete-webhook', receivers.span, { ...facts, of: 'receiver', missing: lacking });
}

/** The inputs get names of their own, so that an alias can be renamed while deliveries wait. */
function settleInputs({ inputs }: Job, alias: string): void {
  for (const { name: written, input } of inputs)
    (input as Building<Input>).path = [
      input.lookup ? (written === alias ? 'record_id' : 'receiver_id') : written.replace('#', ''),
    ];
}

function checkDelivery(context: Context, job: Building<Job>): void {
  job.delivers = 'webhook';
  const call = job.actions.find((action) => action.kind === 'service-call');
  for (const argument of call?.hook.arguments ?? []) {
    if (!('value' in argument) || isReported(argument.value)) continue;
    const { name: part, value } = argument;
    if (part === 'url') reportMisfit(context, value, { type: STRING, by: '`url`', takes: true });
    if (part === 'secret' || part === 'otherSecret') checkSecret(context, value, part);
  }
}

/** Whoever knows a secret can sign in the name of the application. The second one may be null: most of the time there is none. */
function checkSecret(context: Context, value: Expression, part: 'secret' | 'otherSecret'): void {
  const type = part === 'secret' ? STRING : nullable(STRING);
  reportMisfit(context, value, { type, by: '`secret`', takes: true });
  const alternatives = value.kind === 'call' && value.function === 'coalesce' ? value.arguments : [value];
  for (const each of alternatives) {
    const { root, steps } = each.kind === 'path' ? each : { root: undefined, steps: [] };
    const found = root?.kind === 'setting' ? context.settings.byName.get(root.name) : steps.at(-1);
    const isSecret = found !== undefined && 'secret' in found && found.secret;
    if (!isSecret && each.type.base.kind === 'string')
      context.report('plain-secret', each.span, { declared: found?.span });
  }
}
