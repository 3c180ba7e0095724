import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type {
  Action,
  ActionBlock,
  ApiDeclaration,
  AuthPath,
  EndpointDeclaration,
  EndpointKind,
  EndpointProperty,
  EntrypointDeclaration,
  ExtraInputs,
  FieldDeclaration,
  HttpMethod,
  InputField,
  InputItem,
  ListInput,
  Method,
  OnConflict,
  Paginable,
  Path,
  RecordInput,
  SetItem,
  Signed,
  WriteItem,
  WrittenProperty,
} from './ast.ts';
import { authPathFrom, expressionFrom, pathFrom, propertiesFrom, queryFrom } from './expressions.ts';
import { fieldFrom, keyPartsFrom, misplacedFlags } from './models.ts';
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
    method: reader.readIf(properties.get('method'), methodsFrom),
    ...(node.type === 'endpoint' ? { endpoint: kindOf(reader, node) } : shortForm(reader, node, properties)),
    extraInputs: reader.readIf(properties.get('extra_inputs'), extraInputsFrom),
    action: reader.readIf(properties.get('action'), actionBlockFrom),
    paginable: reader.readIf(properties.get('paginable'), paginableFrom),
    signed: reader.readIf(properties.get('signed_by'), signedFrom),
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
    method: methodFrom(reader, method),
    cardinality: { value: reader.words(cardinality) as Cardinality, span: reader.span(cardinality) },
    ...(path && { path: reader.text(path) }),
  };
}

function methodsFrom(reader: Reader, node: SyntaxNode): Method {
  reader.contents(node);
  const other = reader.readIf(reader.optional(node, 'other'), methodFrom);
  return { other, ...methodFrom(reader, reader.child(node, 'value')) };
}

function methodFrom(reader: Reader, node: SyntaxNode): Method {
  return { value: reader.words(node) as HttpMethod, span: reader.span(node) };
}

function writtenProperty(reader: Reader, node: SyntaxNode): WrittenProperty {
  const property = node.type as EndpointProperty;
  const span = reader.firstWord(node);
  // A property that begins with a choice of keywords goes by the keyword that is written.
  const text = keywordsOf(property) || reader.words(node).slice(0, span.end - span.start);
  return { property, text, span };
}

function extraInputsFrom(reader: Reader, node: SyntaxNode): ExtraInputs {
  const fields = reader
    .documented(node)
    .map((input) => (input.node.type === 'list_input' ? listInputFrom(reader, input) : memberInputFrom(reader, input)));
  return { fields, span: reader.span(node) };
}

function memberInputFrom(reader: Reader, input: DocumentedNode): FieldDeclaration | RecordInput {
  if (input.node.type === 'field') return fieldFrom(reader, input);
  const properties = reader.properties(reader.contents(reader.child(input.node, 'body')));
  return { kind: 'record', ...reader.named(input), ...propertiesFrom<'record_input'>(reader, properties) };
}

function listInputFrom(reader: Reader, input: DocumentedNode): ListInput {
  const contents = reader.documented(reader.child(input.node, 'body'));
  const isMember = ({ node }: DocumentedNode) => node.type === 'field' || node.type === 'record_input';
  const others = contents.filter((each) => !isMember(each));
  for (const each of others) reader.reportMisplacedDoc(each);
  const properties = reader.properties(others.map(({ node }) => node));
  const members = contents.filter(isMember).map((member) => memberInputFrom(reader, member));
  return { kind: 'list', ...reader.named(input), ...propertiesFrom<'list_input'>(reader, properties), members };
}

function paginableFrom(reader: Reader, node: SyntaxNode): Paginable {
  const properties = reader.properties(reader.contents(node));
  return { span: reader.span(node), ...propertiesFrom<'paginable'>(reader, properties) };
}

function signedFrom(reader: Reader, node: SyntaxNode): Signed {
  const properties = reader.properties(reader.contents(node));
  return {
    scheme: reader.childName(node, 'scheme'),
    ...propertiesFrom<'signed_by'>(reader, properties),
    span: reader.span(node),
  };
}

// ── Actions ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export function actionBlockFrom(reader: Reader, node: SyntaxNode): ActionBlock {
  return { actions: actionsFrom(reader, node), span: reader.span(node) };
}

function actionsFrom(reader: Reader, node: SyntaxNode): readonly Action[] {
  return reader.contents(reader.child(node, 'body')).map((action) => actionFrom(reader, action));
}

export function actionFrom(reader: Reader, node: SyntaxNode): Action {
  return { head: reader.firstWord(node), span: reader.span(node), ...contentFrom(reader, node) };
}

/** An action without its head and its span. */
function contentFrom(reader: Reader, node: SyntaxNode) {
  switch (node.type) {
    case 'create_action':
      return { kind: 'create' as const, ...writeFrom(reader, node) };
    case 'update_action':
      return { kind: 'update' as const, ...writeFrom(reader, node) };
    case 'delete_action':
      return { kind: 'delete' as const, target: targetFrom(reader, node) };
    case 'query_action':
      return queryActionFrom(reader, node);
    case 'for_action':
      return {
        kind: 'for' as const,
        name: reader.childName(node),
        list: expressionFrom(reader, reader.child(node, 'list')),
        actions: actionsFrom(reader, node),
      };
    case 'execute_action':
      return executeFrom(reader, node);
    case 'call_action':
      return callFrom(reader, node);
    case 'run_action':
      return runFrom(reader, node);
    case 'respond_action':
      return respondFrom(reader, node);
    case 'validate_action':
      return {
        kind: 'validate' as const,
        key: reader.childText(node, 'key'),
        value: expressionFrom(reader, reader.child(node, 'value')),
      };
    case 'refuse_action':
      return refuseFrom(reader, node);
    default:
      throw new Error(`grammar: \`${node.type}\` is no action`);
  }
}

