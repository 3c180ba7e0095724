/** The built-in validators: their names, and what is said behind `must` or `must not` of a value that they refuse. */
interface ValidatorWords {
  /** What its argument is called in the `params` of an error; `values` are all of them. Null where it takes none. */
  readonly param: string | null;
  /** `show` writes an argument that may be any text. */
  readonly phrase: (args: readonly unknown[], show: (argument: unknown) => string) => string;
  /** The phrase where the arguments are not for the client to know. */
  readonly plainPhrase: string;
  /** Present where the phrase says the opposite of what the validator asks for. */
  readonly isNegation?: true;
}

// Written out, because the schema of the definition is made from it.
export type BuiltInValidator =
  | 'min'
  | 'max'
  | 'minLength'
  | 'maxLength'
  | 'pattern'
  | 'isEmail'
  | 'isUrl'
  | 'isUuid'
  | 'alphanumeric'
  | 'oneOf'
  | 'isEqual'
  | 'isNotEqual';

export const VALIDATORS: Readonly<Record<BuiltInValidator, ValidatorWords>> = {
  min: { param: 'min', phrase: ([min]) => `be at least ${min}`, plainPhrase: 'be large enough' },
  max: { param: 'max', phrase: ([max]) => `be at most ${max}`, plainPhrase: 'be small enough' },
  minLength: { param: 'min', phrase: ([min]) => `have at least ${characters(min)}`, plainPhrase: 'be long enough' },
  maxLength: { param: 'max', phrase: ([max]) => `have at most ${characters(max)}`, plainPhrase: 'be short enough' },
  pattern: {
    param: 'pattern',
    phrase: ([pattern], show) => `match the pattern ${show(pattern)}`,
    plainPhrase: 'match the pattern',
  },
  isEmail: ofForm('be an email address'),
  isUrl: ofForm('be a URL that begins with http:// or https://'),
  isUuid: ofForm('be a UUID'),
  alphanumeric: ofForm('have only letters from a to z and digits'),
  oneOf: {
    param: 'values',
    phrase: (values, show) => `be one of ${values.map(show).join(', ')}`,
    plainPhrase: 'be one of the allowed values',
  },
  isEqual: { param: 'value', phrase: ([value], show) => `be ${show(value)}`, plainPhrase: 'be the expected value' },
  isNotEqual: {
    param: 'value',
    phrase: ([value], show) => `be ${show(value)}`,
    plainPhrase: 'be this value',
    isNegation: true,
  },
};

/** The code that clients see: `min-length` of `minLength`. */
export function validatorCode(validator: BuiltInValidator): string {
  return validator.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function ofForm(phrase: string): ValidatorWords {
  return { param: null, phrase: () => phrase, plainPhrase: phrase };
}

function characters(count: unknown): string {
  return count === 1 ? '1 character' : `${count} characters`;
}
