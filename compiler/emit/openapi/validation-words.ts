/** What a validator asks for, in words: for what JSON Schema cannot say. */
import type { BuiltInValidator, Expression, Validation } from '../../definition/definition.ts';

/** A sentence. */
export function requirementOf(validation: Validation): string {
  return `Must ${phraseOf(validation)}.`;
}

function phraseOf(validation: Validation): string {
  switch (validation.kind) {
    case 'and':
    case 'or':
      return validation.parts.map(innerPhrase).join(` ${validation.kind} `);
    case 'not':
      return `not ${innerPhrase(validation.part)}`;
    case 'check':
      return checkPhrase(validation);
  }
}

function innerPhrase(validation: Validation): string {
  const isJoined = validation.kind === 'and' || validation.kind === 'or';
  return isJoined ? `(${phraseOf(validation)})` : phraseOf(validation);
}

type Check = Extract<Validation, { kind: 'check' }>;

function checkPhrase({ validator, arguments: given }: Check): string {
  const texts = given.map(textOf);
  const isKnown = texts.every((text) => text !== null);
  if (typeof validator === 'object') return `pass \`${validator.own}${isKnown ? `(${texts.join(', ')})` : ''}\``;
  return isKnown ? PHRASES[validator](texts.join(', ')) : `pass \`${validator}\``;
}

/** Null for what is known only when the program runs. */
function textOf(expression: Expression): string | null {
  return expression.kind === 'literal' ? JSON.stringify(expression.value) : null;
}

const PHRASES: Readonly<Record<BuiltInValidator, (args: string) => string>> = {
  min: (least) => `be at least ${least.replaceAll('"', '')}`,
  max: (most) => `be at most ${most.replaceAll('"', '')}`,
  minLength: (least) => `have a length of at least ${least}`,
  maxLength: (most) => `have a length of at most ${most}`,
  pattern: (pattern) => `match the pattern ${pattern}`,
  isEmail: () => 'be an email address',
  isUrl: () => 'be a URL that begins with `http://` or `https://`',
  isUuid: () => 'be a UUID',
  alphanumeric: () => 'have only letters from a to z and digits',
  oneOf: (values) => `be one of ${values}`,
  isEqual: (value) => `be ${value}`,
  isNotEqual: (value) => `not be ${value}`,
};
