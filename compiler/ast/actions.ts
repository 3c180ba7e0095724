import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type {
  Action,
  ActionBlock,
  AuthPath,
  ExecuteAction,
  InputField,
  InputItem,
  Name,
  Path,
  QueryAction,
  RespondAction,
  SetItem,
  WriteAction,
  WriteItem,
} from './ast.ts';
import { authPathFrom, expressionFrom, hookFrom, pathFrom, pathWithin, queryFrom, valueWithin } from './expressions.ts';
import { misplacedFlags, propertiesWithFlags } from './models.ts';
import type { Reader } from './reader.ts';

export function actionBlockFrom(reader: Reader, node: SyntaxNode | undefined): ActionBlock | undefined {
  if (!node) return undefined;
  const actions = reader.contents(reader.child(node, 'body')).map((action) => actionFrom(reader, action));
  return { actions, span: reader.span(node) };
}

function actionFrom(reader: Reader, node: SyntaxNode): Action {
  switch (node.type) {
    case 'create_action':
      return writeFrom(reader, node, 'create');
    case 'update_action':
      return writeFrom(reader, node, 'update');
    case 'delete_action':
      return {
        kind: 'delete',
        target: targetFrom(reader, node),
        head: reader.firstWord(node),
        span: reader.span(node),
      };
    case 'query_action':
      return queryActionFrom(reader, node);
    case 'execute_action':
      return executeFrom(reader, node);
    case 'respond_action':
      return respondFrom(reader, node);
    case 'validate_action':
      return {
        kind: 'validate',
        key: reader.childText(node, 'key'),
        value: expressionFrom(reader, reader.child(node, 'value')),
        head: reader.firstWord(node),
        span: reader.span(node),
      };
    default:
      throw new Error(`grammar: \`${node.type}\` is no action`);
  }
}

function targetFrom(reader: Reader, node: SyntaxNode): Path | AuthPath | undefined {
  const target = reader.optional(node, 'target');
  if (target?.type === 'auth_path') return authPathFrom(reader, target);
  return target && pathFrom(reader, target);
}

function writeFrom(reader: Reader, node: SyntaxNode, kind: 'create' | 'update'): WriteAction {
  const items = reader.contents(reader.child(node, 'body'));
  return {
    kind,
    target: targetFrom(reader, node),
    alias: reader.nameWithin(node, 'alias'),
    items: items.map((item) => writeItemFrom(reader, item)),
    head: reader.firstWord(node),
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
      const [through] = reader.contents(node).filter((child) => child.type === 'through');
      return { kind: 'reference', name: reader.childName(node), through: pathWithin(reader, through), span };
    }
    default:
      throw new Error(`grammar: \`${node.type}\` is no part of a write`);
  }
}

export function setFrom(reader: Reader, node: SyntaxNode): SetItem {
  const value = expressionFrom(reader, reader.child(node, 'value'));
  return { kind: 'set', name: reader.childName(node), value, span: reader.span(node) };
}

export function inputFrom(reader: Reader, node: SyntaxNode): InputItem {
  const fields = reader.contents(node).map((field) => inputFieldFrom(reader, field));
  return { kind: 'input', fields, span: reader.span(node) };
}

function inputFieldFrom(reader: Reader, node: SyntaxNode): InputField {
  const body = reader.optional(node, 'body');
  const properties = body ? propertiesWithFlags(reader, body) : new Map<string, SyntaxNode>();
  const required = properties.get('required');
  return {
    name: reader.childName(node),
    required: required && reader.span(required),
    default: valueWithin(reader, properties.get('default')),
    misplaced: misplacedFlags(reader, properties, ['required']),
    span: reader.span(node),
  };
}

function queryActionFrom(reader: Reader, node: SyntaxNode): QueryAction {
  const update = reader.ofType(node, 'query_update');
  const remove = reader.ofType(node, 'query_delete');
  return {
    kind: 'query',
    alias: aliasFrom(reader, node),
    query: queryFrom(reader, node),
    update: update && {
      sets: reader.contents(update).map((set) => setFrom(reader, set)),
      span: reader.span(update),
    },
    delete: remove && reader.span(remove),
    head: reader.firstWord(node),
    span: reader.span(node),
  };
}

function aliasFrom(reader: Reader, node: SyntaxNode): Name | undefined {
  return reader.nameWithin(node, 'alias');
}

function executeFrom(reader: Reader, node: SyntaxNode): ExecuteAction {
  const properties = reader.properties(reader.contents(node).filter((child) => child.type !== 'alias'));
  const hook = properties.get('hook_block');
  const responds = properties.get('responds');
  return {
    kind: 'execute',
    alias: aliasFrom(reader, node),
    hook: hook && hookFrom(reader, reader.child(hook, 'body')),
    responds: responds && reader.span(responds),
    head: reader.firstWord(node),
    span: reader.span(node),
  };
}

function respondFrom(reader: Reader, node: SyntaxNode): RespondAction {
  const properties = reader.properties(reader.contents(node));
  const headers = properties.get('http_headers');
  return {
    kind: 'respond',
    body: valueWithin(reader, properties.get('respond_body')),
    httpStatus: valueWithin(reader, properties.get('http_status')),
    httpHeaders: headers
      ? reader.contents(headers).map((header) => ({
          name: reader.childText(header, 'name'),
          value: expressionFrom(reader, reader.child(header, 'value')),
          span: reader.span(header),
        }))
      : [],
    head: reader.firstWord(node),
    span: reader.span(node),
  };
}
