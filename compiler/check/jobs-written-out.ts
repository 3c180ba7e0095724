/**
 * Writes out the jobs that actions run: behind each `run` are the actions of its job, with the arguments in place of its
 * inputs. So checks see all that is written, now or later. The result is never run.
 */
import { memoized } from '../definition/memo.ts';
import { actionWith, inputOf, withRoots } from '../program/parts.ts';
import type { Action, Each, Expression, Path, Root, Run, Variable } from '../program/program.ts';
import { NULL } from '../program/type.ts';
import { keyOf } from './shown-values.ts';

/** `seen` has the runs that are written out already, with their arguments. */
export function withJobsWrittenOut(actions: readonly Action[], seen = new Set<string>()): readonly Action[] {
  return actions.flatMap((action) => (action.kind === 'run' ? [action, ...actionsOfJob(action, seen)] : [action]));
}

/** Whether the failure of an action undoes the write: of one in the same job, or where the job of the write is stored. */
export function mayPrevent({ within = [] }: Action, write: Action): boolean {
  return within.every((run, depth) => run === write.within?.[depth]);
}

/** What the job does, and the jobs that it runs, unless they lead back to it. */
function actionsOfJob(run: Run & Action, seen: Set<string>): readonly Action[] {
  const { job, values, within = [] } = run;
  const key = [job.name, ...values.map(({ input, value }) => `${input.name} ${keyOf(value)}`)].join('\n');
  if (seen.has(key) || within.some((around) => around.job === job)) return [];
  seen.add(key);
  const given = givenBy(run, seen.size);
  const written = (actions: readonly Action[], around: Run & Action) =>
    actions
      // The argument takes the place of the record that the query of an input reads.
      .filter((action) => action.kind !== 'query' || !action.variable?.input)
      .map((action) => ({ ...actionGiven(action, given), within: [...within, around] }));
  const all = [...written(job.actions, run), ...written(job.onFailure, { ...run, onFailure: true })];
  return withJobsWrittenOut(all, seen);
}

type Given = ReturnType<typeof givenBy>;

/** The values of inputs, and variables for this run alone: no two runs have the same records. */
function givenBy({ values, span, each }: Run & Action, place: number) {
  const given = new Map(values.map(({ input, value }) => [input.input, withRoots(value, listOf(each))]));
  const own = memoized((variable: Variable): Variable => ({ ...variable, name: `${variable.name}#run ${place}` }));
  const valueAt = (root: Root): Expression | Pick<Path, 'root' | 'steps'> | undefined => {
    const input = inputOf(root);
    if (input) return given.get(input) ?? input.default ?? { kind: 'literal', value: null, type: NULL, span };
    return root.kind === 'variable' ? { root: { ...root, variable: own(root.variable) }, steps: [] } : undefined;
  };
  return { valueAt, own };
}

/** The list of a `for`, in place of an item. */
function listOf(each: Each | undefined) {
  return (root: Root) => (root.kind === 'variable' && root.variable === each?.variable ? each.list : undefined);
}

function actionGiven(action: Action, { valueAt, own }: Given): Action {
  const changed = actionWith(action, (value) => withRoots(withRoots(value, listOf(action.each)), valueAt));
  if (changed.kind !== 'query')
    return 'variable' in changed ? { ...changed, variable: own(changed.variable) } : changed;
  const { query, variable } = changed;
  const start = query.root && valueAt(query.root);
  const from = start && 'root' in start && { root: start.root, steps: [...start.steps, ...query.steps] };
  return { ...changed, query: { ...query, ...from }, variable: variable && own(variable) };
}
