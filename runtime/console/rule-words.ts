/** Defaults, validators and indexes of a field in the words of the language, as far as a reader needs them. */
import type { Expression, IndexPart, Validation } from '../../compiler/definition/definition.ts';

/** `"draft"`, `now()`; a longer expression is only named. */
export function defaultWords(expression: Expression): string {
  return valueWords(expression) ?? 'computed';
}

/** Null where it is more than a value or a call. */
function valueWords(expression: Expression): string | null {
  switch (expression.kind) {
    case 'literal':
      return literalWords(expression);
    case 'convert':
    case 'truth':
      return valueWords(expression.value);
    case 'call':
      return called(expression.function, expression.arguments);
    case 'list': {
      const items = expression.items.map(valueWords);
      return items.includes(null) ? null : `[${items.join(', ')}]`;
    }
    default:
      return null;
  }
}

/** Decimals are texts in a definition, and numbers in the language. */
function literalWords({ value, type }: Extract<Expression, { kind: 'literal' }>): string {
  return typeof value === 'string' && type.kind !== 'decimal' ? JSON.stringify(value) : String(value);
}

function called(name: string, args: readonly Expression[]): string {
  return `${name}(${args.map((each) => valueWords(each) ?? '…').join(', ')})`;
}

/** `minLength(3) and maxLength(80)`. */
export function validationWords(validation: Validation): string {
  switch (validation.kind) {
    case 'and':
      return validation.parts.map((part) => within(part, 'or')).join(' and ');
    case 'or':
      return validation.parts.map((part) => within(part, 'and')).join(' or ');
    case 'not':
      return `not ${within(validation.part, 'and', 'or')}`;
    case 'check': {
      const { validator } = validation;
      const name = typeof validator === 'string' ? validator : validator.own;
      return called(name, validation.arguments);
    }
  }
}

/** In brackets where its kind would be misread. */
function within(part: Validation, ...kinds: readonly Validation['kind'][]): string {
  return kinds.includes(part.kind) ? `(${validationWords(part)})` : validationWords(part);
}

/** `published, id desc`. */
export function indexWords(parts: readonly IndexPart[]): string {
  return parts.map(({ field, descending }) => `${field}${descending ? ' desc' : ''}`).join(', ');
}
