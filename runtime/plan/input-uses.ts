/** How an endpoint uses its inputs: in fields with an index, and in hashes of passwords. */
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { Action, Assignment, Endpoint } from '../../compiler/definition/endpoint.ts';
import type { Call, Expression, InputValue, Snapshot } from '../../compiler/definition/expression.ts';
import { modelIn, nodesIn } from '../../compiler/definition/lookup.ts';

/** The paths of inputs that are stored, as they are, in fields with an index: Postgres has a limit for these. */
export function indexedInputs({ actions }: Endpoint, definition: Definition): readonly (readonly string[])[] {
  return actions.flatMap((action) => {
    const written = writtenBy(action);
    const model = written && modelIn(definition, written.model);
    if (!written || !model) return [];
    return written.values.flatMap(({ field, value }) => {
      const input = inputBehind(value, action);
      return input?.kind === 'input' && isIndexed(model, field) ? [input.path] : [];
    });
  });
}

/** The value itself, or the list of which it is an item, or of whose items it is a part. */
function inputBehind(value: Expression, action: Action): Expression {
  const each = 'each' in action ? action.each : undefined;
  const isItem = (of: Expression) => of.kind === 'snapshot' && of.record === each?.item;
  if (!each) return value;
  if (value.kind === 'member' && isItem(value.of) && each.list.kind === 'input')
    return { ...each.list, path: [...each.list.path, value.name] };
  return isItem(value) ? each.list : value;
}

/** An input, or an input of each item of a list. */
export interface KeyInput {
  readonly path: readonly string[];
  readonly ofItems: boolean;
}

/** The inputs whose values are stored, as they are or within an expression, as the key of a reference. */
export function keyInputs(
  { actions }: Endpoint,
  { name, fields }: Pick<Model, 'name' | 'fields'>,
  column: string,
): readonly KeyInput[] {
  const field = fields.find((each) => each.column === column)?.name;
  return actions.flatMap((action) => {
    const written = writtenBy(action);
    const values = written?.model === name ? written.values.filter((each) => each.field === field) : [];
    return values.flatMap(({ value }) => inputsIn(value, action, actions));
  });
}

/** Those of items come first, and a member of an item before the item itself. */
export function inputsIn(value: Expression, action: Action, actions: readonly Action[]): readonly KeyInput[] {
  const items = nodesIn<Expression>(value, () => true).flatMap((node) => {
    const item = inputBehind(node, action);
    return item !== node && item.kind === 'input' ? [{ path: item.path, ofItems: true }] : [];
  });
  const records = new Set(nodesIn<Snapshot>(value, ({ kind }) => kind === 'snapshot').map(({ record }) => record));
  const found = actions.flatMap((each) => {
    if (each.kind !== 'query' || each.does.kind !== 'find' || !records.has(each.record ?? '')) return [];
    const { input, ids } = each.does;
    return input ? [{ path: input, ofItems: ids.type.many === true }] : [];
  });
  const inputs = nodesIn<InputValue>(value, ({ kind }) => kind === 'input');
  return [...items, ...found, ...inputs.map(({ path }) => ({ path, ofItems: false }))];
}

function writtenBy(
  action: Action,
): { readonly model: string; readonly values: readonly Pick<Assignment, 'field' | 'value'>[] } | null {
  if (action.kind === 'create' || action.kind === 'update') return action;
  if (action.kind !== 'query' || action.does.kind !== 'update') return null;
  return { model: action.query.model, values: action.does.values };
}

function isIndexed({ fields, uniques }: Model, name: string): boolean {
  const isAlone = fields.some((field) => field.name === name && (field.unique || field.index));
  return isAlone || uniques.some((unique) => unique.includes(name));
}

/** The calls of `cryptoHash` in actions whose values are known as soon as the inputs are. */
export function hashesOfInputs(actions: readonly Action[]): readonly Call[] {
  return callsIn(actions).filter(({ arguments: args }) => args.every(isOfInputs));
}

function callsIn(value: unknown): readonly Call[] {
  if (typeof value !== 'object' || value === null) return [];
  const { kind, function: name } = value as Partial<Call>;
  if (kind === 'call' && name === 'cryptoHash') return [value as Call];
  return Object.values(value).flatMap(callsIn);
}

/** Whether the value depends on the inputs alone. A random value is another one each time. */
function isOfInputs(expression: Expression): boolean {
  switch (expression.kind) {
    case 'input':
    case 'literal':
      return true;
    case 'operation':
      return expression.operands.every(isOfInputs);
    case 'convert':
      return isOfInputs(expression.value);
    case 'call':
      return expression.function !== 'cryptoToken' && expression.arguments.every(isOfInputs);
    default:
      return false;
  }
}
