/**
 * Reactions whose jobs make them fire again. A circle is certain if each write in it is sure to happen and the next
 * `when` is sure to be true; otherwise it is possible. A `when` that the write makes false ends the circle.
 */
import { conjuncts, pathsIn, writeOf } from '../program/parts.ts';
import type { Action, Assignment, Expression, Field, Model, Program, Reaction } from '../program/program.ts';
import type { Context } from './context.ts';
import { mayPrevent, withJobsWrittenOut } from './jobs-written-out.ts';
import { keyOf } from './shown-values.ts';

/** A write of a job. */
interface Effect {
  readonly event: Reaction['event'];
  readonly model: Model;
  readonly values: readonly Pick<Assignment, 'field' | 'value' | 'when'>[];
  /** Whether it changes the record that the reaction has given to the job. */
  readonly isSame: boolean;
  readonly isSure: boolean;
}

/** Whether a reaction fires again; undefined if that is not known. */
type Answer = boolean | undefined;

export function reportEndlessReactions({ report }: Context, { reactions }: Pick<Program, 'reactions'>): void {
  const effects = new Map(reactions.map((reaction) => [reaction, effectsOf(reaction)]));
  const next = (isCertain: boolean) => (from: Reaction) =>
    reactions.filter((to) =>
      (effects.get(from) ?? []).some((effect) => {
        const fires = firesOn(to, effect, from);
        return isCertain ? fires === true && effect.isSure : fires !== false;
      }),
    );
  const told = new Set<Reaction>();
  for (const isCertain of [true, false])
    for (const reaction of reactions) {
      const circle = circleFrom(reaction, next(isCertain), effects);
      if (circle.length === 0 || circle.some((each) => told.has(each))) continue;
      for (const each of circle) told.add(each);
      report('endless-reaction', reaction.span, { isCertain, jobs: reaction.runs.map(({ job }) => job.name) });
    }
}

type Effects = ReadonlyMap<Reaction, readonly Effect[]>;
type Next = (from: Reaction) => readonly Reaction[];

/** All that fires because of the reaction and leads back to it. Records that are only deleted come to an end. */
function circleFrom(start: Reaction, next: Next, effects: Effects): readonly Reaction[] {
  const after = reachedFrom(start, next);
  const circle = after.has(start) ? [...after].filter((each) => reachedFrom(each, next).has(start)) : [];
  if (circle.every(({ event }) => event === 'delete')) return [];
  const spent = new Set(circle.filter((each) => isSpent(each, circle, effects)));
  if (spent.size === 0) return circle;
  return spent.has(start) ? [] : circleFrom(start, (from) => next(from).filter((to) => !spent.has(to)), effects);
}

/** Whether its own write makes its condition false, and nothing else in the circle writes what the condition reads. */
function isSpent(reaction: Reaction, circle: readonly Reaction[], effects: Effects): boolean {
  const { event, model, when, record, before } = reaction;
  if (event !== 'update' || !when) return false;
  const paths = pathsIn(when);
  const fields = new Set(paths.flatMap((path) => [...fieldOf(path, record), ...fieldOf(path, before)]));
  const ending = (effects.get(reaction) ?? []).filter(
    (effect) => effect.isSure && effect.isSame && firesOn(reaction, effect, reaction) === false,
  );
  const others = circle.flatMap((each) => effects.get(each) ?? []).filter((effect) => !ending.includes(effect));
  const mayRestore = (effect: Effect) =>
    effect.model === model && (effect.event === 'create' || effect.values.some(({ field }) => fields.has(field)));
  return ending.length > 0 && paths.every(({ steps }) => steps.length === 1) && !others.some(mayRestore);
}

function reachedFrom(start: Reaction, next: Next): ReadonlySet<Reaction> {
  const reached = new Set(next(start));
  // The set grows during the loop.
  for (const each of reached) for (const further of next(each)) reached.add(further);
  return reached;
}

// ── The writes of jobs ──────────────────────────────────────────────────────────────────────────────────────────────

const DOUBTS: readonly Action['kind'][] = ['refuse', 'validate'];

/** Also of the jobs that its jobs run. */
function effectsOf({ runs, record }: Reaction): readonly Effect[] {
  return runs.flatMap((run) => {
    const actions = withJobsWrittenOut([run]);
    return actions.flatMap((action, at) => effectsOfAction(action, actions.slice(0, at), record));
  });
}

function effectsOfAction(action: Action, before: readonly Action[], record: Reaction['record']): readonly Effect[] {
  const write = writeOf(action);
  if (!write) return [];
  const { does: event, model, values } = write;
  const isSame = action.kind === 'update' && keyOf(action.target) === record.name;
  const isSometimes = [action, ...(action.within ?? [])].some(({ each, onFailure }) => each || onFailure);
  const isDoubtful = before.some((each) => DOUBTS.includes(each.kind) && mayPrevent(each, action));
  const onConflict = action.kind === 'create' ? action.onConflict : undefined;
  const isSure = !isSometimes && !isDoubtful && !onConflict && action.kind !== 'query';
  const effect = { event, model, values, isSame, isSure };
  return onConflict?.does === 'update' ? [effect, { ...effect, event: 'update' }] : [effect];
}

