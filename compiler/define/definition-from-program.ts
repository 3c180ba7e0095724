/**
 * Checked program in, definition out. Everything is sorted by name or path, so that the order of files does not show,
 * and nothing of the source remains: no positions, no comments, no choice of words.
 */

import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../definition/contract/validators.ts';
import {
  DEFINITION_VERSION,
  type Definition,
  type Field,
  type Model,
  type Populate,
  type Populator,
  type Setting,
} from '../definition/definition.ts';
import {
  type AccountWrite,
  type Auth,
  type Endpoint,
  type Input,
  type Job,
  plainInput,
  type Reaction,
  type ValueInput,
} from '../definition/endpoint.ts';
import type {
  Expression,
  FieldValue,
  InputValue,
  MemberOf,
  Operation,
  Read,
  Snapshot,
  Type,
  Validation,
} from '../definition/expression.ts';
import { hasFiles, REMOVAL } from '../definition/files.ts';
import { boundOf } from '../definition/list-validation.ts';
import { compare, endpointIn, type Node, nodesIn } from '../definition/lookup.ts';
import { reachedFrom } from '../definition/request-values.ts';
import { findRequestOrder } from '../definition/serializable.ts';
import { OWN_CODE } from '../definition/work.ts';
import { chainOf, pathOf } from '../program/endpoint-path.ts';
import { fileRoutes, getOfFile } from '../program/files.ts';
import { storedInput } from '../program/parts.ts';
import type * as program from '../program/program.ts';
import { endpointsFrom, sortKey } from './endpoints.ts';
import { apisFrom, endpointIds, entrypointsFrom, idPerMethod } from './entrypoints.ts';
import { fittingFrom, type Lowering, lowered, operation } from './expressions.ts';
import { assignmentsFrom, valueInputFrom } from './inputs.ts';
import { databaseNames, enumFrom, modelFrom, validationFrom, validatorFrom, withCheck } from './models.ts';
import { stepsFrom } from './paths.ts';
import { lowering, rowLowering, shapeFrom, shownFields } from './queries.ts';
import { AUTH, BOOLEAN, Reads, typeFrom } from './types.ts';
import { jobFrom, reactionsFrom, scheduleFrom, sortedReactions, webhookFrom } from './work.ts';

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

// ── Files ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Their addresses, the endpoints that take and give their bytes, and the job that removes them.

/** Completes a definition whose models have files. */
function withFiles(definition: Definition, checked: program.Program): Definition {
  if (!hasFiles(definition)) return definition;
  const { jobs = [], reactions = [] } = definition;
  const shown = [...endpointIds(checked.endpoints)].flatMap(([written, id]) =>
    idPerMethod(id, written).map((each) => {
      const endpoint = endpointIn(definition, each) as Endpoint;
      const around = { ...checked, api: endpoint.api };
      const response = withAddresses(endpoint.response, { ...around, own: written.entrypoint });
      return { ...withAddresses(endpoint, around), response };
    }),
  );
  const all = [...shown, ...fileEndpoints(definition, checked)];
  const removals = definition.models.flatMap(removalsOf);
  return {
    ...withAddresses({ ...definition, endpoints: [] }, checked),
    endpoints: all.sort((a, b) => compare(sortKey(a), sortKey(b))),
    jobs: [...jobs, REMOVAL_JOB].sort((a, b) => compare(a.name, b.name)),
    reactions: sortedReactions([...reactions, ...removals]),
  };
}

// ── Addresses ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** A part of an address: a text, or the value that a parameter of the path has. */
type Part = string | { readonly steps: readonly program.Step[]; readonly field: program.Field };

/** What decides on the address of a file: `own` is the entrypoint whose own record is shown. */
type Around = Pick<program.Program, 'models' | 'endpoints'> &
  Partial<Pick<Endpoint, 'api'> & { own: program.Entrypoint | undefined }>;

/** The parts of the path to the record of a file, from the record itself. */
function partsOf({ path, model: of, field }: FieldValue, { models, endpoints, api, own }: Around): readonly Part[] {
  const model = models.find(({ name }) => name === of) as program.Model;
  const file = model.members.get(field) as program.Field;
  const get = getOfFile(file, endpoints, api, path.length === 0 ? own : undefined);
  if (!get) return [];
  const chain = chainOf(get.entrypoint);
  return pathOf(get).flatMap((segment): readonly Part[] => {
    if (segment.kind === 'literal') return ['/', segment.text];
    const at = chain.findIndex(({ identify }) => identify?.parameter === segment.name);
    const { identify } = chain[at] as program.Entrypoint;
    const outwards = chain
      .slice(at + 1)
      .reverse()
      .map(({ through }) => (through as program.Relation).through);
    const { steps, field } = identify as program.Identify;
    return ['/', { steps: [...outwards, ...steps], field }];
  });
}

/** The same part of a definition, in which each file that is shown has its address. */
function withAddresses<Part>(part: Part, around: Around): Part;
function withAddresses(part: unknown, around: Around): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((each) => withAddresses(each, around));
  const node = part as Readonly<Record<string, unknown>>;
  if (node.kind === 'call' && node.function === 'file') {
    const [file] = node.arguments as [FieldValue];
    const parts = [...partsOf(file, around), '/', file.field];
    return { ...node, arguments: [file, ...joined(parts).map((each) => partFrom(each, file))] };
  }
  const inner = node.kind === 'records' || node.kind === 'collect' ? { ...around, own: undefined } : around;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withAddresses(value, inner)]));
}

