/** What a validator asks for, in words: for what JSON Schema cannot say. */
import { VALIDATORS } from '../../definition/contract/validators.ts';
import type { Validation } from '../../definition/expression.ts';

/** A sentence. */
export function requirementOf(validation: Validation): string {
  return `Must ${phraseOf(validation)}.`;
}

/** What comes behind `must`. */
export function phraseOf(validation: Validation): string {
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
  const args = given.flatMap((argument) => (argument.kind === 'literal' ? [argument.value] : []));
  // Others are known only when the program runs.
  const isKnown = args.length === given.length;
  if (typeof validator === 'object')
    return `pass \`${validator.own}${isKnown ? `(${args.map(shown).join(', ')})` : ''}\``;
  if (!isKnown) return `pass \`${validator}\``;
  const { phrase, isNegation } = VALIDATORS[validator];
  return `${isNegation ? 'not ' : ''}${phrase(args, shown)}`;
}

function shown(value: unknown): string {
  return JSON.stringify(value);
}
