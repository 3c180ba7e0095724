/**
 * Checked program in, definition out. Everything is sorted by name or path, so that the order of files does not show,
 * and nothing of the source remains: no positions, no comments, no choice of words.
 */

import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../definition/contract/validators.ts';
import {
  DEFINITION_VERSION,
  type Definition,
  type Field,
  type Populate,
  type Populator,
  type Setting,
} from '../definition/definition.ts';
import type { AccountWrite, Auth, Endpoint, Input, ValueInput } from '../definition/endpoint.ts';
import type { Expression, InputValue, Read, Snapshot, Validation } from '../definition/expression.ts';
import { boundOf } from '../definition/list-validation.ts';
import { compare, type Node, nodesIn } from '../definition/lookup.ts';
import { reachedFrom } from '../definition/request-values.ts';
import { findRequestOrder } from '../definition/serializable.ts';
import { storedInput } from '../program/parts.ts';
import type * as program from '../program/program.ts';
import { endpointsFrom } from './endpoints.ts';
import { apisFrom, entrypointsFrom } from './entrypoints.ts';
import { fittingFrom, type Lowering, lowered } from './expressions.ts';
import { withFiles } from './files.ts';
import { assignmentsFrom, valueInputFrom } from './inputs.ts';
import { databaseNames, enumFrom, modelFrom, validationFrom, validatorFrom, withCheck } from './models.ts';
import { lowering, rowLowering, shapeFrom, shownFields } from './queries.ts';
import { AUTH, Reads } from './types.ts';
import { jobFrom, reactionsFrom, scheduleFrom, webhookFrom } from './work.ts';

export function definitionFromProgram(checked: program.Program): Definition {
  const ofMembers = new Reads();
  const plain = withoutSerializable(checked, lowering(ofMembers));
  const definition = withFiles(withAuthReads(plain, ofMembers.of(AUTH)), checked);
  return { ...definition, ...findRequestOrder(definition) };
}

/** `around` learns what members of models ask of `@auth`. */
function withoutSerializable(checked: program.Program, around: Lowering): Definition {
  const names = databaseNames(checked);
  const hash = hashFieldOf(checked.auth);
  return {
    version: DEFINITION_VERSION,
    enums: byName(checked.enums).map((type) => enumFrom(type, names)),
    models: byName(checked.models).map((model) => modelFrom(model, names, around)),
    droppedModels: [...new Set(checked.droppedModels.map(({ name }) => name))].sort(),
    validators: byName(checked.validators).map(validatorFrom),
    ...(checked.shapes.length === 0 ? {} : { shapes: byName(checked.shapes).map(shapeFrom) }),
    ...(checked.settings.length === 0
      ? {}
      : { settings: byName(checked.settings).map((each) => lowered<Setting>(each, rowLowering())) }),
    auth: checked.auth ? authFrom(checked.auth) : null,
    apis: apisFrom(checked.apis),
    entrypoints: entrypointsFrom(checked.endpoints),
    endpoints: endpointsFrom(checked.endpoints).map((endpoint) => limited(endpoint, hash)),
    ...(checked.jobs.length === 0 ? {} : { jobs: byName(checked.jobs).map(jobFrom) }),
    ...(checked.droppedJobs.length === 0 ? {} : { droppedJobs: byName(checked.droppedJobs) }),
    ...(checked.reactions.length === 0 ? {} : { reactions: reactionsFrom(checked.reactions) }),
    ...(checked.schedules.length === 0 ? {} : { schedules: byName(checked.schedules).map(scheduleFrom) }),
    ...(checked.webhooks.length === 0 ? {} : { webhooks: byName(checked.webhooks).map(webhookFrom) }),
    populators: byName(checked.populators).map(populatorFrom),
    generators: [...checked.generators].sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b))),
  };
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

function hashFieldOf(auth: program.Auth | undefined): HashField | null {
  const hash = auth?.password?.hash;
  if (!auth || !hash) return null;
  const validate = hash.validate ? validationFrom(hash.validate, rowLowering()) : null;
  return { model: auth.model.name, field: { name: hash.name, validate } };
}

function passwordFrom(
  model: program.Model,
  { login, hash, registerInputs, changed, invited, mails }: NonNullable<program.Auth['password']>,
): NonNullable<Auth['password']> {
  const { verify, reset, invite } = Object.fromEntries(mails.map(({ purpose, ...mail }) => [purpose, mail]));
  return {
    login: login.name,
    hash: hash.name,
    register: registerInputs ? accountFrom('create', model, hash, registerInputs.map(storedInput)) : null,
    me: shownFields(model),
    ...(verify && { verify }),
    ...(reset && { reset }),
    ...(invite && { invite: { ...invite, ...accountFrom('create', model, hash, invited) } }),
    ...((reset || invite) && { change: accountFrom('update', model, hash, changed) }),
  };
}

