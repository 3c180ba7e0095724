/** Jobs, reactions, schedules, mail and webhooks. */
import type { Span } from '../source/source-file.ts';
import { actionBlock, run } from './actions.ts';
import { expressionFrom, pathFrom } from './expressions.ts';
import { value } from './models.ts';
import type { Name, WholeNumber } from './nodes.ts';
import {
  ALIAS,
  child,
  DOC,
  declared,
  documented,
  is,
  members,
  name,
  node,
  optional,
  property,
  type Read,
  text,
  undocumented,
  WAS,
  words,
} from './parts.ts';

/** A record with `to`, a value without it. */
export type JobInput = ReturnType<typeof jobInput>;
const jobInput = declared({ kind: is('input') }, 'job_input');
const inputs = documented({ job_input: jobInput });

export type JobDeclaration = ReturnType<typeof job>;
export const job = declared(
  {
    kind: is('job'),
    was: WAS,
    inputs,
    action: property('action', actionBlock),
    onFailure: property('call_failure', actionBlock),
  },
  'job',
);

export type MailDeclaration = ReturnType<typeof mail>;
export const mail = declared({ kind: is('mail'), was: WAS, inputs }, 'mail');

export const dropJob = undocumented(node({ kind: is('drop-job'), name: name() }, 'drop_job', 'open'));

// ── Reactions and webhooks ──────────────────────────────────────────────────────────────────────────────────────────

/** The words before the model. */
const head: Read<Span> = (reader, node) => ({ ...reader.span(node), end: reader.child(node, 'event').end });

/** `on update of Order as order when … { run … }`. In a webhook it has no body, and so no `runs`. */
export type ReactionDeclaration = ReturnType<typeof event>;
const event = node({
  kind: is('reaction'),
  event: words<'create' | 'update' | 'delete'>('event'),
  model: name('model'),
  alias: ALIAS as Read<Name>,
  when: optional('condition', expressionFrom),
  runs: members({ run_action: run }),
  head,
});
export const reaction = undocumented(event);

/** `to order.shop.hooks as hook { … }`, or `to { … }`. */
export type WebhookReceivers = ReturnType<typeof receivers>;
const receivers = node(
  {
    list: optional('list', pathFrom),
    alias: ALIAS,
    secrets: members({ receiver_secret: value }),
  },
  'webhook_receiver',
);

export type WebhookDeclaration = ReturnType<typeof webhook>;
export const webhook = node(
  {
    kind: is('webhook'),
    name: child('name', (reader, node): Name => ({ text: reader.text(node).value, span: reader.span(node) })),
    doc: DOC,
    event: property('webhook_event', event),
    receivers: property('webhook_receivers', receivers),
    gone: property('webhook_gone', actionBlock),
  },
  'webhook',
);

// ── Schedules ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** `5m` is two words here, so that the message can be about the unit. */
const number: Read<WholeNumber> = (reader, node) => ({
  value: Number(reader.words(node)),
  span: reader.span(node),
});
const optionalText = (field: string) => optional(field, (reader, node) => reader.text(node));

/** `every monday and friday at "07:30"`. */
export type Every = ReturnType<typeof every>;
const every = node({
  kind: is('every'),
  count: optional('count', number),
  units: (reader, { children }) => children.filter(({ field }) => field === 'unit').map((unit) => reader.name(unit)),
  day: optional('day', number),
  time: optionalText('time'),
});
const cron = node({ kind: is('cron'), pattern: text('pattern') });

export type ScheduleDeclaration = ReturnType<typeof schedule>;
export const schedule = declared(
  {
    kind: is('schedule'),
    times: child('times', (...at) => (at[1].type === 'cron' ? cron(...at) : every(...at))),
    zone: optionalText('zone'),
    runs: members({ run_action: run }),
  },
  'schedule',
);
