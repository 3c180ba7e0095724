/** The same expression with its direct parts changed. Values and paths have none. */
import type { Expression, HookArgument, Query, Validation } from './program.ts';

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
