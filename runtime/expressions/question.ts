import type { Value } from '../values/value.ts';
import type { NonNull } from './compiled.ts';
import type { Scope } from './scope.ts';

/** How a validator is said behind `must` or `must not`. */
interface Words {
  readonly params: (args: readonly Value[]) => Readonly<Record<string, Value>>;
  readonly phrase: (args: readonly Value[]) => string;
  /** The phrase where the arguments are not for the client to know. */
  readonly plainPhrase: string;
  /** Present where the phrase says the opposite of what the validator asks for. */
  readonly isNegation?: true;
  /** Present where the author has written it: said instead, unless the validator stands behind `not`. */
  readonly message?: string | undefined;
}

/** A validator, ready to be asked about values that are not null. */
export interface Question extends Words {
  readonly isAsync: boolean;
  readonly holds: (value: NonNull, args: readonly Value[], scope: Scope) => boolean | Promise<boolean>;
}