function targetFrom(reader: Reader, node: SyntaxNode): Path | AuthPath | undefined {
  const target = reader.optional(node, 'target');
  if (target?.type === 'auth_path') return authPathFrom(reader, target);
  return target && pathFrom(reader, target);
}

function writeFrom(reader: Reader, node: SyntaxNode) {
  const items = reader.contents(reader.child(node, 'body'));
  return {
    target: targetFrom(reader, node),
    onConflict: reader.readIf(reader.ofType(node, 'on_conflict'), onConflictFrom),
    alias: reader.nameWithin(node, 'alias'),
    items: items.map((item) => writeItemFrom(reader, item)),
  };
}

function onConflictFrom(reader: Reader, node: SyntaxNode): OnConflict {
  const key = reader.ofType(node, 'conflict_key');
  return {
    does: reader.words(reader.child(node, 'does')) as OnConflict['does'],
    key: key && { parts: keyPartsFrom(reader, key), span: reader.span(key) },
    span: reader.span(node),
  };
}

function writeItemFrom(reader: Reader, node: SyntaxNode): WriteItem {
  const span = reader.span(node);
  switch (node.type) {
    case 'set':
      return setFrom(reader, node);
    case 'input':
      return inputFrom(reader, node);
    case 'input_all':
      return { kind: 'input-all', except: reader.contents(node).map((name) => reader.name(name)), span };
    case 'reference_input': {
      const lookups = reader.contents(node).filter((child) => child.type === 'lookup');
      const lookup = reader.properties(lookups).get('lookup');
      const orCreate = lookup && reader.ofType(lookup, 'or_create');
      return {
        kind: 'reference',
        name: reader.childName(node),
        through: lookup && pathFrom(reader, reader.child(lookup, 'path')),
        orCreate: orCreate && reader.span(orCreate),
        span,
      };
    }
    default:
      throw new Error(`grammar: \`${node.type}\` is no part of a write`);
  }
}

export function setFrom(reader: Reader, node: SyntaxNode): SetItem {
  const value = expressionFrom(reader, reader.child(node, 'value'));
  const when = reader.readIf(reader.optional(node, 'condition'), expressionFrom);
  return { kind: 'set', name: reader.childName(node), value, when, span: reader.span(node) };
}

export function inputFrom(reader: Reader, node: SyntaxNode): InputItem {
  const fields = reader.contents(node).map((field) => inputFieldFrom(reader, field));
  return { kind: 'input', fields, span: reader.span(node) };
}

function inputFieldFrom(reader: Reader, node: SyntaxNode): InputField {
  const body = reader.optional(node, 'body');
  const properties = reader.properties(body ? reader.contents(body) : []);
  return {
    name: reader.childName(node),
    alias: reader.nameWithin(node, 'alias'),
    ...propertiesFrom<'input_field'>(reader, properties),
    misplaced: misplacedFlags(reader, properties, ['required']),
    span: reader.span(node),
  };
}

function queryActionFrom(reader: Reader, node: SyntaxNode) {
  const update = reader.ofType(node, 'query_update');
  return {
    kind: 'query' as const,
    alias: reader.nameWithin(node, 'alias'),
    query: queryFrom(reader, node),
    update: update && { sets: reader.contents(update).map((set) => setFrom(reader, set)), span: reader.span(update) },
  };
}

function executeFrom(reader: Reader, node: SyntaxNode) {
  const properties = reader.properties(reader.contents(node).filter((child) => child.type !== 'alias'));
  return {
    kind: 'execute' as const,
    ...propertiesFrom<'execute_action'>(reader, properties),
    alias: reader.nameWithin(node, 'alias'),
  };
}

function callFrom(reader: Reader, node: SyntaxNode) {
  const properties = reader.properties(reader.contents(node).filter((child) => child.type !== 'alias'));
  return {
    kind: 'call' as const,
    ...propertiesFrom<'call_action'>(reader, properties),
    alias: reader.nameWithin(node, 'alias'),
    onFailure: reader.readIf(properties.get('call_failure'), actionBlockFrom),
  };
}

function runFrom(reader: Reader, node: SyntaxNode) {
  const args = reader.contents(reader.child(node, 'body'));
  return {
    kind: 'run' as const,
    verb: reader.words(reader.child(node, 'verb')) as 'run' | 'send',
    job: reader.childName(node, 'job'),
    arguments: args.map((argument) => ({
      name: reader.childName(argument),
      value: expressionFrom(reader, reader.child(argument, 'value')),
    })),
    after: reader.readIf(reader.optional(node, 'after'), expressionFrom),
    once: reader.readIf(reader.optional(node, 'once'), expressionFrom),
  };
}

function respondFrom(reader: Reader, node: SyntaxNode) {
  const properties = reader.properties(reader.contents(node));
  return { kind: 'respond' as const, ...propertiesFrom<'respond_action'>(reader, properties) };
}

function refuseFrom(reader: Reader, node: SyntaxNode) {
  const body = reader.optional(node, 'body');
  return {
    kind: 'refuse' as const,
    ...propertiesFrom<'refuse_action'>(reader, reader.properties(body ? reader.contents(body) : [])),
    code: reader.childText(node, 'code'),
    when: reader.readIf(reader.optional(node, 'condition'), expressionFrom),
  };
}
