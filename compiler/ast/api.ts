/** APIs, entrypoints and endpoints. */
import type { PLACES } from '../syntax/grammar-forms.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { actionBlock } from './actions.ts';
import { field } from './models.ts';
import type { Documented, Name, NodeOf, Properties } from './nodes.ts';
import type { Read } from './parts.ts';
import * as read from './parts.ts';
import { keywordsOf } from './properties.ts';
import type { Reader } from './reader.ts';

const entrypoints = read.documented({ entrypoint: (...at): EntrypointDeclaration => entrypoint(...at) });

export type ApiDeclaration = ReturnType<typeof api>;
export const api = read.node({
  kind: read.is('api'),
  name: read.optional('name', (reader, node) => reader.name(node)),
  doc: read.DOC,
  entrypoints,
});

export interface EntrypointDeclaration extends Documented, NodeOf<'entrypoint'>, Properties<'entrypoint'> {
  readonly resource: Name;
  /** Whether the resource is `@auth`. */
  readonly isCaller: boolean;
  readonly alias?: Name | undefined;
  readonly endpoints: readonly EndpointDeclaration[];
  readonly entrypoints: readonly EntrypointDeclaration[];
}

// ── Properties of endpoints ─────────────────────────────────────────────────────────────────────────────────────────

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const oneMethod = read.node({ value: (reader, node) => reader.words(node) as HttpMethod });

/** `method PUT, PATCH` */
export type Method = ReturnType<typeof method>;
const method = read.node(
  {
    value: read.words<HttpMethod>('value'),
    span: read.child('value', read.SPAN),
    other: read.optional('other', oneMethod),
  },
  undefined,
  'open',
);

/** `reference label { to Label, through slug }`: the client names a record. */
export type RecordInput = ReturnType<typeof recordInput>;
const recordInput = read.declared({ kind: read.is('record') }, 'record_input');

/** `list lines { … }`: a list of objects. */
export type ListInput = ReturnType<typeof listInput>;
const listInput = read.declared(
  { kind: read.is('list'), members: read.documented({ field, record_input: recordInput }) },
  'list_input',
);

export type ExtraInput = ExtraInputs['fields'][number];
type ExtraInputs = ReturnType<typeof extraInputs>;
const extraInputs = read.node(
  { fields: read.documented({ field, record_input: recordInput, list_input: listInput }) },
  undefined,
  'open',
);

export type Paginable = ReturnType<typeof paginable>;
const paginable = read.node({}, 'paginable', 'open');

/** `signed by stripe { secret STRIPE_SECRET }` */
const signed = read.node({ scheme: read.name('scheme') }, 'signed_by', 'open');

export type EndpointProperty = (typeof PLACES)['endpoint'][number];

/** A property with its keywords, of which the first is at `span`. */
function writtenProperty(reader: Reader, node: SyntaxNode) {
  const property = node.type as EndpointProperty;
  const span = reader.firstWord(node);
  // A property that begins with a choice of keywords goes by the keyword that is written.
  const text = keywordsOf(property) || reader.words(node).slice(0, span.end - span.start);
  return { property, text, span };
}

// ── Endpoints ───────────────────────────────────────────────────────────────────────────────────────────────────────

type EndpointKind = 'list' | 'get' | 'create' | 'update' | 'delete' | 'custom';

const kindOf = read.optional('kind', (reader, node) => reader.words(node) as EndpointKind);

export type EndpointDeclaration = ReturnType<typeof endpoint>;
const endpoint = read.node(
  {
    kind: read.is('endpoint'),
    endpoint: (...at): EndpointKind => kindOf(...at) ?? 'custom',
    /** The words that open it, `list endpoint` or `POST one "publish"`. Diagnostics underline them. */
    head: (reader, node) => reader.head(node),
    alias: read.ALIAS,
    doc: read.DOC,
    method: read.property('method', method),
    extraInputs: read.property('extra_inputs', extraInputs),
    action: read.property('action', actionBlock),
    paginable: read.property('paginable', paginable),
    signed: read.property('signed_by', signed),
    /** All properties as written, also those that do not fit the kind. */
    properties: (reader, _, { written }) => [...written.values()].map((each) => writtenProperty(reader, each)),
  },
  'endpoint',
);

type Cardinality = NonNullable<EndpointDeclaration['cardinality']>['value'];

const shortHead = read.node({
  method: read.child('method', oneMethod),
  cardinality: read.child('cardinality', read.node({ value: (reader, node) => reader.words(node) as Cardinality })),
  path: read.optional('path', (reader, node) => reader.text(node)),
});

/** `POST one "publish" { … }`. A method, cardinality or second path in its body says it twice. */
function shortForm(...at: Parameters<Read<EndpointDeclaration>>): EndpointDeclaration {
  const [reader] = at;
  const { path, span: _, ...head } = shortHead(...at);
  const written = endpoint(...at);
  const inBody = { method: head.method, endpoint_cardinality_property: head.cardinality, segment: path };
  for (const [type, first] of Object.entries(inBody)) {
    const twice = written.properties.find(({ property }) => property === type);
    if (twice && first) reader.report('duplicate-property', twice.span, { property: twice.text, first: first.span });
  }
  return { ...written, ...head, ...(path && { path }) };
}

function isCaller(reader: Reader, resource: SyntaxNode): boolean {
  if (resource.type === 'at_word') reader.checkAtWord(resource);
  return resource.type === 'at_word';
}

const entrypoint: Read<EntrypointDeclaration> = read.node(
  {
    kind: read.is('entrypoint'),
    doc: read.DOC,
    resource: read.name('resource'),
    isCaller: read.child('resource', isCaller),
    alias: read.ALIAS,
    endpoints: read.documented({ endpoint, custom_endpoint: shortForm }),
    entrypoints,
  },
  'entrypoint',
);
