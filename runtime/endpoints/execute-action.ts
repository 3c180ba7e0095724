import type { Execute } from '../../compiler/definition/definition.ts';
import { resultName } from '../expressions/scope.ts';
import { type HeldResponse, holdResponse } from '../hooks/held-response.ts';
import { hookName } from '../hooks/hook-function.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RunAction } from './action-tools.ts';
import { WrittenError } from './written-error.ts';

/** Runs custom code. Where it responds by itself, what it writes waits until the transaction is committed. */
export function executeAction({ hook, record, responds }: Execute, { environment }: ActionTools): RunAction {
  const run = environment.hook(hook);
  return async (scope, outcome) => {
    const response = scope.context?.response;
    if (responds && response) outcome.held = holdResponse(response);
    const result = await run(scope);
    if (responds) checkWritten(outcome.held, hookName(hook));
    if (record !== null) scope.records[resultName(record)] = (result ?? null) as Value;
  };
}

function checkWritten(held: HeldResponse | null, name: string): void {
  if (!held?.isEnded) throw new Error(`the hook ${name} must respond, but did not`);
  const { status } = held;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new Error(`the hook ${name} has written the invalid status ${status}`);
  if (status >= 400) throw new WrittenError(status);
}
