import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { actionBlockFrom } from './actions.ts';
import type {
  ApiDeclaration,
  EndpointDeclaration,
  EndpointKind,
  EndpointProperty,
  EntrypointDeclaration,
  ExtraInputs,
  Paginable,
  WrittenProperty,
} from './ast.ts';
import { propertiesFrom } from './expressions.ts';
import { fieldFrom } from './models.ts';
import { keywordsOf } from './properties.ts';
import type { DocumentedNode, Reader } from './reader.ts';

export function apiFrom(reader: Reader, { node, doc }: DocumentedNode): ApiDeclaration {
  const name = reader.optional(node, 'name');
  const entrypoints = reader.documented(reader.child(node, 'body'));
  return {
    kind: 'api',
    name: name && reader.name(name),
    entrypoints: entrypoints.map((entrypoint) => entrypointFrom(reader, entrypoint)),
    doc,
    span: reader.span(node),
  };
}

type HttpMethod = NonNullable<EndpointDeclaration['method']>['value'];
type Cardinality = NonNullable<EndpointDeclaration['cardinality']>['value'];

function entrypointFrom(reader: Reader, { node, doc }: DocumentedNode): EntrypointDeclaration {
  const endpoints: EndpointDeclaration[] = [];
  const entrypoints: EntrypointDeclaration[] = [];
  const others: SyntaxNode[] = [];
  for (const member of reader.documented(reader.child(node, 'body'))) {
    const { type } = member.node;
    if (type === 'endpoint' || type === 'custom_endpoint') endpoints.push(endpointFrom(reader, member));
    else if (type === 'entrypoint') entrypoints.push(entrypointFrom(reader, member));
    else {
      reader.reportMisplacedDoc(member);
      others.push(member.node);
    }
  }
  const properties = reader.properties(others);
  return {
    kind: 'entrypoint',
    ...propertiesFrom<'entrypoint'>(reader, properties),
    ...resourceFrom(reader, reader.child(node, 'resource')),
    alias: reader.nameWithin(node, 'alias'),
    endpoints,
    entrypoints,
    doc,
    span: reader.span(node),
  };
}

function resourceFrom(reader: Reader, node: SyntaxNode): Pick<EntrypointDeclaration, 'resource' | 'isCaller'> {
  const isCaller = node.type === 'at_word';
  if (isCaller) reader.checkAtWord(node);
  return { resource: reader.name(node), isCaller };
}

function endpointFrom(reader: Reader, { node, doc }: DocumentedNode): EndpointDeclaration {
  const properties = reader.properties(reader.contents(reader.child(node, 'body')));
  return {
    kind: 'endpoint',
    head: reader.head(node),
    alias: reader.nameWithin(node, 'alias'),
    ...propertiesFrom<'endpoint'>(reader, properties),
    ...(node.type === 'endpoint' ? { endpoint: kindOf(reader, node) } : shortForm(reader, node, properties)),
    extraInputs: extraInputsFrom(reader, properties.get('extra_inputs')),
    action: actionBlockFrom(reader, properties.get('action')),
    paginable: paginableFrom(reader, properties.get('paginable')),
    properties: [...properties.values()].map((property) => writtenProperty(reader, property)),
    doc,
    span: reader.span(node),
  };
}

function kindOf(reader: Reader, node: SyntaxNode): EndpointKind {
  return reader.words(reader.child(node, 'kind')) as EndpointKind;
}

/** `POST one "publish" { … }`. A method, cardinality or second path in its body says it twice. */
function shortForm(reader: Reader, node: SyntaxNode, properties: ReadonlyMap<string, SyntaxNode>) {
  const method = reader.child(node, 'method');
  const cardinality = reader.child(node, 'cardinality');
  const path = reader.optional(node, 'path');
  const inBody = { method, endpoint_cardinality_property: cardinality, segment: path };
  for (const [type, first] of Object.entries(inBody)) {
    const property = properties.get(type);
    if (!property || !first) continue;
    const name = writtenProperty(reader, property);
    reader.report('duplicate-property', name.span, { property: name.text, first: reader.span(first) });
  }
  return {
    endpoint: 'custom' as const,
    method: { value: reader.words(method) as HttpMethod, span: reader.span(method) },
    cardinality: { value: reader.words(cardinality) as Cardinality, span: reader.span(cardinality) },
    ...(path && { path: reader.text(path) }),
  };
}

function writtenProperty(reader: Reader, node: SyntaxNode): WrittenProperty {
  const property = node.type as EndpointProperty;
  const span = reader.firstWord(node);
  // Of a choice of keywords it matters which one is written.
  const text = keywordsOf(property) || reader.words(node).slice(0, span.end - span.start);
  return { property, text, span };
}

function extraInputsFrom(reader: Reader, node: SyntaxNode | undefined): ExtraInputs | undefined {
  if (!node) return undefined;
  const fields = reader.documented(node).map((field) => fieldFrom(reader, field));
  return { fields, span: reader.span(node) };
}

function paginableFrom(reader: Reader, node: SyntaxNode | undefined): Paginable | undefined {
  if (!node) return undefined;
  const properties = reader.properties(reader.contents(node));
  return { ...propertiesFrom<'paginable'>(reader, properties), span: reader.span(node) };
}
