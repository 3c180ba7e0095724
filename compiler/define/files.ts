/** Files: their addresses, the endpoints that take and give their bytes, and the job that removes them. */
import type { Definition, Model } from '../definition/definition.ts';
import { type Endpoint, type Job, plainInput, type Reaction, type ValueInput } from '../definition/endpoint.ts';
import type { Expression, FieldValue, MemberOf, Operation, Snapshot, Type } from '../definition/expression.ts';
import { hasFiles, REMOVAL } from '../definition/files.ts';
import { compare, endpointIn } from '../definition/lookup.ts';
import { OWN_CODE } from '../definition/work.ts';
import { chainOf, pathOf } from '../program/endpoint-path.ts';
import { fileRoutes, getOfFile } from '../program/files.ts';
import type * as program from '../program/program.ts';
import { sortKey } from './endpoints.ts';
import { endpointIds, idPerMethod } from './entrypoints.ts';
import { operation } from './expressions.ts';
import { stepsFrom } from './paths.ts';
import { AUTH, BOOLEAN, typeFrom } from './types.ts';
import { sortedReactions } from './work.ts';

/** Completes a definition whose models have files. */
export function withFiles(definition: Definition, checked: program.Program): Definition {
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
