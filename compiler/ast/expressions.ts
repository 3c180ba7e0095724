import { CLAIMS, INPUT, REQUEST } from '../syntax/reserved-words.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type {
  AuthPath,
  BinaryOperator,
  Expression,
  Hook,
  HookArg,
  HttpHeaders,
  InputPath,
  ListFields,
  Name,
  Normalise,
  Normaliser,
  ObjectMember,
  OrderBy,
  OrderItem,
  PageResponse,
  Path,
  Query,
  RequestPath,
  ResultMember,
  Returns,
  SearchedFields,
  Selected,
  Selection,
  Spread,
  TypeName,
} from './nodes.ts';
import { propertiesReader } from './properties.ts';
import type { DocumentedNode, Reader } from './reader.ts';

export const propertiesFrom = propertiesReader({
  '': (reader, node) => reader.flag(node),
  '[{ }]': (reader, node) => reader.span(node),
  NAME: (reader, node) => reader.name(node),
  TYPE: typeNameFrom,
  PATH: pathFrom,
  'PATH [as NAME]': (reader, path, from) => ({
    path: pathFrom(reader, path),
    alias: reader.nameWithin(from, 'alias'),
    span: reader.span(from),
  }),
  INTEGER: (reader, node) => reader.wholeNumber(node),
  STRING: (reader, node) => reader.text(node),
  EXPRESSION: expressionFrom,
  '{ EXPRESSION }': expressionFrom,
  '({ selection } | NAME)': selectionFrom,
  '{ selection }': selectionFrom,
  '{ order_by }': orderByFrom,
  '{ normalise }': normaliseFrom,
  '{ accept }': (reader, node) => ({
    types: reader.contents(node).map((type) => reader.text(reader.child(type, 'text'))),
    span: reader.span(node),
  }),
  '{ filterable }': listFieldsFrom,
  '{ searchable }': searchedFieldsFrom,
  '{ http_headers }': headersFrom,
  '{ page_response }': pageResponseFrom,
  '{ identify }': (reader, node) => ({
    ...propertiesFrom<'identify'>(reader, reader.properties(reader.contents(node))),
    span: reader.span(node),
  }),
  '{ hook }': hookFrom,
  '({ result } | TYPE) [nullable]': returnsFrom,
});

export function expressionFrom(reader: Reader, node: SyntaxNode): Expression {
  const span = reader.span(node);
  switch (node.type) {
    case 'integer': {
      const { value } = reader.wholeNumber(node);
      return { kind: 'integer', value, text: reader.words(node), span };
    }
    case 'float':
      return { kind: 'float', value: reader.number(node), text: reader.words(node), span };
    case 'string':
    case 'raw_string':
      return { kind: 'string', value: reader.text(node).value, span };
    case 'true':
    case 'false':
      return { kind: 'boolean', value: node.type === 'true', span };
    case 'null':
      return { kind: 'null', span };
    case 'list':
      return { kind: 'list', items: expressionsFrom(reader, reader.contents(node)), span };
    case 'object':
      return {
        kind: 'object',
        members: reader.documented(node).map((member) => objectMemberFrom(reader, member)),
        span,
      };
    case 'path':
      return pathFrom(reader, node);
    case 'auth_path':
      return atPathFrom(reader, node);
    case 'call': {
      const args = expressionsFrom(reader, reader.contents(reader.child(node, 'arguments')));
      const called = reader.child(node, 'function');
      if (called.type === 'auth_path') return { ...requestPathFrom(reader, called), arguments: args, span };
      return { kind: 'call', function: pathFrom(reader, called), arguments: args, span };
    }
    case 'binary':
      return binaryFrom(reader, node);
    case 'unary':
      return {
        kind: 'unary',
        operator: reader.words(reader.child(node, 'operator')) as 'not' | '-',
        operand: expressionFrom(reader, reader.child(node, 'operand')),
        span,
      };
    case 'hook_block':
      return { kind: 'hook', hook: hookFrom(reader, reader.child(node, 'body')), span };
    case 'parenthesized':
      return expressionFrom(reader, reader.child(node, 'value'));
    default:
      throw new Error(`grammar: \`${node.type}\` is no expression`);
  }
}

function objectMemberFrom(reader: Reader, { node, doc }: DocumentedNode): ObjectMember {
  reader.contents(node);
  const value = expressionFrom(reader, reader.child(node, 'value'));
  return { name: reader.key(reader.child(node, 'name')), doc, value, span: reader.span(node) };
}

