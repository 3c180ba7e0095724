/** The built-in validators: their names, and what is said behind `must` or `must not` of a value that they refuse. */
interface ValidatorFacts {
  /** Present if it validates texts only. */
  readonly isOfTexts?: true;
  /** Present if it validates a list as a whole. */
  readonly isOfLists?: true;
  /** The name of its argument in the `params` of an error; `values` has all of them. Null if it takes none. */
  readonly param: string | null;
  /** `show` writes an argument that may be any text. */
  readonly phrase: (args: readonly unknown[], show: (argument: unknown) => string) => string;
  /** The phrase without the arguments, which clients may not know. */
  readonly plainPhrase: string;
  /** Present if the phrase says the opposite of what the validator requires. */
  readonly isNegation?: true;
}

// The names are written out, because the schema of the definition is made from them.
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
  | 'isNotEqual'
  | 'minItems'
  | 'maxItems'
  | 'distinct';

/** Accepted names that say the type too. The canonical form is the name without it. */
export const VALIDATOR_ALIASES = {
  minInt: 'min',
  maxInt: 'max',
  minFloat: 'min',
  maxFloat: 'max',
  isEqualInt: 'isEqual',
  isEqualFloat: 'isEqual',
  isEqualString: 'isEqual',
  isEqualBool: 'isEqual',
} as const satisfies Readonly<Record<string, BuiltInValidator>>;

export type ValidatorAlias = keyof typeof VALIDATOR_ALIASES;

export const VALIDATORS: Readonly<Record<BuiltInValidator, ValidatorFacts>> = {
  min: ofValues('min', ([min]) => `be at least ${min}`, 'be large enough'),
  max: ofValues('max', ([max]) => `be at most ${max}`, 'be small enough'),
  minLength: ofTexts('min', ([min]) => `have at least ${characters(min)}`, 'be long enough'),
  maxLength: ofTexts('max', ([max]) => `have at most ${characters(max)}`, 'be short enough'),
  pattern: ofTexts('pattern', ([pattern], show) => `match the pattern ${show(pattern)}`, 'match the pattern'),
  isEmail: ofForm('be an email address'),
  isUrl: ofForm('be a URL that begins with http:// or https://'),
  isUuid: ofForm('be a UUID'),
  alphanumeric: ofForm('have only letters from a to z and digits'),
  oneOf: ofValues('values', (all, show) => `be one of ${all.map(show).join(', ')}`, 'be one of the allowed values'),
  isEqual: ofValues('value', ([value], show) => `be ${show(value)}`, 'be the expected value'),
  isNotEqual: { ...ofValues('value', ([value], show) => `be ${show(value)}`, 'be this value'), isNegation: true },
  minItems: ofLists('min', ([min]) => `have at least ${items(min)}`, 'have enough items'),
  maxItems: ofLists('max', ([max]) => `have at most ${items(max)}`, 'have fewer items'),
  distinct: ofLists(null, () => 'have no duplicate items', 'have no duplicate items'),
};

type Phrase = ValidatorFacts['phrase'];

function ofValues(param: string | null, phrase: Phrase, plainPhrase: string): ValidatorFacts {
  return { param, phrase, plainPhrase };
}

function ofTexts(param: string | null, phrase: Phrase, plainPhrase: string): ValidatorFacts {
  return { ...ofValues(param, phrase, plainPhrase), isOfTexts: true };
}

function ofLists(param: string | null, phrase: Phrase, plainPhrase: string): ValidatorFacts {
  return { ...ofValues(param, phrase, plainPhrase), isOfLists: true };
}

function ofForm(phrase: string): ValidatorFacts {
  return ofTexts(null, () => phrase, phrase);
}

function characters(count: unknown): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

function items(count: unknown): string {
  return count === 1 ? '1 item' : `${count} items`;
}

/** The code that clients see: `min-length` of `minLength`. */
export function validatorCode(validator: BuiltInValidator): string {
  return validator.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

// ── Forms of texts ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The forms of texts that validators ask for, as patterns that JavaScript and JSON Schema both read. */

const LABEL = '[A-Za-z0-9]([A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?';

/** The pattern of browsers, with a dot in the domain. */
export const EMAIL = `^[A-Za-z0-9.!#$%&'*+\\/=?^_\`{|}~\\-]{1,64}@${LABEL}(\\.${LABEL})+$`;

/** The longest address in characters, by RFC 5321. */
export const LONGEST_EMAIL = 254;

export const UUID = '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$';

export const ALPHANUMERIC = '^[A-Za-z0-9]+$';

/** The start of a URL. The rest must be a URL, too, which no pattern can express. */
export const URL_START = '^[Hh][Tt][Tt][Pp][Ss]?:\\/\\/[^\\s\\\\]+$';

/** The longest URL in characters. Browsers and servers take no longer ones. */
export const LONGEST_URL = 8192;

/** The number of characters that `slugify` reads. Normalising accents takes quadratic time. */
export const LONGEST_FOR_SLUG = 500;

/** The longest search term in characters. It is compared at every character of the text. */
export const LONGEST_PART = 200;

/** The longest result of `replace` and `padStart` in characters. It can be many times as long as their arguments. */
export const LONGEST_MADE = 100_000;

/** The longest text in characters that `decimal(text)` reads. A statement compares each with a pattern. */
export const LONGEST_NUMBER = 1000;

/** The most bytes of a password, in UTF-8: some steps of hashing take the square of the length. */
export const LONGEST_PASSWORD = 1024;

/** The fewest characters of a password, unless the description says otherwise. */
export const SHORTEST_PASSWORD = 8;
