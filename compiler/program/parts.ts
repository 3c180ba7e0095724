/** The parts of expressions and of what contains them. */
import { memoized } from '../definition/memo.ts';
import type { Span } from '../source/source-file.ts';
import type {
  Action,
  Assignment,
  Check,
  Entrypoint,
  Expression,
  Field,
  HookArgument,
  HookCall,
  Input,
  Model,
  Path,
  Query,
  Root,
  Selected,
  Validation,
} from './program.ts';

type Change = (part: Expression) => Expression;

export function isNull(expression: Expression): boolean {
  return expression.kind === 'literal' && expression.value === null;
}

/** The parts joined by `and`: all of them hold if the condition does. */
export function conjuncts(condition: Expression): readonly Expression[] {
  if (condition.kind !== 'operation' || condition.operator !== 'and') return [condition];
  return condition.operands.flatMap(conjuncts);
}

/** The direct parts. Values and paths have none, and those of a hook are in its arguments. */
export function partsOf(expression: Expression): readonly Expression[] {
  if (expression.kind === 'hook') return [];
  const parts: Expression[] = [];
  withParts(expression, (part) => {
    parts.push(part);
    return part;
  });
  return parts;
}

// ── Changed parts ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The same expression with its direct parts changed. */
export function withParts(expression: Expression, change: Change): Expression {
  switch (expression.kind) {
    case 'literal':
    case 'path':
      return expression;
    case 'list':
      return { ...expression, items: expression.items.map(change) };
    case 'object':
      return { ...expression, members: expression.members.map((each) => ({ ...each, value: change(each.value) })) };
    case 'member':
      return { ...expression, of: change(expression.of) };
    case 'fold':
      return { ...expression, value: expression.value && change(expression.value) };
    case 'operation':
      return { ...expression, operands: expression.operands.map(change) };
    case 'call':
    case 'faker':
      return { ...expression, arguments: expression.arguments.map(change) };
    case 'hook':
      return { ...expression, call: hookWith(expression.call, change) };
  }
}

function hookWith(call: HookCall, change: Change): HookCall {
  return { ...call, arguments: call.arguments.map((each) => argumentWith(each, change)) };
}

function argumentWith(argument: HookArgument, change: Change): HookArgument {
  if ('value' in argument) return { ...argument, value: change(argument.value) };
  return { ...argument, query: queryWith(argument.query, change) };
}

type PlainQuery = Pick<Query, 'root' | 'steps' | 'model' | 'cardinality'>;

/** The query of everything at the end of a path. */
export function plainQuery({ root, steps, model, cardinality }: PlainQuery): Query {
  return { root, steps, model, filter: undefined, orderBy: [], limit: undefined, offset: undefined, cardinality };
}

export function queryWith(query: Query, change: Change): Query {
  return query.filter ? { ...query, filter: change(query.filter) } : query;
}

function validationWith(validation: Validation, change: Change): Validation {
  switch (validation.kind) {
    case 'and':
    case 'or':
      return { ...validation, parts: validation.parts.map((part) => validationWith(part, change)) };
    case 'not':
      return { ...validation, part: validationWith(validation.part, change) };
    case 'check':
      return {
        ...validation,
        value: validation.value && change(validation.value),
        arguments: validation.arguments.map(change),
      };
  }
}

/** The action with its rules and values changed, and the record that it changes or deletes. */
export function actionWith(action: Action, change: Change, changeFilter = change): Action {
  const valued = <Set extends { readonly value: Expression }>(values: readonly Set[]) =>
    values.map((each) => ({ ...each, value: change(each.value) }));
  switch (action.kind) {
    case 'query': {
      const { does } = action;
      const query = queryWith(action.query, changeFilter);
      return { ...action, query, does: does.kind === 'update' ? { ...does, values: valued(does.values) } : does };
    }
    case 'create':
      return { ...action, values: valued(action.values) };
    case 'update':
      return { ...action, target: change(action.target), values: valued(action.values) };
    case 'run':
      return { ...action, values: valued(action.values) };
    case 'delete':
      return { ...action, target: change(action.target) };
    case 'execute':
    case 'service-call':
      return { ...action, hook: hookWith(action.hook, change) };
    case 'validate':
      return { ...action, validation: validationWith(action.validation, change) };
    case 'refuse':
      return { ...action, when: action.when && change(action.when) };
    case 'respond':
      return action;
  }
}

