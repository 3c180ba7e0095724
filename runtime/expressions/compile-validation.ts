/**
 * Validations become checks, once. A check is not asked about null. `not` is moved inwards, to the single checks: of
 * `not (a or b)` both parts are asked, and each failure has the code of the check that it comes from. Lengths come first:
 * where one is wrong nothing else is asked, so that no other check works on a text that is too long for it.
 */
import type { Type, Validation } from '../../compiler/definition/expression.ts';
import { splitValidation } from '../../compiler/definition/list-validation.ts';
import type { Value } from '../values/value.ts';
import { compileCheck } from './compile-check.ts';
import { type CompiledValidation, type Failure, inTurn, NONE, type ValidationEnvironment } from './compiled.ts';
import type { Scope } from './scope.ts';

export type { CompiledValidation, Failure, ValidationEnvironment } from './compiled.ts';

/** `subject` is the type of what is validated, where a check asks for it. */
export function compileValidation(
  validation: Validation,
  environment: ValidationEnvironment,
  subject?: Type,
): CompiledValidation {
  return compilePart(validation, environment, false, subject);
}

function compilePart(
  validation: Validation,
  environment: ValidationEnvironment,
  isNegated: boolean,
  subject: Type | undefined,
): CompiledValidation {
  switch (validation.kind) {
    case 'not':
      return compilePart(validation.part, environment, !isNegated, subject);
    case 'check':
      return compileCheck(validation, environment, isNegated, subject);
    default: {
      const compile = (part: Validation) => compilePart(part, environment, isNegated, subject);
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
  if (parts.some(({ isAsync }) => isAsync)) return inOrderAsync(parts, isEnough);
  return {
    isAsync: false,
    check(value, scope) {
      const all: Failure[] = [];
      for (const part of parts) {
        const failures = part.check(value, scope) as readonly Failure[];
        if (isEnough(failures)) return NONE;
        all.push(...failures);
      }
      return all;
    },
  };
}

function inOrderAsync(
  parts: readonly CompiledValidation[],
  isEnough: (part: readonly Failure[]) => boolean,
): CompiledValidation {
  return {
    isAsync: true,
    async check(value, scope) {
      const all: Failure[] = [];
      for (const part of parts) {
        const failures = await part.check(value, scope);
        if (isEnough(failures)) return NONE;
        all.push(...failures);
      }
      return all;
    },
  };
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
  const checkItems = (list: Value, scope: Scope) =>
    itemsOf(list).flatMap((item, index) => atIndex(index, check(item, scope) as readonly Failure[]));
  const checkSlowly = async (list: Value, scope: Scope) => {
    const found: Failure[] = [];
    for (const [index, item] of itemsOf(list).entries()) found.push(...atIndex(index, await check(item, scope)));
    return found;
  };
  return { isAsync, check: isAsync ? checkSlowly : checkItems };
}

function atIndex(index: number, failures: readonly Failure[]): readonly Failure[] {
  return failures.map((failure) => ({ ...failure, index }));
}

function itemsOf(list: Value): readonly Value[] {
  return (list ?? []) as readonly Value[];
}
