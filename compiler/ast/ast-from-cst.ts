/**
 * Syntax tree in, abstract syntax out. The tree has no errors; mistakes that the grammar accepts are reported here: a
 * property said twice, an escape that does not exist, a doc comment above nothing.
 */
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { SourceFile } from '../source/source-file.ts';
import type { SyntaxNode, SyntaxTree } from '../syntax/syntax-node.ts';
import { apiFrom, inputFrom, setFrom } from './api.ts';
import type {
  Ast,
  AuthDeclaration,
  Declaration,
  GeneratorDeclaration,
  Populate,
  PopulatorDeclaration,
  Register,
  Repeat,
  RuntimeDeclaration,
} from './ast.ts';
import { propertiesFrom } from './expressions.ts';
import { enumFrom, modelFrom, ruleFrom, settingFrom, shapeFrom, validatorFrom } from './models.ts';
import { type DocumentedNode, Reader } from './reader.ts';
import { dropJobFrom, jobFrom, mailFrom, reactionFrom, scheduleFrom, webhookFrom } from './work.ts';

export function astFromCst(source: SourceFile, tree: SyntaxTree, diagnostics: Diagnostics): Ast {
  const reader = new Reader(source, diagnostics);
  return { declarations: reader.documented(tree.root).map((declaration) => declarationFrom(reader, declaration)) };
}

function declarationFrom(reader: Reader, declaration: DocumentedNode): Declaration {
  const build = BUILDERS[declaration.node.type];
  if (!build) throw new Error(`grammar: \`${declaration.node.type}\` is no declaration`);
  return build(reader, declaration);
}

const BUILDERS: Readonly<Record<string, (reader: Reader, declaration: DocumentedNode) => Declaration>> = {
  model: modelFrom,
  enum: enumFrom,
  validator: validatorFrom,
  shape: shapeFrom,
  rule: ruleFrom,
  setting: settingFrom,
  job: jobFrom,
  reaction: undocumented(reactionFrom),
  schedule: scheduleFrom,
  mail: mailFrom,
  webhook: webhookFrom,
  drop_job: undocumented(dropJobFrom),
  api: apiFrom,
  auth: undocumented(authFrom),
  runtime: undocumented(runtimeFrom),
  populator: populatorFrom,
  generator: undocumented(generatorFrom),
  drop_model: undocumented((reader, node) => {
    return { kind: 'drop-model', name: reader.childName(node), span: reader.span(node) };
  }),
};

/** Wraps the reader of a declaration that cannot have a description: a doc comment above it is reported. */
function undocumented(build: (reader: Reader, node: SyntaxNode) => Declaration) {
  return (reader: Reader, declaration: DocumentedNode) => {
    reader.reportMisplacedDoc(declaration);
    return build(reader, declaration.node);
  };
}

// ── Other declarations ───────────────────────────────────────────────────────────────────────────────────────────────

function authFrom(reader: Reader, node: SyntaxNode): AuthDeclaration {
  const properties = reader.properties(reader.contents(node));
  return {
    kind: 'auth',
    ...propertiesFrom<'auth'>(reader, properties),
    register: reader.readIf(properties.get('auth_register'), registerFrom),
    span: reader.span(node),
  };
}

function registerFrom(reader: Reader, node: SyntaxNode): Register {
  const contents = reader.contents(node);
  return {
    off: contents.some(({ type }) => type === 'off'),
    inputs: contents.filter(({ type }) => type === 'input').map((input) => inputFrom(reader, input)),
    span: reader.span(node),
  };
}

function runtimeFrom(reader: Reader, node: SyntaxNode): RuntimeDeclaration {
  const properties = reader.properties(reader.contents(node).filter((child) => child.field !== 'name'));
  return {
    kind: 'runtime',
    name: reader.childName(node),
    ...propertiesFrom<'runtime'>(reader, properties),
    span: reader.span(node),
  };
}

function generatorFrom(reader: Reader, node: SyntaxNode): GeneratorDeclaration {
  const properties = reader.properties(reader.contents(reader.child(node, 'body')));
  const kind = reader.child(node, 'kind');
  return {
    kind: 'generator',
    generator: reader.words(kind) as 'client' | 'apidocs',
    kindSpan: reader.span(kind),
    ...propertiesFrom<'generator'>(reader, properties),
    span: reader.span(node),
  };
}

function populatorFrom(reader: Reader, populator: DocumentedNode): PopulatorDeclaration {
  const populates = reader.contents(populator.node).filter((child) => child.type === 'populate');
  return {
    kind: 'populator',
    ...reader.named(populator),
    populates: populates.map((populate) => populateFrom(reader, populate)),
  };
}

function populateFrom(reader: Reader, node: SyntaxNode): Populate {
  const body = reader.contents(reader.child(node, 'body'));
  const ofType = (type: string) => body.filter((child) => child.type === type);
  return {
    resource: reader.childName(node, 'resource'),
    alias: reader.nameWithin(node, 'alias'),
    repeat: reader.readIf(reader.properties(ofType('repeat')).get('repeat'), repeatFrom),
    sets: ofType('set').map((set) => setFrom(reader, set)),
    populates: ofType('populate').map((populate) => populateFrom(reader, populate)),
    span: reader.span(node),
  };
}

function repeatFrom(reader: Reader, node: SyntaxNode): Repeat {
  const count = reader.optional(node, 'count');
  const range = reader.ofType(node, 'repeat_range');
  return {
    alias: reader.nameWithin(node, 'alias'),
    count: count && reader.wholeNumber(count),
    ...(range && propertiesFrom<'repeat_range'>(reader, reader.properties(reader.contents(range)))),
    span: reader.span(node),
  };
}
