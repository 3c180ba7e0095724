import type { Execute } from '../../compiler/definition/definition.ts';
import { resultName } from '../expressions/scope.ts';
import { holdResponse } from '../hooks/held-response.ts';
import { hookName } from '../hooks/hook-function.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RunAction } from './action-tools.ts';

/** Runs custom code. Where it responds by itself, what it writes waits until the transaction is committed. */
export function executeAction({ hook, record, responds }: Execute, { environment }: ActionTools): RunAction {
  const run = environment.hook(hook);
  return async (scope, outcome) => {
    const response = scope.context?.response;
    if (responds && response) outcome.held = holdResponse(response);
    const result = await run(scope);
    if (responds && !outcome.held?.isEnded) throw new Error(`the hook ${hookName(hook)} was to respond, but did not`);
    if (record !== null) scope.records[resultName(record)] = (result ?? null) as Value;
  };
}
