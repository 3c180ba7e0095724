/** Jobs, reactions, schedules, mail and webhooks. */
import type { Span } from '../source/source-file.ts';
import { actionBlock, run } from './actions.ts';
import { expressionFrom, pathFrom } from './expressions.ts';
import { value } from './models.ts';
import type { Name, WholeNumber } from './nodes.ts';
import type { Read } from './parts.ts';
import * as read from './parts.ts';

/** A record with `to`, a value without it. */
export type JobInput = ReturnType<typeof jobInput>;
const jobInput = read.declared({ kind: read.is('input') }, 'job_input');
const inputs = read.documented({ job_input: jobInput });

export type JobDeclaration = ReturnType<typeof job>;
export const job = read.declared(
  {
    kind: read.is('job'),
    was: read.WAS,
    inputs,
    action: read.property('action', actionBlock),
    onFailure: read.property('call_failure', actionBlock),
  },
  'job',
);

export type MailDeclaration = ReturnType<typeof mail>;
export const mail = read.declared({ kind: read.is('mail'), was: read.WAS, inputs }, 'mail');

export const dropJob = read.undocumented(
  read.node({ kind: read.is('drop-job'), name: read.name() }, 'drop_job', 'open'),
);

// ── Reactions and webhooks ──────────────────────────────────────────────────────────────────────────────────────────

/** The words before the model. */
const head: Read<Span> = (reader, node) => ({ ...reader.span(node), end: reader.child(node, 'event').end });

/** `on update of Order as order when … { run … }`. In a webhook it has no body, and so no `runs`. */
export type ReactionDeclaration = ReturnType<typeof event>;
const event = read.node({
  kind: read.is('reaction'),
  event: read.words<'create' | 'update' | 'delete'>('event'),
  model: read.name('model'),
  alias: read.ALIAS as Read<Name>,
  when: read.optional('condition', expressionFrom),
  runs: read.members({ run_action: run }),
  head,
});
export const reaction = read.undocumented(event);

/** `to order.shop.hooks as hook { … }`, or `to { … }`. */
export type WebhookReceivers = ReturnType<typeof receivers>;
const receivers = read.node(
  {
    list: read.optional('list', pathFrom),
    alias: read.ALIAS,
    secrets: read.members({ receiver_secret: value }),
  },
  'webhook_receiver',
);

export type WebhookDeclaration = ReturnType<typeof webhook>;
export const webhook = read.node(
  {
    kind: read.is('webhook'),
    name: read.child('name', (reader, node): Name => ({ text: reader.text(node).value, span: reader.span(node) })),
    doc: read.DOC,
    event: read.property('webhook_event', event),
    receivers: read.property('webhook_receivers', receivers),
    gone: read.property('webhook_gone', actionBlock),
  },
  'webhook',
);

// ── Schedules ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** `5m` is two words here, so that the message can be about the unit. */
const number: Read<WholeNumber> = (reader, node) => ({ value: Number(reader.words(node)), span: reader.span(node) });
const optionalText = (field: string) => read.optional(field, (reader, node) => reader.text(node));

/** `every monday and friday at "07:30"`. */
export type Every = ReturnType<typeof every>;
const every = read.node({
  kind: read.is('every'),
  count: read.optional('count', number),
  units: (reader, { children }) => children.filter(({ field }) => field === 'unit').map((unit) => reader.name(unit)),
  day: read.optional('day', number),
  time: optionalText('time'),
});
const cron = read.node({ kind: read.is('cron'), pattern: read.text('pattern') });

export type ScheduleDeclaration = ReturnType<typeof schedule>;
export const schedule = read.declared(
  {
    kind: read.is('schedule'),
    times: read.child('times', (...at) => (at[1].type === 'cron' ? cron(...at) : every(...at))),
    zone: optionalText('zone'),
    runs: read.members({ run_action: run }),
  },
  'schedule',
);
