/** APIs, entrypoints and endpoints. */
import type { PLACES } from '../syntax/grammar-forms.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { actionBlock } from './actions.ts';
import { field } from './models.ts';
import type { Documented, Name, NodeOf, Properties } from './nodes.ts';
import {
  ALIAS,
  child,
  DOC,
  declared,
  documented,
  is,
  name,
  node,
  optional,
  property,
  type Read,
  SPAN,
  words,
} from './parts.ts';
import { keywordsOf } from './properties.ts';
import type { Reader } from './reader.ts';

export type ApiDeclaration = ReturnType<typeof api>;
export const api = node({
  kind: is('api'),
  name: optional('name', (reader, node) => reader.name(node)),
  doc: DOC,
  entrypoints: documented({ entrypoint: entrypointFrom }),
});

export interface EntrypointDeclaration extends Documented, NodeOf<'entrypoint'>, Properties<'entrypoint'> {
  readonly resource: Name;
  /** Whether the resource is `@auth`. */
  readonly isCaller: boolean;
  readonly alias?: Name | undefined;
  readonly endpoints: readonly EndpointDeclaration[];
  readonly entrypoints: readonly EntrypointDeclaration[];
}

function entrypointFrom(...at: Parameters<Read<EntrypointDeclaration>>): EntrypointDeclaration {
  return entrypoint(...at);
}

// ── Properties of endpoints ─────────────────────────────────────────────────────────────────────────────────────────

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const oneMethod = node({ value: (reader, node) => reader.words(node) as HttpMethod });

/** `method PUT, PATCH` */
export type Method = ReturnType<typeof method>;
const method = node(
  { value: words<HttpMethod>('value'), span: child('value', SPAN), other: optional('other', oneMethod) },
  undefined,
  'open',
);

/** `reference label { to Label, through slug }`: the client names a record. */
export type RecordInput = ReturnType<typeof recordInput>;
const recordInput = declared({ kind: is('record') }, 'record_input');

/** `list lines { … }`: a list of objects. */
export type ListInput = ReturnType<typeof listInput>;
const listInput = declared(
  { kind: is('list'), members: documented({ field, record_input: recordInput }) },
  'list_input',
);

export type ExtraInput = ExtraInputs['fields'][number];
type ExtraInputs = ReturnType<typeof extraInputs>;
const extraInputs = node(
  { fields: documented({ field, record_input: recordInput, list_input: listInput }) },
  undefined,
  'open',
);

export type Paginable = ReturnType<typeof paginable>;
const paginable = node({}, 'paginable', 'open');

/** `signed by stripe { secret STRIPE_SECRET }` */
const signed = node({ scheme: name('scheme') }, 'signed_by', 'open');

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

const kindOf = optional('kind', (reader, node) => reader.words(node) as EndpointKind);

export type EndpointDeclaration = ReturnType<typeof endpoint>;
const endpoint = node(
  {
    kind: is('endpoint'),
    endpoint: (...at): EndpointKind => kindOf(...at) ?? 'custom',
    /** The words that open it, `list endpoint` or `POST one "publish"`. Diagnostics underline them. */
    head: (reader, node) => reader.head(node),
    alias: ALIAS,
    doc: DOC,
    method: property('method', method),
    extraInputs: property('extra_inputs', extraInputs),
    action: property('action', actionBlock),
    paginable: property('paginable', paginable),
    signed: property('signed_by', signed),
    /** All properties as written, also those that do not fit the kind. */
    properties: (reader, _, { written }) => [...written.values()].map((each) => writtenProperty(reader, each)),
  },
  'endpoint',
);

type Cardinality = NonNullable<EndpointDeclaration['cardinality']>['value'];

const shortHead = node({
  method: child('method', oneMethod),
  cardinality: child('cardinality', node({ value: (reader, node) => reader.words(node) as Cardinality })),
  path: optional('path', (reader, node) => reader.text(node)),
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

const entrypoint: Read<EntrypointDeclaration> = node(
  {
    kind: is('entrypoint'),
    doc: DOC,
    resource: name('resource'),
    isCaller: child('resource', isCaller),
    alias: ALIAS,
    endpoints: documented({ endpoint, custom_endpoint: shortForm }),
    entrypoints: documented({ entrypoint: entrypointFrom }),
  },
  'entrypoint',
);
