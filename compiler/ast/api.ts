import { SHAPES } from '../syntax/grammar-forms.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { actionBlockFrom } from './actions.ts';
import type {
  ApiDeclaration,
  EndpointDeclaration,
  EndpointKind,
  EndpointProperty,
  EntrypointDeclaration,
  ExtraInputs,
  HttpMethod,
  Paginable,
  Selection,
  Text,
  WholeNumber,
  WrittenProperty,
} from './ast.ts';
import { orderByFrom, pathWithin, selectionFrom, valueWithin } from './expressions.ts';
import { fieldFrom } from './models.ts';
import { type Properties, plainPropertiesFrom } from './plain-properties.ts';
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

const OWN_MEMBERS = ['endpoint', 'custom_endpoint', 'entrypoint'];

function entrypointFrom(reader: Reader, { node, doc }: DocumentedNode): EntrypointDeclaration {
  const members = reader.documented(reader.child(node, 'body'));
  const endpoints = members.filter(({ node: { type } }) => type === 'endpoint' || type === 'custom_endpoint');
  const entrypoints = members.filter((member) => member.node.type === 'entrypoint');
  const others = members.filter((member) => !OWN_MEMBERS.includes(member.node.type));
  for (const member of others) reader.reportMisplacedDoc(member);
  const properties = reader.properties(others.map((member) => member.node));
  const identify = properties.get('identify');
  return {
    kind: 'entrypoint',
    resource: reader.childName(node, 'resource'),
    alias: reader.nameWithin(node, 'alias'),
    identify: identify && {
      through: pathWithin(reader, reader.properties(reader.contents(identify)).get('through')),
      span: reader.span(identify),
    },
    response: responseFrom(reader, properties.get('response')),
    authorize: valueWithin(reader, properties.get('authorize')),
    path: textWithin(reader, properties.get('segment')),
    endpoints: endpoints.map((endpoint) => endpointFrom(reader, endpoint)),
    entrypoints: entrypoints.map((entrypoint) => entrypointFrom(reader, entrypoint)),
    doc,
    span: reader.span(node),
  };
}

function endpointFrom(reader: Reader, { node, doc }: DocumentedNode): EndpointDeclaration {
  const body = reader.child(node, 'body');
  const properties = reader.properties(reader.contents(body));
  const plain = plainPropertiesFrom('endpoint', reader, properties);
  return {
    kind: 'endpoint',
    head: reader.head(node),
    alias: reader.nameWithin(node, 'alias'),
    ...plain,
    ...(node.type === 'endpoint'
      ? longForm(reader, node, properties, plain.segment)
      : shortForm(reader, node, properties, plain.segment)),
    response: responseFrom(reader, properties.get('response')),
    extraInputs: extraInputsFrom(reader, properties.get('extra_inputs')),
    action: actionBlockFrom(reader, properties.get('action')),
    orderBy: orderByFrom(reader, properties.get('order_by')),
    paginable: paginableFrom(reader, properties.get('paginable')),
    properties: [...properties.values()].map((property) => writtenProperty(reader, property)),
    doc,
    span: reader.span(node),
  };
}

/** `custom endpoint { method POST, cardinality one, path "publish" }`, and the built-in kinds. */
function longForm(reader: Reader, node: SyntaxNode, properties: Properties, path: Text | undefined) {
  const method = properties.get('method');
  const cardinality = properties.get('endpoint_cardinality_property');
  return {
    endpoint: reader.words(reader.child(node, 'kind')) as EndpointKind,
    method: method && methodFrom(reader, reader.child(method, 'value')),
    cardinality: cardinality && cardinalityFrom(reader, reader.child(cardinality, 'value')),
    path,
  };
}

/** `POST one "publish" { … }`. A method, cardinality or second path in its body says it twice. */
function shortForm(reader: Reader, node: SyntaxNode, properties: Properties, segment: Text | undefined) {
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
    method: methodFrom(reader, method),
    cardinality: cardinalityFrom(reader, cardinality),
    path: path ? reader.text(path) : segment,
  };
}

function writtenProperty(reader: Reader, node: SyntaxNode): WrittenProperty {
  const property = node.type as EndpointProperty;
  const span = reader.firstWord(node);
  return {
    property,
    text: KEYWORDS.exec(SHAPES[property])?.[0] ?? reader.words(node).slice(0, span.end - span.start),
    span,
  };
}

/** At the beginning of a shape: `order by`. A choice of keywords is none, for there it matters which one is written. */
const KEYWORDS = /^[a-z]+(?: [a-z]+)*/;

function methodFrom(reader: Reader, node: SyntaxNode) {
  return { value: reader.words(node) as HttpMethod, span: reader.span(node) };
}

function cardinalityFrom(reader: Reader, node: SyntaxNode) {
  return { value: reader.words(node) as 'one' | 'many', span: reader.span(node) };
}

function responseFrom(reader: Reader, node: SyntaxNode | undefined): Selection | undefined {
  return node && selectionFrom(reader, reader.child(node, 'selection'));
}

function textWithin(reader: Reader, node: SyntaxNode | undefined): Text | undefined {
  return node && reader.childText(node);
}

function extraInputsFrom(reader: Reader, node: SyntaxNode | undefined): ExtraInputs | undefined {
  if (!node) return undefined;
  const fields = reader.documented(node).map((field) => fieldFrom(reader, field));
  return { fields, span: reader.span(node) };
}

function paginableFrom(reader: Reader, node: SyntaxNode | undefined): Paginable | undefined {
  if (!node) return undefined;
  const properties = reader.properties(reader.contents(node));
  return {
    pageSize: numberWithin(reader, properties.get('page_size')),
    max: numberWithin(reader, properties.get('page_max')),
    span: reader.span(node),
  };
}

function numberWithin(reader: Reader, node: SyntaxNode | undefined): WholeNumber | undefined {
  return node && reader.wholeNumber(reader.child(node, 'value'));
}
