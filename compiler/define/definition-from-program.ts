/**
 * Checked program in, definition out. Everything is sorted by name or path, so that the order of files does not show,
 * and nothing of the source remains: no positions, no comments, no choice of words.
 */

import { LONGEST_PASSWORD, SHORTEST_PASSWORD, validatorCode } from '../definition/contract/validators.ts';
import {
  DEFINITION_VERSION,
  type Definition,
  type Field,
  type Populate,
  type Populator,
  type Setting,
} from '../definition/definition.ts';
import type { AccountMail, AccountWrite, Auth, Endpoint, Input, ValueInput } from '../definition/endpoint.ts';
import type { Expression, InputValue, Read, Validation } from '../definition/expression.ts';
import { nodesIn } from '../definition/lookup.ts';
import { usesOf } from '../definition/request-values.ts';
import { findRequestOrder } from '../definition/serializable.ts';
import type * as program from '../program/program.ts';
import { endpointsFrom } from './endpoints.ts';
import { apisFrom, compare, entrypointsFrom } from './entrypoints.ts';
import { expressionFrom, fittingFrom } from './expressions.ts';
import { withFiles } from './files.ts';
import { assignmentsFrom, valueInputFrom } from './inputs.ts';
import { databaseNames, enumFrom, modelFrom, validationFrom, validatorFrom } from './models.ts';
import { hookFrom, lowering, queryFrom, rowLowering, shapeFrom, shownFields } from './queries.ts';
import { AUTH, Reads, typeFrom } from './types.ts';
import { jobFrom, reactionsFrom, scheduleFrom, webhookFrom } from './work.ts';

export function definitionFromProgram(checked: program.Program): Definition {
  const definition = withFiles(withoutSerializable(checked), checked);
  return { ...definition, ...findRequestOrder(definition) };
}

function withoutSerializable(checked: program.Program): Definition {
  const names = databaseNames(checked);
  const endpoints = withAuthReads(endpointsFrom(checked.endpoints), checked.auth ? checked.models : []);
  const hash = hashFieldOf(checked.auth);
  return {
    version: DEFINITION_VERSION,
    enums: byName(checked.enums).map((type) => enumFrom(type, names)),
    models: byName(checked.models).map((model) => modelFrom(model, names)),
    droppedModels: [...new Set(checked.droppedModels.map(({ name }) => name))].sort(),
    validators: byName(checked.validators).map(validatorFrom),
    ...(checked.shapes.length === 0 ? {} : { shapes: byName(checked.shapes).map(shapeFrom) }),
    ...(checked.settings.length === 0 ? {} : { settings: byName(checked.settings).map(settingFrom) }),
    auth: checked.auth ? authFrom(checked.auth) : null,
    apis: apisFrom(checked.apis),
    entrypoints: entrypointsFrom(checked.endpoints),
    endpoints: endpoints.map((endpoint) => limited(endpoint, hash)),
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

function settingFrom({ span: _, whole: _whole, type, ...setting }: program.Setting): Setting {
  return { ...setting, type: typeFrom(type) };
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
  const { verify, reset, invite } = Object.fromEntries(mails.map((each) => [each.purpose, accountMailFrom(each)]));
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

function accountMailFrom({ mail, account }: program.AccountMail): AccountMail {
  return { mail: mail.name, account: account.input.path.at(-1) as string };
}

function storedInput(input: program.Input): program.Assignment {
  return { field: input.field as program.Field, value: { kind: 'input', input } };
}

/** Stores inputs as any endpoint does, but the password as a hash. */
function accountFrom(
  kind: 'create' | 'update',
  model: program.Model,
  hash: program.Field,
  values: readonly program.Assignment[],
): AccountWrite {
  const inputs = values.flatMap(({ value }) => (value.kind === 'input' ? [value.input] : []));
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

function withAuthReads(endpoints: readonly Endpoint[], models: readonly program.Model[]): readonly Endpoint[] {
  const askers = new Map(models.flatMap((model) => [...model.members.values()]).flatMap(askerOf));
  if (![...askers.values()].some(({ asks }) => asks.length > 0)) return endpoints;
  return endpoints.map((endpoint) => ({ ...endpoint, authReads: readsOf(endpoint, askers) }));
}

/** A computed member, query or hook: what it asks of `@auth`, and the other members that it uses. */
interface Asker {
  readonly asks: readonly Read[];
  readonly uses: readonly string[];
}

function askerOf(member: program.Member): readonly [string, Asker][] {
  const reads = new Reads();
  const lowered = loweredMember(member, reads);
  if (lowered === undefined) return [];
  const asks = reads.of(AUTH);
  return [[`${member.model.name}.${member.name}`, { asks, uses: usesOf([lowered, asks], member.model.name) }]];
}

function loweredMember(member: program.Member, reads: Reads): unknown {
  if (member.kind === 'computed') return expressionFrom(member.value, lowering(reads));
  if (member.kind === 'query') return queryFrom(member.query, lowering(reads));
  return member.kind === 'hook' ? hookFrom(member.call, lowering(reads)) : undefined;
}

function readsOf(endpoint: Endpoint, askers: ReadonlyMap<string, Asker>): readonly Read[] {
  const reads = new Map(endpoint.authReads.map((read) => [read.name, read]));
  const used = new Set(usesOf(endpoint, endpoint.model));
  for (const key of used) {
    const asker = askers.get(key);
    for (const read of asker?.asks ?? []) reads.set(read.name, read);
    for (const next of asker?.uses ?? []) used.add(next);
  }
  return [...reads.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
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
  return { ...input, maxBytes: LONGEST_PASSWORD, validate: withShortest(input.validate, ofField) };
}

function withShortest(validate: Validation | null, ofField: Validation | null): Validation {
  if (validate !== null && shortestIn(validate) !== null) return validate;
  const shortest = (ofField && shortestIn(ofField)) ?? AT_LEAST_EIGHT;
  if (validate === null) return shortest;
  return { kind: 'and', parts: [shortest, ...(validate.kind === 'and' ? validate.parts : [validate])] };
}

const AT_LEAST_EIGHT: Validation = {
  kind: 'check',
  code: validatorCode('minLength'),
  validator: 'minLength',
  value: null,
  arguments: [{ kind: 'literal', value: SHORTEST_PASSWORD, type: { kind: 'integer' } }],
};

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
