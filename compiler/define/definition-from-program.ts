/**
 * Checked program in, definition out. Everything is sorted by name or path, so that the order of files does not show,
 * and nothing of the source remains: no positions, no comments, no choice of words.
 */
import {
  type Auth,
  DEFINITION_VERSION,
  type Definition,
  type Expression,
  type Populate,
  type Populator,
} from '../definition/definition.ts';
import { findSerializable } from '../definition/serializable.ts';
import type * as program from '../program/program.ts';
import { withAuthReads } from './auth-reads.ts';
import { databaseNames } from './database-names.ts';
import { endpointsFrom } from './endpoints.ts';
import { apisFrom, compare, entrypointsFrom } from './entrypoints.ts';
import { fittingFrom } from './expressions.ts';
import { assignmentsFrom, valueInputFrom } from './inputs.ts';
import { enumFrom, modelFrom } from './models.ts';
import { type HashField, passwordInput, withPasswordLimits } from './password-limits.ts';
import { directFields, rowLowering, shapeFrom } from './queries.ts';
import { orNull } from './types.ts';
import { validationFrom, validatorFrom } from './validations.ts';

export function definitionFromProgram(checked: program.Program): Definition {
  const definition = withoutSerializable(checked);
  return { ...definition, serializable: findSerializable(definition) };
}

function withoutSerializable(checked: program.Program): Definition {
  const names = databaseNames(checked);
  return {
    version: DEFINITION_VERSION,
    enums: byName(checked.enums).map((type) => enumFrom(type, names)),
    models: byName(checked.models).map((model) => modelFrom(model, names)),
    droppedModels: [...new Set(checked.droppedModels.map(({ name }) => name))].sort(),
    validators: byName(checked.validators).map(validatorFrom),
    ...shapesFrom(checked.shapes),
    auth: checked.auth ? authFrom(checked.auth) : null,
    apis: apisFrom(checked.apis),
    entrypoints: entrypointsFrom(checked.endpoints),
    endpoints: withPasswordLimits(
      withAuthReads(endpointsFrom(checked.endpoints), checked.auth ? checked.models : []),
      hashFieldOf(checked.auth),
    ),
    populators: byName(checked.populators).map(populatorFrom),
    generators: [...checked.generators].sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b))),
  };
}

function shapesFrom(shapes: readonly program.Shape[]): Pick<Definition, 'shapes'> {
  return shapes.length === 0 ? {} : { shapes: byName(shapes).map(shapeFrom) };
}

function byName<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return [...items].sort((a, b) => compare(a.name, b.name));
}

function authFrom({ model, subject, password }: program.Auth): Auth {
  return {
    model: model.name,
    subject: subject?.name ?? null,
    password: password ? passwordFrom(model, password) : null,
  };
}

type Password = NonNullable<program.Auth['password']>;
type Register = NonNullable<NonNullable<Auth['password']>['register']>;

function hashFieldOf(auth: program.Auth | undefined): HashField | null {
  const hash = auth?.password?.hash;
  if (!auth || !hash) return null;
  const validate = hash.validate ? validationFrom(hash.validate, rowLowering()) : null;
  return { model: auth.model.name, field: { name: hash.name, validate } };
}

function passwordFrom(model: program.Model, { login, hash, registerInputs }: Password): NonNullable<Auth['password']> {
  return {
    login: login.name,
    hash: hash.name,
    sessionTables: 2,
    register: registerInputs ? registerFrom(model, hash, registerInputs) : null,
    me: directFields(model),
  };
}

/** Registering makes a record as a create does, but the password that comes in is stored as a hash. */
function registerFrom(model: program.Model, hash: program.Field, inputs: readonly program.Input[]): Register {
  const values = inputs.map((input) => ({
    field: input.field as program.Field,
    value: { kind: 'input', input } as const,
  }));
  return {
    inputs: inputs.map((input) => {
      const value = valueInputFrom(input, rowLowering());
      return input.field === hash ? passwordInput(value, null) : value;
    }),
    values: assignmentsFrom('create', model, values, rowLowering()).map((assignment) =>
      assignment.field === hash.name ? { ...assignment, value: hashed(assignment.value) } : assignment,
    ),
  };
}

function hashed(value: Expression): Expression {
  return { kind: 'call', function: 'cryptoHash', arguments: [value], type: value.type };
}

function populatorFrom({ name, doc, populates }: program.Populator): Populator {
  return { name, doc: orNull(doc), populates: populates.map(populateFrom) };
}

function populateFrom({ variable, model, through, repeat, values, populates }: program.Populate): Populate {
  return {
    record: variable.name,
    model: model.name,
    parent: through?.through.field.name ?? null,
    repeat: { name: orNull(repeat.name), start: repeat.start, end: repeat.end },
    values: values.map(({ field, value }) => ({
      field: field.name,
      value: fittingFrom(value, field.type, rowLowering()),
    })),
    populates: populates.map(populateFrom),
  };
}
