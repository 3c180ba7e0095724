/** Validations of lists: the list as a whole is asked first, then each item. */
import type { Type, Validation } from '../../compiler/definition/expression.ts';
import { splitValidation } from '../../compiler/definition/list-validation.ts';
import type { Value } from '../values/value.ts';
import { allOf, compileValidation } from './compile-validation.ts';
import type { CompiledValidation, Failure, ValidationEnvironment } from './compiled-validation.ts';
import type { Scope } from './scope.ts';

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