/** Replaces roots of paths by the paths to them, or by other values. Conditions get `span`; paths keep their own. */
export function withRoots(
  value: Expression,
  valueAt: (root: Root) => Pick<Path, 'root' | 'steps'> | Expression | undefined,
  span?: Span,
): Expression {
  if (value.kind !== 'path')
    return { ...withParts(value, (part) => withRoots(part, valueAt, span)), span: span ?? value.span };
  const found = valueAt(value.root) ?? { root: value.root, steps: [] };
  return 'root' in found ? { ...value, root: found.root, steps: [...found.steps, ...value.steps] } : found;
}

/** The input that a path begins at: its value, or the record that it names. */
export function inputOf(root: Root): Input | undefined {
  if (root.kind === 'variable') return root.variable.input;
  return root.kind === 'input' ? root.input : undefined;
}

/** The `only` of an entrypoint as a condition on a row. */
export function onlyOfRow({ only, model, variable }: Entrypoint): Expression | undefined {
  if (!only) return undefined;
  const row = { root: { kind: 'row', model }, steps: [] } as const;
  return withRoots(
    only,
    (root) => (root.kind === 'variable' && root.variable === variable ? row : undefined),
    only.span,
  );
}

// ── Selections ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The direct fields of a model, without secrets: what a response is when nothing is said. */
export function directFields(model: Model): readonly Selected[] {
  return withoutSecrets(model.fields);
}

/**
 * Memoized by the fields of a model, because every endpoint without a response needs it. A model that is declared again
 * has other fields.
 */
const withoutSecrets = memoized((fields: Model['fields']) => fields.filter(({ secret }) => !secret).map(fieldSelected));

function fieldSelected(field: Field): Selected {
  const { name, doc, type, span } = field;
  const value: Path = { kind: 'path', root: { kind: 'row', model: field.model }, steps: [field], type, span };
  return { kind: 'value', name, doc, value };
}

// ── Writes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Written {
  readonly does: 'create' | 'update' | 'delete';
  readonly model: Model;
  readonly values: readonly Pick<Assignment, 'field' | 'value' | 'when'>[];
}

/** Stores an input in its field. The type of a list is that of its items. */
export function storedInput(input: Input): Assignment {
  const field = input.field as Field;
  const type = { base: field.type.base, nullable: input.type.nullable, many: false };
  const value: Path = { kind: 'path', root: { kind: 'input', input }, steps: [], type, span: field.span };
  return { field, value, sentWith: input, isAsSent: true };
}

/** What an action writes; undefined if it writes nothing. */
export function writeOf(action: Action): Written | undefined {
  if (action.kind === 'create' || action.kind === 'update')
    return { does: action.kind, model: action.model, values: action.values };
  if (action.kind === 'delete') return { does: 'delete', model: action.model, values: [] };
  if (action.kind !== 'query') return undefined;
  const { does, query } = action;
  if (does.kind === 'update') return { does: 'update', model: query.model, values: does.values };
  return does.kind === 'delete' ? { does: 'delete', model: query.model, values: [] } : undefined;
}

// ── Paths ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The paths that an expression walks, those in its parts and in the arguments of hooks included. */
export function pathsIn(expression: Expression): readonly Path[] {
  if (expression.kind === 'path') return [expression];
  return expression.kind === 'hook' ? pathsInHook(expression.call) : partsOf(expression).flatMap(pathsIn);
}

export function pathsInHook({ arguments: args }: HookCall): readonly Path[] {
  return args.flatMap(pathsInArgument);
}

function pathsInArgument(argument: HookArgument): readonly Path[] {
  if ('value' in argument) return pathsIn(argument.value);
  return [...pathsInQuery(argument.query), ...argument.select.flatMap(pathsInSelected)];
}

function pathsInSelected(selected: Selected): readonly Path[] {
  return selected.kind === 'value' ? pathsIn(selected.value) : [];
}

export function pathsInQuery({ filter, orderBy, limit, offset }: Query): readonly Path[] {
  const limits = [limit, offset].filter((value) => typeof value === 'object');
  return [
    ...(filter ? pathsIn(filter) : []),
    ...orderBy.flatMap(({ value }) => pathsIn(value)),
    ...limits.flatMap(pathsIn),
  ];
}

export function pathsInValidation(validation: Validation): readonly Path[] {
  return checksIn(validation).flatMap(({ value, arguments: args, validator }) => {
    const asserted = validator.kind === 'validator' ? [validator.assert] : [];
    return [...(value ? [value] : []), ...args, ...asserted].flatMap(pathsIn);
  });
}

/** The calls of validators, however they are joined. */
export function checksIn(validation: Validation): readonly Check[] {
  if (validation.kind === 'not') return checksIn(validation.part);
  return validation.kind === 'check' ? [validation] : validation.parts.flatMap(checksIn);
}
