/** Jobs, reactions, schedules, mail and webhooks. */
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { actionBlockFrom, actionFrom } from './api.ts';
import type {
  DropJobDeclaration,
  JobDeclaration,
  JobInput,
  MailDeclaration,
  Name,
  ReactionDeclaration,
  RunAction,
  ScheduleDeclaration,
  Text,
  WebhookDeclaration,
  WebhookReceivers,
  WholeNumber,
} from './ast.ts';
import { expressionFrom, pathFrom, propertiesFrom } from './expressions.ts';
import type { DocumentedNode, Reader } from './reader.ts';

export function jobFrom(reader: Reader, job: DocumentedNode): JobDeclaration {
  const { inputs, properties } = jobPartsFrom(reader, job);
  return {
    kind: 'job',
    ...reader.named(job),
    was: reader.nameWithin(job.node, 'was'),
    ...propertiesFrom<'job'>(reader, properties),
    inputs,
    action: reader.readIf(properties.get('action'), actionBlockFrom),
    onFailure: reader.readIf(properties.get('call_failure'), actionBlockFrom),
  };
}

export function mailFrom(reader: Reader, mail: DocumentedNode): MailDeclaration {
  const { inputs, properties } = jobPartsFrom(reader, mail);
  return {
    kind: 'mail',
    ...reader.named(mail),
    was: reader.nameWithin(mail.node, 'was'),
    ...propertiesFrom<'mail'>(reader, properties),
    inputs,
  };
}

function jobPartsFrom(reader: Reader, { node }: DocumentedNode) {
  const contents = reader.documented(reader.child(node, 'body'));
  const isInput = (each: DocumentedNode) => each.node.type === 'job_input';
  const others = contents.filter((each) => !isInput(each));
  for (const each of others) reader.reportMisplacedDoc(each);
  return {
    inputs: contents.filter(isInput).map((input) => inputFrom(reader, input)),
    properties: reader.properties(others.map((other) => other.node)),
  };
}

function inputFrom(reader: Reader, input: DocumentedNode): JobInput {
  const properties = reader.properties(reader.contents(reader.child(input.node, 'body')));
  return { kind: 'input', ...reader.named(input), ...propertiesFrom<'job_input'>(reader, properties) };
}

export function dropJobFrom(reader: Reader, node: SyntaxNode): DropJobDeclaration {
  const properties = reader.properties(reader.contents(node).filter((child) => child.field !== 'name'));
  return {
    kind: 'drop-job',
    name: reader.childName(node),
    ...propertiesFrom<'drop_job'>(reader, properties),
    span: reader.span(node),
  };
}

export function reactionFrom(reader: Reader, node: SyntaxNode): ReactionDeclaration {
  const runs = reader.contents(reader.child(node, 'body')).map((run) => actionFrom(reader, run) as RunAction);
  return { ...eventFrom(reader, node), runs };
}

function eventFrom(reader: Reader, node: SyntaxNode): ReactionDeclaration {
  const event = reader.child(node, 'event');
  return {
    kind: 'reaction',
    event: reader.words(event) as ReactionDeclaration['event'],
    model: reader.childName(node, 'model'),
    alias: reader.nameWithin(node, 'alias') as Name,
    when: reader.readIf(reader.optional(node, 'condition'), expressionFrom),
    runs: [],
    head: { ...reader.span(node), end: reader.span(event).end },
    span: reader.span(node),
  };
}

export function webhookFrom(reader: Reader, webhook: DocumentedNode): WebhookDeclaration {
  const { node, doc } = webhook;
  const name = reader.childText(node, 'name');
  const properties = reader.properties(reader.contents(reader.child(node, 'body')));
  return {
    kind: 'webhook',
    name: { text: name.value, span: name.span },
    doc,
    event: reader.readIf(properties.get('webhook_event'), eventFrom),
    receivers: reader.readIf(properties.get('webhook_receivers'), receiversFrom),
    ...propertiesFrom<'webhook'>(reader, properties),
    gone: reader.readIf(properties.get('webhook_gone'), actionBlockFrom),
    span: reader.span(node),
  };
}

function receiversFrom(reader: Reader, node: SyntaxNode): WebhookReceivers {
  const contents = reader.contents(reader.child(node, 'body'));
  const isSecret = ({ type }: SyntaxNode) => type === 'receiver_secret';
  const properties = reader.properties(contents.filter((each) => !isSecret(each)));
  return {
    list: reader.readIf(reader.optional(node, 'list'), pathFrom),
    alias: reader.nameWithin(node, 'alias'),
    ...propertiesFrom<'webhook_receiver'>(reader, properties),
    secrets: contents.filter(isSecret).map((secret) => expressionFrom(reader, reader.child(secret, 'value'))),
    span: reader.span(node),
  };
}

export function scheduleFrom(reader: Reader, schedule: DocumentedNode): ScheduleDeclaration {
  const contents = reader.contents(reader.child(schedule.node, 'body'));
  const isRun = ({ type }: SyntaxNode) => type === 'run_action';
  return {
    kind: 'schedule',
    ...reader.named(schedule),
    ...propertiesFrom<'schedule'>(reader, reader.properties(contents.filter((each) => !isRun(each)))),
    times: timesFrom(reader, reader.child(schedule.node, 'times')),
    zone: reader.readIf(reader.optional(schedule.node, 'zone'), textFrom),
    runs: contents.filter(isRun).map((run) => actionFrom(reader, run) as RunAction),
  };
}

function timesFrom(reader: Reader, node: SyntaxNode): ScheduleDeclaration['times'] {
  const span = reader.span(node);
  if (node.type === 'cron') return { kind: 'cron', pattern: reader.childText(node, 'pattern'), span };
  return {
    kind: 'every',
    // `5m` is two words here, so that the message can be about the unit.
    count: reader.readIf(reader.optional(node, 'count'), numberFrom),
    units: node.children.filter(({ field }) => field === 'unit').map((unit) => reader.name(unit)),
    day: reader.readIf(reader.optional(node, 'day'), numberFrom),
    time: reader.readIf(reader.optional(node, 'time'), textFrom),
    span,
  };
}

function numberFrom(reader: Reader, node: SyntaxNode): WholeNumber {
  return { value: Number(reader.words(node)), span: reader.span(node) };
}

function textFrom(reader: Reader, node: SyntaxNode): Text {
  return reader.text(node);
}