/** A chain like `a and b and …` leans to the left and may be long, so it is walked, not recursed into. */
function binaryFrom(reader: Reader, node: SyntaxNode): Expression {
  const chain: SyntaxNode[] = [];
  let first = node;
  while (first.type === 'binary') {
    chain.push(first);
    first = reader.child(first, 'left');
  }
  let left = expressionFrom(reader, first);
  for (const link of chain.reverse()) {
    reader.contents(link);
    const operator = reader.child(link, 'operator');
    left = {
      kind: 'binary',
      operator: operatorFrom(reader, operator),
      operatorSpan: reader.span(operator),
      left,
      right: expressionFrom(reader, reader.child(link, 'right')),
      span: reader.span(link),
    };
  }
  return left;
}

/** Two words may have a comment between them, so they are known by their rule. */
function operatorFrom(reader: Reader, node: SyntaxNode): BinaryOperator {
  reader.contents(node);
  if (node.type === 'is_not') return 'is not';
  return node.type === 'not_in' ? 'not in' : (reader.words(node) as BinaryOperator);
}

function expressionsFrom(reader: Reader, nodes: readonly SyntaxNode[]): readonly Expression[] {
  return nodes.map((node) => expressionFrom(reader, node));
}

export function pathFrom(reader: Reader, node: SyntaxNode): Path {
  const steps = stepsFrom(reader, node);
  if (steps.length === 0) throw new Error('grammar: an empty path');
  return { kind: 'path', steps: steps as [Name, ...Name[]], span: reader.span(node) };
}

function atPathFrom(reader: Reader, node: SyntaxNode): AuthPath | InputPath | RequestPath {
  const path = requestPathFrom(reader, node);
  const { root, steps, span } = path;
  if (root === REQUEST || root === CLAIMS) return path;
  return { kind: root === INPUT ? 'input' : 'auth', steps, span };
}

function requestPathFrom(reader: Reader, node: SyntaxNode): RequestPath {
  const root = reader.child(node, 'root');
  reader.checkAtWord(root);
  const steps = stepsFrom(reader, node);
  return { kind: 'request', root: reader.words(root), steps, arguments: undefined, span: reader.span(node) };
}

/** Reads a path to an existing record. Client input, such as `@input`, is reported: it is not a record. */
export function authPathFrom(reader: Reader, node: SyntaxNode): AuthPath {
  const { root, steps, span } = requestPathFrom(reader, node);
  if (root === INPUT || root === REQUEST || root === CLAIMS) reader.report('input-as-record', span, { word: root });
  return { kind: 'auth', steps, span };
}

function stepsFrom(reader: Reader, node: SyntaxNode): Name[] {
  const steps = reader.contents(node).filter((child) => child.field === 'step');
  return steps.map((step) => reader.name(step));
}

export function queryFrom(reader: Reader, node: SyntaxNode): Query {
  const properties = reader.properties(reader.contents(node).filter((child) => child.type !== 'alias'));
  return { span: reader.span(node), ...propertiesFrom<'query_action'>(reader, properties) };
}

function typeNameFrom(reader: Reader, node: SyntaxNode): TypeName {
  if (node.type !== 'list_type') return { list: undefined, ...itemTypeFrom(reader, node) };
  reader.contents(node);
  return { ...itemTypeFrom(reader, reader.child(node, 'item')), list: reader.span(node) };
}

function itemTypeFrom(reader: Reader, node: SyntaxNode): Omit<TypeName, 'list'> {
  if (node.type !== 'sized_type') return reader.name(node);
  reader.contents(node);
  const digits = reader.wholeNumber(reader.child(node, 'digits'));
  const places = reader.wholeNumber(reader.child(node, 'places'));
  return { ...reader.childName(node, 'name'), size: { digits, places, span: reader.span(node) } };
}

function orderByFrom(reader: Reader, node: SyntaxNode): OrderBy {
  const items = reader.contents(node).map((item) => orderItemFrom(reader, item));
  return { items, span: reader.span(node) };
}

function normaliseFrom(reader: Reader, node: SyntaxNode): Normalise {
  const found = reader.properties(reader.contents(node), (normaliser) => reader.words(normaliser));
  return { normalisers: [...found.keys()] as Normaliser[], span: reader.span(node) };
}

function listFieldsFrom(reader: Reader, node: SyntaxNode): ListFields {
  return { paths: reader.contents(node).map((item) => listFieldFrom(reader, item)), span: reader.span(node) };
}

function listFieldFrom(reader: Reader, item: SyntaxNode): Path {
  reader.contents(item);
  return pathFrom(reader, reader.child(item, 'path'));
}

