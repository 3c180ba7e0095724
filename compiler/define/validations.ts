import { type BuiltInValidator, VALIDATORS, validatorCode } from '../definition/contract/validators.ts';
import type { Validation, Validator } from '../definition/definition.ts';
import type * as program from '../program/program.ts';
import { ANY, INTEGER, isAny, nullable, STRING } from '../program/type.ts';
import { conditionFrom, fittingFrom, type Lowering } from './expressions.ts';
import { rowLowering } from './queries.ts';
import { keptUnlessAsking } from './reads.ts';
import { orNull, typeFrom } from './types.ts';

/** What a field accepts is for the model, and for all the inputs that are stored in it. */
export const validationFrom = keptUnlessAsking(partFrom);

function partFrom(validation: program.Validation, around: Lowering): Validation {
  switch (validation.kind) {
    case 'not':
      return { kind: 'not', part: partFrom(validation.part, around) };
    case 'check':
      return checkFrom(validation, around);
    default:
      return {
        kind: validation.kind,
        parts: flattened(validation.kind, validation).map((part) => partFrom(part, around)),
      };
  }
}

/** `a and b and c` is one `and` of three. */
function flattened(kind: 'and' | 'or', validation: program.Validation): readonly program.Validation[] {
  return validation.kind === kind ? validation.parts.flatMap((part) => flattened(kind, part)) : [validation];
}

function checkFrom(check: program.Check, around: Lowering): Validation {
  const { validator } = check;
  return {
    kind: 'check',
    code: validator.kind === 'built-in' ? validatorCode(validator.name) : validator.code,
    validator: validator.kind === 'built-in' ? validator.name : { own: validator.name },
    value: check.value ? fittingFrom(check.value, wantedBy(check, 0), around) : null,
    arguments: check.arguments.map((argument, index) => fittingFrom(argument, wantedBy(check, index + 1), around)),
  };
}

/** What the validator takes in that place; a built-in one takes what it is given, beside a float a float. */
function wantedBy(check: program.Check, index: number): program.Type {
  const { validator } = check;
  if (validator.kind === 'validator')
    return (validator.arguments[index] as program.Validator['arguments'][number]).type;
  return nullable(index === 0 ? subjectOf(check, validator.name) : argumentOf(check, validator.name, index));
}

/** What custom code gave is a text where the validator is about texts, and else of the type that it is compared with. */
function subjectOf({ value, arguments: args }: program.Check, name: BuiltInValidator): program.Type {
  const type = value?.type ?? ANY;
  if (!isAny(type)) return type;
  return VALIDATORS[name].isOfTexts ? STRING : (args.find((argument) => !isAny(argument.type))?.type ?? ANY);
}

function argumentOf({ value, arguments: args }: program.Check, name: BuiltInValidator, index: number): program.Type {
  if (name === 'minLength' || name === 'maxLength') return INTEGER;
  return value?.type ?? (args[index - 1] as program.Expression).type;
}

export function validatorFrom(validator: program.Validator): Validator {
  return {
    name: validator.name,
    doc: orNull(validator.doc),
    arguments: validator.arguments.map(({ name, type }) => ({ name, type: typeFrom(type) })),
    assert: conditionFrom(validator.assert, rowLowering()),
    code: validator.code,
    ...(validator.message === undefined ? {} : { message: validator.message }),
  };
}
