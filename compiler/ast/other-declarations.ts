import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { inputFrom, setFrom } from './actions.ts';
import type {
  AuthDeclaration,
  GeneratorDeclaration,
  Populate,
  PopulatorDeclaration,
  Register,
  Repeat,
  RuntimeDeclaration,
} from './ast.ts';
import type { DocumentedNode, Reader } from './reader.ts';

export function authFrom(reader: Reader, declaration: DocumentedNode): AuthDeclaration {
  reader.reportMisplacedDoc(declaration);
  const { node } = declaration;
  const properties = reader.properties(reader.contents(node));
  const name = (type: string) => {
    const property = properties.get(type);
    return property && reader.childName(property);
  };
  return {
    kind: 'auth',
    model: name('auth_model'),
    login: name('auth_login'),
    password: name('auth_password'),
    subject: name('auth_subject'),
    register: registerFrom(reader, properties.get('auth_register')),
    span: reader.span(node),
  };
}

function registerFrom(reader: Reader, node: SyntaxNode | undefined): Register | undefined {
  if (!node) return undefined;
  const contents = reader.contents(node);
  return {
    off: contents.some(({ type }) => type === 'register_off'),
    inputs: contents.filter(({ type }) => type === 'input').map((input) => inputFrom(reader, input)),
    span: reader.span(node),
  };
}

export function runtimeFrom(reader: Reader, declaration: DocumentedNode): RuntimeDeclaration {
  reader.reportMisplacedDoc(declaration);
  const { node } = declaration;
  const properties = reader.properties(reader.contents(node).filter((child) => child.field !== 'name'));
  const isDefault = properties.get('runtime_default');
  const path = properties.get('source_path');
  return {
    kind: 'runtime',
    name: reader.childName(node),
    default: isDefault && reader.span(isDefault),
    sourcePath: path && reader.childText(path),
    span: reader.span(node),
  };
}

export function generatorFrom(reader: Reader, declaration: DocumentedNode): GeneratorDeclaration {
  reader.reportMisplacedDoc(declaration);
  const { node } = declaration;
  const properties = reader.properties(reader.contents(reader.child(node, 'body')));
  const kind = reader.child(node, 'kind');
  const target = properties.get('target_language');
  const output = properties.get('output');
  const basePath = properties.get('base_path');
  return {
    kind: 'generator',
    generator: reader.words(kind) as 'client' | 'apidocs',
    kindSpan: reader.span(kind),
    target: target && reader.childName(target, 'value'),
    output: output && reader.childText(output),
    basePath: basePath && reader.childText(basePath),
    span: reader.span(node),
  };
}

export function populatorFrom(reader: Reader, { node, doc }: DocumentedNode): PopulatorDeclaration {
  const populates = reader.contents(node).filter((child) => child.type === 'populate');
  return {
    kind: 'populator',
    name: reader.childName(node),
    populates: populates.map((populate) => populateFrom(reader, populate)),
    doc,
    span: reader.span(node),
  };
}

function populateFrom(reader: Reader, node: SyntaxNode): Populate {
  const body = reader.contents(reader.child(node, 'body'));
  const ofType = (type: string) => body.filter((child) => child.type === type);
  const repeat = reader.properties(ofType('repeat')).get('repeat');
  return {
    resource: reader.childName(node, 'resource'),
    alias: reader.nameWithin(node, 'alias'),
    repeat: repeat && repeatFrom(reader, repeat),
    sets: ofType('set').map((set) => setFrom(reader, set)),
    populates: ofType('populate').map((populate) => populateFrom(reader, populate)),
    span: reader.span(node),
  };
}

function repeatFrom(reader: Reader, node: SyntaxNode): Repeat {
  const count = reader.optional(node, 'count');
  const range = reader.ofType(node, 'repeat_range');
  const bounds = range && reader.properties(reader.contents(range));
  const bound = (type: string) => {
    const property = bounds?.get(type);
    return property && reader.wholeNumber(reader.child(property, 'value'));
  };
  return {
    alias: reader.nameWithin(node, 'alias'),
    count: count && reader.wholeNumber(count),
    start: bound('range_start'),
    end: bound('range_end'),
    span: reader.span(node),
  };
}
