/** What actions store, and what of it clients send. */
import { pathsIn } from '../program/paths-in.ts';
import type { Action, Each, Endpoint, Expression, Field, Input } from '../program/program.ts';

export interface Stored {
  readonly field: Field;
  readonly value: Expression | { readonly kind: 'input'; readonly input: Input };
}

export function assignmentsOf(action: Action): readonly Stored[] {
  if (action.kind === 'create' || action.kind === 'update') return action.values;
  return action.kind === 'query' && action.does.kind === 'update' ? action.does.values : [];
}

export interface Sent {
  readonly field: Field;
  readonly input: Input;
  /** Whether it is a field of the caller's own record: `update @auth { … }`. */
  readonly isOfCaller: boolean;
  readonly action: Action;
}

/** The fields that the endpoint stores a client's value in, whether as it comes or within an expression. */
export function sentFields({ actions }: Pick<Endpoint, 'actions'>): readonly Sent[] {
  return actions.flatMap((action) =>
    assignmentsOf(action).flatMap(({ field, value }) =>
      inputsIn(value, eachOf(action)).map((input) => ({ field, input, isOfCaller: isOfCaller(action), action })),
    ),
  );
}

function isOfCaller(action: Action): boolean {
  if (action.kind !== 'update' || action.target.kind !== 'path') return false;
  return action.target.root.kind === 'auth' && action.target.steps.length === 0;
}

/** The `for` around a create. */
export function eachOf(action: Action): Each | undefined {
  return action.kind === 'create' ? action.each : undefined;
}

/** An item of a list is what the client has sent, too. */
export function inputsIn(value: Stored['value'], each?: Each): readonly Input[] {
  if (value.kind === 'input') return [value.input];
  // What is stored then is not what the client sent, and never the same twice.
  if (value.kind === 'call' && value.function === 'cryptoHash') return [];
  return pathsIn(value).flatMap(({ root }) => {
    if (root.kind === 'variable' && each && root.variable === each.variable) return inputsIn(each.list);
    return root.kind === 'input' ? [root.input] : [];
  });
}