/** Texts that follow each other are one. */
function joined(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part;
    else all.push(part);
  }
  return all;
}

function partFrom(part: Part, { path, type }: FieldValue): Expression {
  if (typeof part === 'string') return { kind: 'literal', type: { kind: 'string' }, value: part };
  const { steps, field } = part;
  const nullable = type.nullable ? { nullable: true as const } : {};
  return {
    kind: 'field',
    path: [...path, ...stepsFrom(steps)],
    model: field.model.name,
    field: field.name,
    type: { ...typeFrom(field.type), ...nullable },
  };
}

// ── Endpoints ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** They find the same records under the same rules as the endpoint that they belong to. */
function fileEndpoints(definition: Definition, { endpoints }: program.Program): readonly Endpoint[] {
  const ids = endpointIds(endpoints);
  return fileRoutes(endpoints).map(({ of, field, method, path }) => {
    const {
      versioned: _,
      head: _head,
      atResource: _at,
      ...own
    } = endpointIn(definition, ids.get(of) as string) as Endpoint;
    const name = path
      .slice(own.path.length)
      .map((segment) => (segment.kind === 'literal' ? segment.text : ''))
      .join('.');
    const inPath = own.request.inPath && { inPath: own.request.inPath };
    const added = { id: `${own.id}.${name}`, kind: 'custom', method, path, doc: field.doc, actions: [] } as const;
    if (method === 'GET') return { ...own, ...added, ...downloadOf(own, field) };
    const response = { kind: 'upload', model: field.model.name, field: field.name } as const;
    return { ...own, ...added, request: { from: 'body', inputs: UPLOAD_INPUTS, ...inPath }, response };
  });
}

function downloadOf({ records, authReads, request }: Endpoint, { model, name, type }: program.Field) {
  const value: FieldValue = { kind: 'field', path: [], model: model.name, field: name, type: typeFrom(type) };
  // The caller is no record of the path.
  const last = records.at(-1) ?? { record: AUTH, reads: authReads };
  const others = last.reads.filter((read) => read.name !== name);
  const reads = [...others, { name, kind: 'value', value } as const].sort((a, b) => compare(a.name, b.name));
  const file: Snapshot = { kind: 'snapshot', record: last.record, read: name, type: value.type };
  return {
    ...('model' in last ? { records: [...records.slice(0, -1), { ...last, reads }] } : { authReads: reads }),
    request: { ...request, inputs: [] },
    response: { kind: 'file', file } as const,
  };
}

const UPLOAD_INPUTS: readonly ValueInput[] = [
  plainInput('name', { kind: 'string' }, 'The name of the file.'),
  plainInput('type', { kind: 'string' }, 'Its media type, such as `image/png`.'),
  plainInput('size', { kind: 'integer' }, 'Its size in bytes.'),
];

// ── Removal ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const TEXT: Type = { kind: 'string' };

/** The input of the job: the id of the file. */
const FILE = 'file';

/** About three days. */
const RETRY = 20;
const TIMEOUT = 60;

const REMOVAL_JOB: Job = {
  name: REMOVAL,
  was: null,
  doc: null,
  inputs: [plainInput(FILE)],
  retry: RETRY,
  timeout: TIMEOUT,
  delivers: 'file',
  actions: [
    {
      kind: 'service-call',
      record: null,
      hook: {
        arguments: [{ kind: 'value', name: FILE, doc: null, value: { kind: 'input', path: [FILE], type: TEXT } }],
        code: { kind: 'source', file: OWN_CODE, export: 'removeFile' },
      },
      timeout: TIMEOUT,
    },
  ],
  onFailure: [],
};

/** Triggers see each change, whoever makes it. */
function removalsOf({ name: model, fields }: Model): readonly Reaction[] {
  return fields.flatMap(({ name, file, type }) => {
    if (!file) return [];
    const value: FieldValue = { kind: 'field', path: [], model, field: name, type };
    const reads = [{ name, kind: 'value', value } as const];
    const fileOf = (record: string): Snapshot => ({ kind: 'snapshot', record, read: name, type });
    const idOf = (record: string): MemberOf => {
      return { kind: 'member', of: fileOf(record), name: 'id', type: { ...TEXT, nullable: true } };
    };
    const run = (record: string) =>
      ({
        kind: 'run',
        job: REMOVAL,
        values: [{ input: FILE, value: idOf(record) }],
        due: null,
        once: null,
        line: null,
      }) as const;
    const had = (record: string) =>
      not(is(fileOf(record), { kind: 'literal', type: { kind: 'any', nullable: true }, value: null }));
    const changed = operation('and', [had('before'), not(is(idOf('before'), idOf('record')))], BOOLEAN);
    return [
      { event: 'update', model, record: 'record', reads, before: reads, when: changed, runs: [run('before')] },
      { event: 'delete', model, record: 'record', reads, before: [], when: had('record'), runs: [run('record')] },
    ];
  });
}

const is = (left: Expression, right: Expression): Operation => operation('is', [left, right], BOOLEAN);
const not = (condition: Expression): Operation => operation('not', [condition], BOOLEAN);
