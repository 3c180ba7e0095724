/** The changes of work beside requests: jobs, what is promised of them, and the reactions and schedules that start them. */
import { comparisonOf, type Pair } from '../change/comparison.ts';
import type { Definition, Job, Reaction, Schedule } from '../definition/definition.ts';
import { PLAIN_ENDPOINT } from '../definition/endpoint.ts';
import { modelIn } from '../definition/lookup.ts';
import { isExactlyOnce, isJobDiscarded } from '../definition/work.ts';
import { defaultWords, textOf } from './api-request.ts';
import { type Both, quoted, typeName } from './api-rules.ts';
import type { WorkChange } from './difference.ts';
import { ExpressionTexts } from './expression-text.ts';
import { formerNames, Meanings, type RuleSource, ruleSourceOf } from './meaning.ts';
import { pairedBy } from './pairing.ts';

export function workChanges(before: Definition, after: Definition): readonly WorkChange[] {
  const { kept, added, gone } = comparisonOf(before, after).jobs;
  return [
    ...added.map((job) => jobChange(job, 'new', `is new: ${guaranteeOf(job)}`)),
    ...kept.flatMap(changesOf),
    ...gone.map((job) => jobChange(job, 'removed', `is gone; ${fateOf(job, after)}`)),
    ...reactionChanges(before, after),
    ...scheduleChanges(before, after),
  ];
}

// ── Jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function jobChange({ name, delivers }: Job, change: WorkChange['change'], says: string): WorkChange {
  return {
    change,
    says: `the ${delivers === 'mail' ? 'mail' : 'job'} ${quoted(name)} ${says}`,
    subject: { kind: 'job', name },
  };
}

function guaranteeOf(job: Job): string {
  return isExactlyOnce(job) ? 'exactly once' : 'at least once';
}

function fateOf(job: Job, after: Definition): string {
  return isJobDiscarded(job, after)
    ? 'jobs that wait are removed when the previous release is no longer served'
    : 'the previous release has to do those that wait';
}

function changesOf({ previous, next }: Pair<Job>): readonly WorkChange[] {
  const differs = <T>(was: T, is: T, says: (is: T, was: T) => string): readonly WorkChange[] =>
    JSON.stringify(was) === JSON.stringify(is) ? [] : [jobChange(next, 'changed', says(is, was))];
  const content = next.delivers === 'mail' ? 'has another content' : 'does something else';
  const order = next.inLines ? 'is done one at a time now' : 'is no longer done one at a time';
  return [
    ...(previous.name === next.name ? [] : [jobChange(next, 'renamed', `was ${quoted(previous.name)}`)]),
    ...defaultChanges(previous, next),
    ...differs(inputsOf(previous), inputsOf(next), (is) => `has ${is === '' ? 'no inputs' : `the inputs ${is}`} now`),
    ...differs(guaranteeOf(previous), guaranteeOf(next), (is, was) => `is done ${is} now, not ${was}`),
    ...differs(previous.retry, next.retry, (is, was) => `is tried again ${times(is)} now, not ${times(was)}`),
    ...differs(previous.timeout, next.timeout, (is, was) => `may take ${is} seconds now, not ${was}`),
    ...differs(previous.inLines ?? false, next.inLines ?? false, () => order),
    ...differs(previous.actions, next.actions, () => content),
    ...differs(previous.onFailure, next.onFailure, () => 'does something else when it has failed'),
  ];
}

function inputsOf({ inputs }: Job): string {
  return inputs.map(({ name, type }) => quoted(`${name} ${typeName(type)}${type.nullable ? '?' : ''}`)).join(', ');
}

function defaultChanges(previous: Job, next: Job): readonly WorkChange[] {
  return next.inputs.flatMap((input) => {
    const was = previous.inputs.find(({ name }) => name === input.name);
    if (!was || was.required || input.required || textOf(was) === textOf(input)) return [];
    return [jobChange(next, 'changed', `has an input ${quoted(input.name)} that ${defaultWords(was, input)}`)];
  });
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

// ── Reactions ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Two reactions are the same one if they start the same jobs at the same event. */
function reactionChanges(before: Definition, after: Definition): readonly WorkChange[] {
  const { models, jobs } = comparisonOf(before, after);
  const nowCalled = (pairs: readonly Pair<{ readonly name: string }>[], name: string, isBefore: boolean) =>
    (isBefore && pairs.find(({ previous }) => previous.name === name)?.next.name) || name;
  const { kept, removed, added } = pairedBy(before.reactions ?? [], after.reactions ?? [], [
    (reaction) => JSON.stringify(reaction),
    ({ event, model, runs }, isBefore) =>
      JSON.stringify([
        event,
        nowCalled(models.kept, model, isBefore),
        runs.map(({ job }) => nowCalled(jobs.kept, job, isBefore)),
      ]),
  ]);
  return [
    ...added.map((reaction) => reactionChange(reaction, 'new', after)),
    ...kept
      .filter((pair) => JSON.stringify(pair.before) !== JSON.stringify(pair.after) || meansOther(pair, before, after))
      .map((pair) => reactionChange(pair.after, 'changed', after)),
    ...removed.map((reaction) => reactionChange(reaction, 'removed', before)),
  ];
}

/** Whether the condition or an input of its jobs reads something that is computed in another way. */
function meansOther(pair: Both<Reaction>, before: Definition, after: Definition): boolean {
  const meaningOf = ({ model, record, reads, before: former, when, runs }: Reaction, source: RuleSource) => {
    const own = { record, model, reads, through: null, identify: null };
    const records = [own, { ...own, record: 'before', reads: former }];
    return new Meanings(source, { ...PLAIN_ENDPOINT, records }).of([when, runs]);
  };
  const names = formerNames(before, after);
  return meaningOf(pair.before, ruleSourceOf(before)) !== meaningOf(pair.after, ruleSourceOf(after, names));
}

function reactionChange(reaction: Reaction, change: WorkChange['change'], definition: Definition): WorkChange {
  const { event, model, record, reads, before, when, runs } = reaction;
  const texts = new ExpressionTexts(
    { get: (name) => modelIn(definition, name) },
    {
      authReads: [],
      records: [
        { record, reads },
        { record: 'before', reads: before },
      ],
    },
  );
  const condition = when ? ` when ${texts.of(when)}` : '';
  return {
    change,
    says: `${quoted(`on ${event} of ${model} as ${record}${condition}`)} runs ${jobsIn(runs)}`,
    subject: { kind: 'reaction', event, model },
  };
}

function jobsIn(runs: Reaction['runs']): string {
  return runs.map(({ job }) => quoted(job)).join(' and ');
}

// ── Schedules ───────────────────────────────────────────────────────────────────────────────────────────────────────

function scheduleChanges({ schedules: former = [] }: Definition, { schedules: latter = [] }: Definition) {
  const { kept, removed, added } = pairedBy(former, latter, [({ name }) => name]);
  const changed = kept.filter((pair) => JSON.stringify(pair.before) !== JSON.stringify(pair.after));
  return [
    ...added.map((schedule) => scheduleChange(schedule, 'new')),
    ...changed.map((pair) => scheduleChange(pair.after, 'changed')),
    ...removed.map((schedule) => scheduleChange(schedule, 'removed')),
  ];
}

function scheduleChange({ name, cron, zone, catchUp, runs }: Schedule, change: WorkChange['change']): WorkChange {
  return {
    change,
    says: `the schedule ${quoted(name)}, \`${cron}\` in ${zone}, catch up ${catchUp}, runs ${jobsIn(runs)}`,
    subject: { kind: 'schedule', name },
  };
}
