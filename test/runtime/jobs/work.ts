/** Programs with jobs, as the compiler defines them. */
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Action, Endpoint, Run } from '../../../compiler/definition/endpoint.ts';
import type { Job } from '../../../compiler/definition/work.ts';
import { type Code, definitionOf } from '../operations/running.ts';

type Change = (definition: Definition) => Definition;

/** An endpoint `POST many "job-Name"` becomes the job `Name`, and `"failed-Name"` what is done when it has failed. */
export async function workOf(
  source: string,
  changes: readonly Change[],
  code?: Readonly<Record<string, Code>>,
): Promise<Definition> {
  const written = await definitionOf(source, code);
  const named = (word: string) => written.endpoints.filter(({ path }) => lastOf(path)?.startsWith(word));
  const jobs = named('job-').map((endpoint) => jobOf(endpoint, named('failed-')));
  const isWork = ({ path }: Endpoint) => /^(job|failed)-/.test(lastOf(path) ?? '');
  const endpoints = written.endpoints.filter((endpoint) => !isWork(endpoint));
  const definition: Definition = { ...written, endpoints, jobs };
  return changes.reduce((changed, change) => change(changed), definition);
}

function lastOf(path: Endpoint['path']): string | undefined {
  const last = path.at(-1);
  return last?.kind === 'literal' ? last.text : undefined;
}

function jobOf({ path, request, actions }: Endpoint, failed: readonly Endpoint[]): Job {
  const name = lastOf(path)?.slice('job-'.length) as string;
  const onFailure = failed.find((endpoint) => lastOf(endpoint.path) === `failed-${name}`)?.actions ?? [];
  return {
    name,
    was: null,
    doc: null,
    inputs: request.inputs as Job['inputs'],
    retry: 8,
    timeout: 30,
    actions,
    onFailure,
  };
}

/** Changes what is said about a job beside its actions. */
export function job(name: string, said: Partial<Job>): Change {
  return ({ jobs = [], ...definition }) => ({
    ...definition,
    jobs: jobs.map((each) => (each.name === name ? { ...each, ...said } : each)),
  });
}

/** Adds a `run` to the end of what an endpoint, or a job, does. */
export function runs(id: string, run: Omit<Run, 'kind' | 'due' | 'once' | 'line'> & Partial<Run>): Change {
  const action: Action = { kind: 'run', due: null, once: null, line: null, ...run };
  const added = <T extends { readonly actions: readonly Action[] }>(one: T) => ({
    ...one,
    actions: [...one.actions, action],
  });
  return ({ jobs = [], ...definition }) => ({
    ...definition,
    jobs: jobs.map((each) => (each.name === id ? added(each) : each)),
    endpoints: definition.endpoints.map((each) => (each.id === id ? added(each) : each)),
  });
}
