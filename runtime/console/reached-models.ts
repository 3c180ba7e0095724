import { setImmediate as immediately } from 'node:timers/promises';
import { passwordAuthOf } from '../../compiler/definition/accounts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Action, Endpoint, Input } from '../../compiler/definition/endpoint.ts';
import type { Selected } from '../../compiler/definition/expression.ts';

/**
 * The models whose records a client meets: in a path, in an answer, or in what it sends. A model that only an action
 * writes to, such as a journal, or that only an `authorize` asks, is not among them.
 */
export function reachedModels(definition: Definition): ReadonlySet<string> {
  const reached = new Set<string>();
  for (const models of reachedFrom(definition)) for (const model of models) reached.add(model);
  return reached;
}

/** In milliseconds. */
const LONGEST_TURN = 5;

/** The same, while other requests come in between: thousands of endpoints may have to be read from the definition. */
export async function reachedInTurns(definition: Definition): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  let turn = performance.now();
  for (const models of reachedFrom(definition)) {
    for (const model of models) reached.add(model);
    // Nothing that follows could add to it.
    if (reached.size === definition.models.length) break;
    if (performance.now() - turn < LONGEST_TURN) continue;
    await immediately();
    turn = performance.now();
  }
  return reached;
}

function* reachedFrom(definition: Definition): Generator<readonly string[]> {
  const accounts = passwordAuthOf(definition);
  yield definition.entrypoints.map(({ model }) => model);
  if (accounts) yield [accounts.model, ...selected(accounts.password.me)];
  for (const endpoint of definition.endpoints) yield modelsOf(endpoint);
}

function modelsOf({ model, records, request, actions, response }: Endpoint): readonly string[] {
  return [
    model,
    ...records.map((record) => record.model),
    ...request.inputs.flatMap(sent),
    ...actions.flatMap((action) => answered(action, actions)),
    ...('select' in response ? selected(response.select) : []),
  ];
}

function sent(input: Input): readonly string[] {
  if (input.kind === 'group') return input.inputs.flatMap(sent);
  return [input.stores?.model, input.finds?.model].filter((model) => model !== undefined);
}

/** What a `respond` gives: the record that its body is, with all that was selected of it. */
function answered(action: Action, actions: readonly Action[]): readonly string[] {
  if (action.kind !== 'respond' || action.body?.kind !== 'snapshot') return [];
  const { record, type } = action.body;
  const source = actions.find((each) => each.kind === 'query' && each.record === record);
  const select = source?.kind === 'query' && source.does.kind === 'select' ? source.does.select : [];
  return [...(type.model === undefined ? [] : [type.model]), ...selected(select)];
}

function selected(select: readonly Selected[]): readonly string[] {
  return select.flatMap((each) => (each.kind === 'records' ? [each.model, ...selected(each.select)] : []));
}
