import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type {
  EnumDeclaration,
  EnumValueDeclaration,
  FieldDeclaration,
  KeyDeclaration,
  ModelDeclaration,
  ModelMember,
  Name,
  Normalise,
  Normaliser,
  ReferenceDeclaration,
  RelationDeclaration,
  ValidatorArg,
  ValidatorDeclaration,
} from './ast.ts';
import { expressionFrom, fromFrom, hookFrom, propertiesFrom, queryFrom } from './expressions.ts';
import type { DocumentedNode, Reader } from './reader.ts';

export function modelFrom(reader: Reader, { node, doc }: DocumentedNode): ModelDeclaration {
  const members = reader.documented(reader.child(node, 'body'));
  return {
    kind: 'model',
    name: reader.childName(node),
    was: reader.nameWithin(node, 'was'),
    members: members.map((member) => memberFrom(reader, member)),
    doc,
    span: reader.span(node),
  };
}

function memberFrom(reader: Reader, member: DocumentedNode): ModelMember {
  const { node, doc } = member;
  const span = reader.span(node);
  switch (node.type) {
    case 'field':
      return fieldFrom(reader, member);
    case 'reference':
      return referenceFrom(reader, member);
    case 'relation':
      return relationFrom(reader, member);
    case 'computed': {
      const value = expressionFrom(reader, reader.child(node, 'value'));
      return { kind: 'computed', name: reader.childName(node), value, doc, span };
    }
    case 'query':
      return {
        kind: 'query',
        name: reader.childName(node),
        query: queryFrom(reader, reader.child(node, 'body')),
        doc,
        span,
      };
    case 'hook':
      return {
        kind: 'hook',
        name: reader.childName(node),
        hook: hookFrom(reader, reader.child(node, 'body')),
        doc,
        span,
      };
    case 'unique_over':
    case 'index_over':
      reader.reportMisplacedDoc(member);
      return keyFrom(reader, node);
    case 'drop_member':
      reader.reportMisplacedDoc(member);
      return { kind: 'drop', name: reader.childName(node), span };
    default:
      throw new Error(`grammar: \`${node.type}\` is no member of a model`);
  }
}

export function fieldFrom(reader: Reader, { node, doc }: DocumentedNode): FieldDeclaration {
  const properties = bodyOf(reader, node);
  return {
    kind: 'field',
    name: reader.childName(node),
    ...propertiesFrom<'field'>(reader, properties),
    normalise: normaliseFrom(reader, properties.get('normalise')),
    doc,
    span: reader.span(node),
  };
}

function normaliseFrom(reader: Reader, node: SyntaxNode | undefined): Normalise | undefined {
  if (!node) return undefined;
  const found = reader.properties(reader.contents(node), (normaliser) => reader.words(normaliser));
  return { normalisers: [...found.keys()] as Normaliser[], span: reader.span(node) };
}

function referenceFrom(reader: Reader, { node, doc }: DocumentedNode): ReferenceDeclaration {
  return {
    kind: 'reference',
    name: reader.childName(node),
    ...propertiesFrom<'reference'>(reader, bodyOf(reader, node)),
    doc,
    span: reader.span(node),
  };
}

function relationFrom(reader: Reader, { node, doc }: DocumentedNode): RelationDeclaration {
  const properties = bodyOf(reader, node);
  return {
    kind: 'relation',
    name: reader.childName(node),
    ...propertiesFrom<'relation'>(reader, properties),
    from: fromFrom(reader, properties.get('from')),
    doc,
    span: reader.span(node),
  };
}

function keyFrom(reader: Reader, node: SyntaxNode): KeyDeclaration {
  const parts = reader.contents(node).map((part) => {
    const direction = reader.optional(part, 'direction');
    return {
      name: reader.childName(part),
      direction: direction && {
        order: reader.words(direction) as 'asc' | 'desc',
        span: reader.span(direction),
      },
      span: reader.span(part),
    };
  });
  return { kind: node.type === 'unique_over' ? 'unique' : 'index', parts, span: reader.span(node) };
}

function bodyOf(reader: Reader, node: SyntaxNode): ReadonlyMap<string, SyntaxNode> {
  return reader.properties(reader.contents(reader.child(node, 'body')));
}

/** The flags that have no meaning in a block that takes only `allowed`. */
export function misplacedFlags(
  reader: Reader,
  properties: ReadonlyMap<string, SyntaxNode>,
  allowed: readonly string[],
): readonly Name[] {
  return [...properties.values()]
    .filter((node) => node.type === 'flag' && !allowed.includes(reader.words(node)))
    .map((node) => reader.name(node));
}

export function enumFrom(reader: Reader, { node, doc }: DocumentedNode): EnumDeclaration {
  const members = reader.documented(reader.child(node, 'body'));
  return {
    kind: 'enum',
    name: reader.childName(node),
    was: reader.nameWithin(node, 'was'),
    values: members
      .filter((member) => member.node.type === 'enum_value')
      .map((member) => enumValueFrom(reader, member)),
    drops: members.filter((member) => member.node.type === 'drop_value').map((member) => reader.childName(member.node)),
    doc,
    span: reader.span(node),
  };
}

function enumValueFrom(reader: Reader, { node, doc }: DocumentedNode): EnumValueDeclaration {
  return { name: reader.childName(node), was: reader.nameWithin(node, 'was'), doc, span: reader.span(node) };
}

export function validatorFrom(reader: Reader, { node, doc }: DocumentedNode): ValidatorDeclaration {
  const body = reader.contents(reader.child(node, 'body'));
  const args = body.filter((child) => child.type === 'validator_arg');
  const properties = reader.properties(body.filter((child) => child.type !== 'validator_arg'));
  const error = properties.get('error');
  return {
    kind: 'validator',
    name: reader.childName(node),
    args: args.map((arg) => validatorArgFrom(reader, arg)),
    ...propertiesFrom<'validator'>(reader, properties),
    ...(error && propertiesFrom<'error'>(reader, reader.properties(reader.contents(error)))),
    doc,
    span: reader.span(node),
  };
}

function validatorArgFrom(reader: Reader, node: SyntaxNode): ValidatorArg {
  const properties = bodyOf(reader, node);
  return {
    name: reader.childName(node),
    ...propertiesFrom<'validator_arg'>(reader, properties),
    misplaced: misplacedFlags(reader, properties, ['nullable']),
    span: reader.span(node),
  };
}
