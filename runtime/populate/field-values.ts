/** Generated values of one field, one after the other, each of them accepted by the field's validators. */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import { validationOf } from '../expressions/compile-validation.ts';
import type { CompiledValidation, ValidationEnvironment } from '../expressions/compiled.ts';
import type { Scope } from '../expressions/scope.ts';
import type { Value } from '../values/value.ts';
import type { Candidate, Open } from './candidates.ts';
import type { Random } from './random.ts';
import { keyOf, type StartingState } from './starting-state.ts';

/** Gives the next one. A promise only where code of a hook accepts it. */
export type FieldValues = () => Value | Promise<Value>;

interface FieldTools {
  readonly model: Model;
  readonly field: Field;
  readonly environment: ValidationEnvironment;
  readonly state: StartingState;
  readonly random: Random;
  readonly scope: Scope;
  /** Whether another block of the run says what the values are. */
  readonly isSetElsewhere: boolean;
}

type Draw = () => Value;

/** The attempts with a candidate that seldom gives an accepted value. */
const ATTEMPTS = 100;

export async function fieldValues(
  candidates: readonly Candidate[],
  isNumbered: boolean,
  tools: FieldTools,
): Promise<FieldValues> {
  const { field } = tools;
  const draws: Draw[] = [];
  for (const candidate of candidates) draws.push(await drawing(candidate, isNumbered, tools));
  const validation = field.validate && validationOf(field.type, field.validate, tools.environment);
  return validation ? accepted(draws, validation, tools.scope) : (draws[0] as Draw);
}

async function drawing(candidate: Candidate, isNumbered: boolean, tools: FieldTools): Promise<Draw> {
  if (candidate.kind === 'open') return isNumbered ? numbering(candidate, tools) : candidate.any;
  return () => {
    const size = candidate.size();
    if (size === 0) throw new Error(NO_VALUE);
    return candidate.at(tools.random.below(size));
  };
}

/** The offset of generated numbers: those that a populator sets are small. */
const BEYOND_WHAT_IS_SET = 1_000_000;

async function numbering(open: Open, { model, field, state, isSetElsewhere }: FieldTools): Promise<Draw> {
  const { numbered, free } = open;
  let number = (free ? await state.firstFree(model, field, free) : 1) + (isSetElsewhere ? BEYOND_WHAT_IS_SET : 0);
  if (free) return () => numbered(number++);
  const taken = new Set(await state.taken(model, [field]));
  return () => {
    let value = numbered(number++);
    for (let tries = 0; taken.has(keyOf([value])) && tries <= taken.size; tries++) value = numbered(number++);
    // Two numbers may give the same text where it is normalised.
    if (field.normalise) taken.add(keyOf([value]));
    return value;
  };
}

/** A candidate that was given up is not tried again for the next record. */
function accepted(draws: readonly Draw[], validation: CompiledValidation, scope: Scope): FieldValues {
  let first = 0;
  const next = (tries: number): Value | Promise<Value> => {
    for (let attempt = tries; ; attempt++) {
      if (attempt > 0 && attempt % ATTEMPTS === 0) first++;
      const draw = draws[first];
      if (!draw) throw new Error(NO_VALUE);
      const value = draw();
      const failures = validation.check(value, scope);
      if (failures instanceof Promise)
        return failures.then((found) => (found.length === 0 ? value : next(attempt + 1)));
      if (failures.length === 0) return value;
    }
  };
  return () => next(0);
}

const NO_VALUE = 'found no value that its validators accept: set the field in the populator';
