/** The jobs of a program for `kiln access`: how often each is done, and what runs it. */
import type { Definition } from '../definition/definition.ts';
import type { Action } from '../definition/endpoint.ts';
import { isExactlyOnce, jobEndpoint } from '../definition/work.ts';
import { accessRules, parallelOf } from './access-rules.ts';

export interface JobRow {
  readonly job: string;
  readonly guarantee: 'exactly once' | 'at least once';
  readonly parallel: string | null;
  /** `POST /api/order/{order_id}/pay`, `job Remind`, `on update of Order`, `schedule Digest`. */
  readonly runBy: readonly string[];
}

export function jobMatrix(definition: Definition): readonly JobRow[] {
  const { jobs = [] } = definition;
  if (jobs.length === 0) return [];
  const starters = startersIn(definition);
  return jobs.map((job) => ({
    job: job.name,
    guarantee: isExactlyOnce(job) ? 'exactly once' : 'at least once',
    parallel: parallelOf(jobEndpoint(job).id, definition),
    runBy: starters.filter(({ actions }) => actions.some((each) => runs(each, job.name))).map(({ text }) => text),
  }));
}

function startersIn(definition: Definition) {
  const { endpoints, jobs = [], reactions = [], schedules = [] } = definition;
  const routes = new Map(accessRules(definition).map(({ id, endpoint }) => [id, endpoint]));
  return [
    ...endpoints.map(({ id, actions }) => ({ text: routes.get(id) ?? id, actions })),
    ...jobs.map(({ name, actions, onFailure }) => ({ text: `job ${name}`, actions: [...actions, ...onFailure] })),
    ...reactions.map(({ event, model, runs: actions }) => ({ text: `on ${event} of ${model}`, actions })),
    ...schedules.map(({ name, runs: actions }) => ({ text: `schedule ${name}`, actions })),
  ];
}

function runs(action: Action, job: string): boolean {
  return action.kind === 'run' && action.job === job;
}