function searchedFieldsFrom(reader: Reader, node: SyntaxNode): SearchedFields {
  const contents = reader.contents(node);
  const isField = ({ type }: SyntaxNode) => type === 'list_field';
  const settings = reader.properties(contents.filter((item) => !isField(item)));
  const paths = contents.filter(isField).map((item) => listFieldFrom(reader, item));
  return { paths, span: reader.span(node), ...propertiesFrom<'searchable'>(reader, settings) };
}

function pageResponseFrom(reader: Reader, node: SyntaxNode): PageResponse {
  const members = reader.contents(node).map((member) => {
    reader.contents(member);
    return { name: reader.childName(member), value: reader.childName(member, 'value') };
  });
  return { members, span: reader.span(node) };
}

function headersFrom(reader: Reader, node: SyntaxNode): HttpHeaders {
  const headers = reader.contents(node).map((header) => ({
    name: reader.childText(header, 'name'),
    value: expressionFrom(reader, reader.child(header, 'value')),
    span: reader.span(header),
  }));
  return { headers, span: reader.span(node) };
}

function orderItemFrom(reader: Reader, node: SyntaxNode): OrderItem {
  reader.contents(node);
  const direction = reader.optional(node, 'direction');
  return {
    value: expressionFrom(reader, reader.child(node, 'value')),
    descending: direction !== undefined && reader.words(direction) === 'desc',
    span: reader.span(node),
  };
}

export function hookFrom(reader: Reader, node: SyntaxNode): Hook {
  const members = reader.documented(node);
  const args = members.filter((member) => member.node.type === 'arg');
  const others = members.filter((member) => member.node.type !== 'arg');
  for (const member of others) reader.reportMisplacedDoc(member);
  const properties = reader.properties(others.map((member) => member.node));
  const source = properties.get('source');
  return {
    ...propertiesFrom<'hook'>(reader, properties),
    args: args.map((arg) => hookArgFrom(reader, arg)),
    source: source && {
      export: reader.childName(source, 'export'),
      file: reader.childText(source, 'file'),
      span: reader.span(source),
    },
    span: reader.span(node),
  };
}

function returnsFrom(reader: Reader, value: SyntaxNode, node: SyntaxNode): Returns {
  const isObject = value.type === 'result';
  return {
    type: isObject ? undefined : typeNameFrom(reader, value),
    members: isObject ? reader.documented(value).map((member) => resultMemberFrom(reader, member)) : [],
    nullable: mayBeNull(reader, node),
    span: reader.span(node),
  };
}

function resultMemberFrom(reader: Reader, member: DocumentedNode): ResultMember {
  const { node } = member;
  const type = typeNameFrom(reader, reader.child(node, 'type'));
  return { ...reader.named(member), type, nullable: mayBeNull(reader, node) };
}

function mayBeNull(reader: Reader, node: SyntaxNode): boolean {
  return reader.contents(node).some(({ type }) => type === 'may_be_null');
}

function hookArgFrom(reader: Reader, arg: DocumentedNode): HookArg {
  const value = reader.child(arg.node, 'value');
  return {
    ...reader.named(arg),
    value:
      value.type === 'arg_query'
        ? { kind: 'query', query: queryFrom(reader, value), span: reader.span(value) }
        : expressionFrom(reader, value),
  };
}

/** Reads a block of selected items, or the name of a shape in its place. */
export function selectionFrom(reader: Reader, node: SyntaxNode): Selection {
  const span = reader.span(node);
  if (node.type === 'identifier') return { items: [{ kind: 'spread', shape: reader.name(node), span }], span };
  return { items: reader.documented(node).map((item) => itemFrom(reader, item)), span };
}

function itemFrom(reader: Reader, item: DocumentedNode): Selected | Spread {
  const { node, doc } = item;
  if (node.type !== 'spread') return selectedFrom(reader, node, doc);
  reader.reportMisplacedDoc(item);
  reader.contents(node);
  return { kind: 'spread', shape: reader.childName(node), span: reader.span(node) };
}

function selectedFrom(reader: Reader, node: SyntaxNode, doc: Selected['doc']): Selected {
  reader.contents(node);
  const alias = reader.optional(node, 'alias');
  const selection = reader.optional(node, 'selection') ?? reader.optional(node, 'shape');
  return {
    kind: 'selected',
    name: alias ? reader.name(alias) : reader.childName(node),
    value: alias && expressionFrom(reader, reader.child(node, 'value')),
    selection: selection && selectionFrom(reader, selection),
    doc,
    span: reader.span(node),
  };
}