// ── Whether it fires ────────────────────────────────────────────────────────────────────────────────────────────────

function firesOn(to: Reaction, effect: Effect, from: Reaction): Answer {
  if (to.event !== effect.event || to.model !== effect.model) return false;
  if (!to.when) return true;
  const parts = conjuncts(to.when);
  const isAgain = to === from && effect.isSame;
  const equal = effect.event === 'update' ? equalities(parts, to) : [];
  const known = isAgain ? equal : equal.filter(([field]) => !isSet(field, effect));
  const state: State = { to, effect, known: new Map(known), isAgain };
  const answer = and(parts.map((part) => answerOf(part, state) ?? stillTrue(part, state)));
  // Of another record, the condition was only assumed, to find out whether it contradicts itself.
  return answer === true && !isAgain && known.length > 0 ? undefined : answer;
}

interface State {
  readonly to: Reaction;
  readonly effect: Effect;
  /** What the fields were before the write: of the same record as the condition says, of others if they stay as they are. */
  readonly known: ReadonlyMap<Field, unknown>;
  readonly isAgain: boolean;
}

function isSet(field: Field, { values }: Effect): boolean {
  return field.onUpdate !== undefined || values.some((value) => value.field === field);
}

/** The fields that the condition compares with a value. */
function equalities(parts: readonly Expression[], { record }: Reaction): readonly (readonly [Field, unknown])[] {
  return parts.flatMap((part) => {
    if (part.kind === 'path') return fieldOf(part, record).map((field) => [field, true] as const);
    if (part.kind !== 'operation' || part.operator !== 'is') return [];
    const [left, right] = part.operands;
    return left && right?.kind === 'literal' ? fieldOf(left, record).map((field) => [field, right.value] as const) : [];
  });
}

function fieldOf(value: Expression, of: Reaction['record']): readonly Field[] {
  if (value.kind !== 'path' || value.root.kind !== 'variable' || value.root.variable !== of) return [];
  const [step, ...more] = value.steps;
  if (more.length > 0) return [];
  return step?.kind === 'field' ? [step] : step?.kind === 'reference' ? [step.field] : [];
}

function answerOf(condition: Expression, state: State): Answer {
  if (condition.kind === 'path') {
    const value = valueIn(condition, state);
    return value && 'literal' in value ? value.literal === true : undefined;
  }
  if (condition.kind !== 'operation') return undefined;
  const { operator, operands } = condition;
  const answers = () => operands.map((operand) => answerOf(operand, state));
  switch (operator) {
    case 'and':
      return and(answers());
    case 'or':
      return not(and(answers().map(not)));
    case 'not':
      return not(answers()[0]);
    case 'is':
      return isEqual(operands, state);
    case 'is not':
      return not(isEqual(operands, state));
    default:
      return undefined;
  }
}

const not = (answer: Answer): Answer => (answer === undefined ? undefined : !answer);

function and(answers: readonly Answer[]): Answer {
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

/** A value that is known, or that of a field before the write, whatever it is. */
type Value = { readonly literal: unknown } | { readonly field: Field };

function isEqual(operands: readonly Expression[], state: State): Answer {
  const [left, right] = operands.map((operand) => valueIn(operand, state));
  if (!left || !right) return undefined;
  if ('field' in left) return 'field' in right && left.field === right.field ? true : undefined;
  return 'literal' in right ? left.literal === right.literal : undefined;
}

function valueIn(value: Expression, { to, effect, known }: State): Value | undefined {
  if (value.kind === 'literal') return { literal: value.value };
  const before = (field: Field): Value => (known.has(field) ? { literal: known.get(field) } : { field });
  const [former] = fieldOf(value, to.before);
  if (former) return before(former);
  const [field] = fieldOf(value, to.record);
  if (!field) return undefined;
  const written = effect.values.find((each) => each.field === field);
  if (written) return written.value.kind === 'literal' && !written.when ? { literal: written.value.value } : undefined;
  if (effect.event === 'update') return isSet(field, effect) ? undefined : before(field);
  return field.default?.kind === 'literal' ? { literal: field.default.value } : undefined;
}

/** What was true of the same record stays true if nothing that it reads is written. */
function stillTrue(condition: Expression, { to, effect, isAgain }: State): Answer {
  if (!isAgain) return undefined;
  const sides = condition.kind === 'operation' ? condition.operands : [condition];
  const isKept = (side: Expression) =>
    side.kind === 'literal' || fieldOf(side, to.record).some((field) => !isSet(field, effect));
  return sides.every(isKept) ? true : undefined;
}
