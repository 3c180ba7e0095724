/** The same expression with its direct parts changed. Values and paths have none. */
import type { Expression, HookArgument, HookCall, OrderItem, Path, Query, Selected, Validation } from './program.ts';

type Change = (part: Expression) => Expression;

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
    case 'hook': {
      const { call } = expression;
      return {
        ...expression,
        call: { ...call, arguments: call.arguments.map((each) => argumentWith(each, change)) },
      };
    }
  }
}

function argumentWith(argument: HookArgument, change: Change): HookArgument {
  if ('value' in argument) return { ...argument, value: change(argument.value) };
  return { ...argument, query: queryWith(argument.query, change) };
}

export function queryWith(query: Query, change: Change): Query {
  return query.filter ? { ...query, filter: change(query.filter) } : query;
}

export function validationWith(validation: Validation, change: Change): Validation {
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

// ── Paths ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// The paths that an expression walks, those in its parts and in the arguments of hooks included.

export function pathsIn(expression: Expression): readonly Path[] {
  switch (expression.kind) {
    case 'literal':
      return [];
    case 'path':
      return [expression];
    case 'list':
      return expression.items.flatMap(pathsIn);
    case 'object':
      return expression.members.flatMap(({ value }) => pathsIn(value));
    case 'member':
      return pathsIn(expression.of);
    case 'fold':
      return expression.value ? pathsIn(expression.value) : [];
    case 'operation':
      return expression.operands.flatMap(pathsIn);
    case 'call':
    case 'faker':
      return expression.arguments.flatMap(pathsIn);
    case 'hook':
      return pathsInHook(expression.call);
  }
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
    ...orderBy.flatMap(({ value }: OrderItem) => pathsIn(value)),
    ...limits.flatMap(pathsIn),
  ];
}

export function pathsInValidation(validation: Validation): readonly Path[] {
  switch (validation.kind) {
    case 'and':
    case 'or':
      return validation.parts.flatMap(pathsInValidation);
    case 'not':
      return pathsInValidation(validation.part);
    case 'check': {
      const { value, arguments: args, validator } = validation;
      const asserted = validator.kind === 'validator' ? pathsIn(validator.assert) : [];
      return [...(value ? [value, ...args] : args).flatMap(pathsIn), ...asserted];
    }
  }
}