/** Stores inputs as any endpoint does, but the password as a hash. */
function accountFrom(
  kind: 'create' | 'update',
  model: program.Model,
  hash: program.Field,
  values: readonly program.Assignment[],
): AccountWrite {
  const inputs = values.flatMap(({ sentWith }) => sentWith ?? []);
  return {
    inputs: inputs.map((input) => {
      const value = valueInputFrom(input, rowLowering());
      return input.field === hash ? passwordInput(value, null) : value;
    }),
    values: assignmentsFrom(kind, model, values, rowLowering()).map((assignment) =>
      assignment.field === hash.name && assignment.value.kind === 'input'
        ? { ...assignment, value: hashed(assignment.value) }
        : assignment,
    ),
  };
}

function hashed(value: Expression): Expression {
  return { kind: 'call', function: 'cryptoHash', arguments: [value], type: value.type };
}

function populatorFrom({ name, doc, populates }: program.Populator): Populator {
  return { name, doc, populates: populates.map(populateFrom) };
}

function populateFrom({ variable, model, through, repeat, values, populates }: program.Populate): Populate {
  return {
    record: variable.name,
    model: model.name,
    parent: through?.through.field.name ?? null,
    repeat,
    values: values.map(({ field, value }) => ({
      field: field.name,
      value: fittingFrom(value, field.type, rowLowering()),
    })),
    populates: populates.map(populateFrom),
  };
}

// ── Auth reads ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Members of models may use `@auth` too. Every endpoint that uses them, directly or through other members, reads what
// they need.

function withAuthReads(definition: Definition, asked: readonly Read[]): Definition {
  if (asked.length === 0) return definition;
  const reading = (endpoint: Endpoint): Endpoint => {
    const { authReads, model } = endpoint;
    const used = nodesIn<Snapshot>(reachedFrom(endpoint, model, definition), isOfCaller).map(({ read }) => read);
    const more = asked.filter(({ name }) => used.includes(name));
    const all = new Map([...more, ...authReads].map((each) => [each.name, each]));
    const sorted = [...all.values()].sort((a, b) => compare(a.name, b.name));
    // What is read may use further members.
    return all.size === authReads.length
      ? { ...endpoint, authReads: sorted }
      : reading({ ...endpoint, authReads: sorted });
  };
  return { ...definition, endpoints: definition.endpoints.map(reading) };
}

function isOfCaller({ kind, record }: Node): boolean {
  return kind === 'snapshot' && record === AUTH;
}

// ── Password limits ──────────────────────────────────────────────────────────────────────────────────────────────────

// Inputs that become hashes of passwords have a largest length, and those that become the hash of the login a smallest
// one, too. Both are part of the definition, so that the document, the clients and the server agree on them.

/** The field that holds the hash of the login's password. */
interface HashField {
  readonly model: string;
  readonly field: Pick<Field, 'name' | 'validate'>;
}

function limited(endpoint: Endpoint, hash: HashField | null): Endpoint {
  const hashed = hashedInputs(endpoint.actions);
  if (hashed.size === 0) return endpoint;
  const passwords = hashedInputs(hash ? assignmentsTo(hash, endpoint) : []);
  const inputs = endpoint.request.inputs.map((input) =>
    mapped(input, (value, path) => {
      if (passwords.has(path)) return passwordInput(value, hash?.field.validate ?? null);
      return hashed.has(path) ? { ...value, maxBytes: LONGEST_PASSWORD } : value;
    }),
  );
  return { ...endpoint, request: { ...endpoint.request, inputs } };
}

/** A `minLength` of the input itself decides, then one of the field, then the usual one. */
function passwordInput(input: ValueInput, ofField: Validation | null): ValueInput {
  const shortest = (ofField && shortestIn(ofField)) ?? AT_LEAST_EIGHT;
  const validate = withCheck(input.validate, (each) => shortestIn(each) !== null, shortest);
  return { ...input, maxBytes: LONGEST_PASSWORD, validate };
}

const AT_LEAST_EIGHT = boundOf('minLength', SHORTEST_PASSWORD);

/** The first `minLength` anywhere in it. */
function shortestIn(validation: Validation): Validation | null {
  switch (validation.kind) {
    case 'check':
      return validation.validator === 'minLength' && validation.value === null ? validation : null;
    case 'not':
      return null;
    default:
      return validation.parts.map(shortestIn).find((found) => found !== null) ?? null;
  }
}

function mapped(input: Input, change: (value: ValueInput, path: string) => ValueInput): Input {
  if (input.kind === 'value') return change(input, input.name);
  return { ...input, inputs: input.inputs.map((inner) => change(inner, `${input.name}.${inner.name}`)) };
}

// ── What is hashed ──────────────────────────────────────────────────────────────────────────────────────────────────

function assignmentsTo({ model, field }: HashField, { actions }: Endpoint): readonly unknown[] {
  const writes = actions.filter((action) => action.kind === 'create' || action.kind === 'update');
  const values = writes.filter((write) => write.model === model).flatMap((write) => write.values);
  return values.filter((assignment) => assignment.field === field.name);
}

/** The inputs, with dots, that stand anywhere in an argument of `cryptoHash`. */
function hashedInputs(parts: readonly unknown[]): ReadonlySet<string> {
  const calls = nodesIn(parts, ({ kind, function: name }) => kind === 'call' && name === 'cryptoHash');
  return new Set(nodesIn<InputValue>(calls, ({ kind }) => kind === 'input').map(({ path }) => path.join('.')));
}
