/** Checks that Kiln adds, and the validation of a list: the checks of the list as a whole, and those of each of its items. */
import { type BuiltInValidator, VALIDATORS, validatorCode } from './contract/validators.ts';
import type { Validation } from './expression.ts';

/** The largest number of items in a list without a `maxItems`. */
export const MOST_ITEMS = 1000;

/** A check of the value itself against a number, such as `min(0)`. */
export function boundOf(validator: BuiltInValidator, value: number): Validation {
  const args = [{ kind: 'literal', type: { kind: 'integer' }, value }] as const;
  return { kind: 'check', code: validatorCode(validator), validator, value: null, arguments: args };
}

/** The compiler makes sure that both kinds are joined by `and` alone. */
export function splitValidation(validation: Validation | null) {
  const parts = conjunctsOf(validation);
  return { ofList: joined(parts.filter(isOfList)), ofItems: joined(parts.filter((part) => !isOfList(part))) };
}

/** The largest number of items: the `maxItems` of the list, else the default. */
export function mostItems(validation: Validation | null): number {
  const bounds = conjunctsOf(validation).flatMap((part) => {
    const isBound = part.kind === 'check' && part.validator === 'maxItems';
    const [most] = isBound ? part.arguments : [];
    return most?.kind === 'literal' && typeof most.value === 'number' ? [most.value] : [];
  });
  return bounds.length === 0 ? MOST_ITEMS : Math.min(...bounds);
}

export function conjunctsOf(validation: Validation | null): readonly Validation[] {
  if (validation === null) return [];
  return validation.kind === 'and' ? validation.parts.flatMap(conjunctsOf) : [validation];
}

function joined(parts: readonly Validation[]): Validation | null {
  const [first] = parts;
  return first && parts.length === 1 ? first : first ? { kind: 'and', parts } : null;
}

function isOfList(validation: Validation): boolean {
  return checksIn(validation).every(
    ({ validator }) => typeof validator === 'string' && VALIDATORS[validator].isOfLists === true,
  );
}

/** All checks of a validation, however they are joined. */
export function checksIn(validation: Validation | null): readonly Extract<Validation, { kind: 'check' }>[] {
  if (validation === null) return [];
  if (validation.kind === 'not') return checksIn(validation.part);
  return validation.kind === 'check' ? [validation] : validation.parts.flatMap(checksIn);
}
