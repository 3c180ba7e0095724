/** Jobs, with their inputs and actions as those of endpoints, and reactions, with what they read of the record; and schedules. */
import type { Action, ValueInput, Webhook } from '../definition/endpoint.ts';
import { compare } from '../definition/lookup.ts';
import type { Job, Reaction, Schedule } from '../definition/work.ts';
import type * as program from '../program/program.ts';
import { actionsFrom, runFrom } from './endpoints.ts';
import { conditionFrom } from './expressions.ts';
import { inputsFrom } from './inputs.ts';
import { lowering, nameOf, shapeFrom } from './queries.ts';
import { Reads } from './types.ts';

export function jobFrom(job: program.Job): Job {
  const { name, was, doc, retry, timeout, delivers } = job;
  const inputs = job.inputs.map(({ input }) => input);
  return {
    name,
    was,
    doc,
    inputs: inputsFrom({ inputs, actions: job.actions }, lowering(new Reads())) as readonly ValueInput[],
    retry,
    timeout,
    ...(job.line && { inLines: true as const }),
    ...(delivers && { delivers }),
    actions: ownActions(job.actions),
    onFailure: ownActions(job.onFailure),
  };
}

/** A failure is a transaction of its own, with records of its own. */
function ownActions(actions: readonly program.Action[]): readonly Action[] {
  return actionsFrom(actions, lowering(new Reads()));
}

export function reactionsFrom(reactions: readonly program.Reaction[]): readonly Reaction[] {
  return sortedReactions(reactions.map(reactionFrom));
}

export function sortedReactions(reactions: readonly Reaction[]): readonly Reaction[] {
  return reactions
    .map((reaction) => ({ reaction, key: `${reaction.model} ${reaction.event} ${JSON.stringify(reaction)}` }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ reaction }) => reaction);
}

function reactionFrom({ event, model, record, before, when, runs }: program.Reaction): Reaction {
  const reads = new Reads();
  const around = lowering(reads);
  const condition = when ? conditionFrom(when, around) : null;
  const lowered = runs.map((run) => runFrom(run, around));
  return {
    event,
    model: model.name,
    record: record.name,
    reads: reads.of(record.name),
    before: event === 'update' ? reads.of(before.name) : [],
    when: condition,
    runs: lowered,
  };
}

export function webhookFrom(webhook: program.Webhook): Webhook {
  return { ...shapeFrom(webhook), ...nameOf(webhook.shape) };
}

export function scheduleFrom({ span: _, runs, ...schedule }: program.Schedule): Schedule {
  const around = lowering(new Reads());
  return { ...schedule, runs: runs.map((run) => runFrom(run, around)) };
}
