import { CLAIMS, INPUT, REQUEST } from '../syntax/reserved-words.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type {
  AuthPath,
  BinaryOperator,
  Expression,
  Hook,
  HookArg,
  HttpHeader,
  InputPath,
  Name,
  Normaliser,
  ObjectMember,
  OrderItem,
  Path,
  Query,
  RequestPath,
  Returns,
  Selection,
  TypeName,
} from './nodes.ts';
import type { Read } from './parts.ts';
import * as read from './parts.ts';
import { propertiesReader } from './properties.ts';
import type { Reader } from './reader.ts';

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
      return { kind: 'object', members: objectMembers(reader, node, read.ALONE), span };
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
      return { kind: 'hook', hook: hookFrom(reader, reader.child(node, 'body'), read.ALONE), span };
    case 'parenthesized':
      return expressionFrom(reader, reader.child(node, 'value'));
    default:
      throw new Error(`grammar: \`${node.type}\` is no expression`);
  }
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

/** Reads a block of selected items, or the name of a shape in its place. */
export function selectionFrom(reader: Reader, node: SyntaxNode): Selection {
  if (node.type !== 'identifier') return selection(reader, node, read.ALONE);
  const span = reader.span(node);
  return { items: [{ kind: 'spread', shape: reader.name(node), span }], span };
}

function listField(reader: Reader, item: SyntaxNode): Path {
  reader.contents(item);
  return pathFrom(reader, reader.child(item, 'path'));
}

function mayBeNull(reader: Reader, node: SyntaxNode): boolean {
  return reader.contents(node).some(({ type }) => type === 'may_be_null');
}

// ── Nodes with expressions in them ──────────────────────────────────────────────────────────────────────────────────

const value = read.child('value', expressionFrom);

const objectMember: Read<ObjectMember> = read.node(
  { name: read.child('name', (reader, node) => reader.key(node)), doc: read.DOC, value },
  undefined,
  'open',
);
const objectMembers = read.describedContents(objectMember);

export const queryFrom: Read<Query> = read.node({}, 'query_action', 'open');

const isDescending = read.optional('direction', (reader, node) => reader.words(node) === 'desc');
const orderItem: Read<OrderItem> = read.node(
  { value, descending: (...at): boolean => isDescending(...at) === true },
  undefined,
  'open',
);
const httpHeader: Read<HttpHeader> = read.node({ name: read.text('name'), value }, undefined, 'open');
const pageMember = read.node({ name: read.name(), value: read.name('value') }, undefined, 'open');

const normalisers: Read<readonly Normaliser[]> = (reader, node) => {
  const found = reader.properties(reader.contents(node), (normaliser) => reader.words(normaliser));
  return [...found.keys()] as Normaliser[];
};

const selection: Read<Selection> = read.node(
  {
    items: read.documented({
      selected: read.node(
        {
          kind: read.is('selected'),
          name: (reader, node) => reader.childName(node, reader.optional(node, 'alias') ? 'alias' : 'name'),
          doc: read.DOC,
          value: read.optional('value', expressionFrom),
          selection: (...at) =>
            read.optional('selection', selectionFrom)(...at) ?? read.optional('shape', selectionFrom)(...at),
        },
        undefined,
        'open',
      ),
      spread: read.undocumented(read.node({ kind: read.is('spread'), shape: read.name() }, undefined, 'open')),
    }),
  },
  undefined,
  'open',
);

// ── Hooks ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const argumentValue: Read<HookArg['value']> = (reader, node, around) => {
  if (node.type !== 'arg_query') return expressionFrom(reader, node);
  return { kind: 'query', query: queryFrom(reader, node, around), span: reader.span(node) };
};

export const hookFrom: Read<Hook> = read.node(
  {
    args: read.documented({ arg: read.declared({ value: read.child('value', argumentValue) }) }),
    source: read.property('source', read.node({ export: read.name('export'), file: read.text('file') })),
  },
  'hook',
  'open',
);

const resultMember = read.declared({ type: read.child('type', typeNameFrom), nullable: mayBeNull });
const returns: Read<Returns> = read.node({
  type: read.optional('type', typeNameFrom),
  members: read.optional('members', read.describedContents(resultMember)),
  nullable: mayBeNull,
});

// ── Properties ──────────────────────────────────────────────────────────────────────────────────────────────────────

export const propertiesFrom = propertiesReader({
  '': (reader, node) => reader.flag(node),
  '[{ }]': read.SPAN,
  NAME: (reader, node) => reader.name(node),
  TYPE: typeNameFrom,
  PATH: pathFrom,
  'PATH [as NAME]': read.node({ path: read.child('path', pathFrom), alias: read.ALIAS }),
  INTEGER: (reader, node) => reader.wholeNumber(node),
  STRING: (reader, node) => reader.text(node),
  EXPRESSION: expressionFrom,
  '{ EXPRESSION }': expressionFrom,
  '({ selection } | NAME)': selectionFrom,
  '{ selection }': selectionFrom,
  '{ order_by }': read.node({ items: read.contents(orderItem) }),
  '{ normalise }': read.node({ normalisers }),
  '{ accept }': read.node({ types: read.contents(read.text('text')) }),
  '{ filterable }': read.node({ paths: read.contents(listField) }),
  '{ searchable }': read.node({ paths: read.members({ list_field: listField }) }, 'searchable', 'open'),
  '{ http_headers }': read.node({ headers: read.contents(httpHeader) }),
  '{ page_response }': read.node({ members: read.contents(pageMember) }),
  '{ identify }': read.node({}, 'identify', 'open'),
  '{ hook }': hookFrom,
  '({ result } | TYPE) [nullable]': returns,
});
