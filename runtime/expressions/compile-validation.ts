/**
 * Validations become checks, once. A check is not asked about null. `not` is moved inwards, to the single checks: of
 * `not (a or b)` both parts are asked, and each failure has the code of the check that it comes from. Lengths come first:
 * where one is wrong nothing else is asked, so that no other check works on a text that is too long for it.
 */
import type { Type, Validation } from '../../compiler/definition/expression.ts';
import { splitValidation } from '../../compiler/definition/list-validation.ts';
import type { Value } from '../values/value.ts';
import { compileCheck } from './compile-check.ts';
import {
  after,
  type CompiledValidation,
  type Failure,
  inTurn,
  NONE,
  someInTurn,
  type ValidationEnvironment,
} from './compiled.ts';
import type { Scope } from './scope.ts';

export type { CompiledValidation, Failure, ValidationEnvironment } from './compiled.ts';

/** `subject` is the type of what is validated, where a check asks for it. */
export function compileValidation(
  validation: Validation,
  environment: ValidationEnvironment,
  subject?: Type,
  isNegated = false,
): CompiledValidation {
  switch (validation.kind) {
    case 'not':
      return compileValidation(validation.part, environment, subject, !isNegated);
    case 'check':
      return compileCheck(validation, environment, isNegated, subject);
    default: {
      const compile = (part: Validation) => compileValidation(part, environment, subject, isNegated);
      if ((validation.kind === 'and') === isNegated) return anyOf(validation.parts.map(compile));
      const lengths = validation.parts.filter(isOfLength).map(compile);
      const others = validation.parts.filter((part) => !isOfLength(part)).map(compile);
      return lengths.length === 0 || others.length === 0
        ? allOf([...lengths, ...others])
        : inTurn(allOf(lengths), allOf(others));
    }
  }
}

/** Whether nothing but lengths is asked for. */
function isOfLength(validation: Validation): boolean {
  switch (validation.kind) {
    case 'not':
      return isOfLength(validation.part);
    case 'check':
      return validation.validator === 'minLength' || validation.validator === 'maxLength';
    default:
      return validation.parts.every(isOfLength);
  }
}

function allOf(parts: readonly CompiledValidation[]): CompiledValidation {
  return inOrder(parts, () => false);
}

/** All is well as soon as one part has no failures. */
function anyOf(parts: readonly CompiledValidation[]): CompiledValidation {
  return inOrder(parts, (failures) => failures.length === 0);
}

function inOrder(
  parts: readonly CompiledValidation[],
  isEnough: (part: readonly Failure[]) => boolean,
): CompiledValidation {
  const check: CompiledValidation['check'] = (value, scope) => {
    const all: Failure[] = [];
    const isWell = someInTurn(parts, (part) =>
      after(part.check(value, scope), (failures) => {
        all.push(...failures);
        return isEnough(failures);
      }),
    );
    return after(isWell, (is) => (is ? NONE : all));
  };
  return { isAsync: parts.some(({ isAsync }) => isAsync), check };
}

// Validations of lists: the list as a whole is asked first, then each item.

/** The validation of a field or an input of the type. */
export function validationOf(
  type: Type,
  validation: Validation,
  environment: ValidationEnvironment,
): CompiledValidation {
  if (!type.many) return compileValidation(validation, environment);
  const { ofList, ofItems } = splitValidation(validation);
  const list = ofList ? [compileValidation(ofList, environment, type)] : [];
  const items = ofItems ? [ofEachItem(compileValidation(ofItems, environment))] : [];
  return allOf([...list, ...items]);
}

function ofEachItem({ isAsync, check }: CompiledValidation): CompiledValidation {
  const checkItems = (list: Value, scope: Scope) => {
    const found: Failure[] = [];
    const checked = someInTurn((list ?? []) as readonly Value[], (item, index) =>
      after(check(item, scope), (failures) => {
        found.push(...failures.map((failure) => ({ ...failure, index })));
        return false;
      }),
    );
    return after(checked, () => found);
  };
  return { isAsync, check: checkItems };
}
