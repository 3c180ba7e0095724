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
  OnDelete,
  ReferenceDeclaration,
  RelationDeclaration,
  ValidatorArg,
  ValidatorDeclaration,
} from './ast.ts';
import { expressionFrom, fromFrom, hookFrom, pathWithin, queryFrom, valueWithin } from './expressions.ts';
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
  const properties = propertiesWithFlags(reader, reader.child(node, 'body'));
  const type = properties.get('type');
  const was = properties.get('was');
  return {
    kind: 'field',
    name: reader.childName(node),
    type: type && reader.childName(type),
    ...flagsFrom(reader, properties),
    default: valueWithin(reader, properties.get('default')),
    onUpdate: valueWithin(reader, properties.get('on_update')),
    normalise: normaliseFrom(reader, properties.get('normalise')),
    validate: valueWithin(reader, properties.get('validate')),
    backfill: valueWithin(reader, properties.get('backfill')),
    was: was && reader.childName(was),
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
  const properties = propertiesWithFlags(reader, reader.child(node, 'body'));
  const to = properties.get('to');
  const was = properties.get('was');
  const onDelete = properties.get('on_delete');
  return {
    kind: 'reference',
    name: reader.childName(node),
    to: to && reader.childName(to, 'model'),
    ...flagsFrom(reader, properties),
    onDelete: onDelete && {
      rule: deleteRuleFrom(reader, reader.child(onDelete, 'rule')),
      span: reader.span(onDelete),
    },
    backfill: valueWithin(reader, properties.get('backfill')),
    was: was && reader.childName(was),
    doc,
    span: reader.span(node),
  };
}

/** A comment may stand between `set` and `null`. */
function deleteRuleFrom(reader: Reader, node: SyntaxNode): OnDelete {
  reader.contents(node);
  const words = reader.words(node);
  return words.startsWith('set') ? 'set null' : (words as OnDelete);
}

function relationFrom(reader: Reader, { node, doc }: DocumentedNode): RelationDeclaration {
  const properties = reader.properties(reader.contents(reader.child(node, 'body')));
  return {
    kind: 'relation',
    name: reader.childName(node),
    from: fromFrom(reader, properties.get('from')),
    through: pathWithin(reader, properties.get('through')),
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

/** A flag is a property of its own name: `unique` twice is said twice, `unique` and `index` are not. */
export function propertiesWithFlags(reader: Reader, body: SyntaxNode): ReadonlyMap<string, SyntaxNode> {
  return reader.properties(reader.contents(body), (node) => (node.type === 'flag' ? reader.words(node) : node.type));
}

function flagsFrom(reader: Reader, properties: ReadonlyMap<string, SyntaxNode>) {
  const flag = (name: string) => {
    const node = properties.get(name);
    return node && reader.span(node);
  };
  return {
    unique: flag('unique'),
    nullable: flag('nullable'),
    index: flag('index'),
    internal: flag('internal'),
    secret: flag('secret'),
    required: flag('required'),
  };
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
  const told = error && reader.properties(reader.contents(error));
  const code = told?.get('code');
  const message = told?.get('message');
  return {
    kind: 'validator',
    name: reader.childName(node),
    args: args.map((arg) => validatorArgFrom(reader, arg)),
    assert: valueWithin(reader, properties.get('assert')),
    code: code && reader.childText(code),
    message: message && reader.childText(message),
    doc,
    span: reader.span(node),
  };
}

function validatorArgFrom(reader: Reader, node: SyntaxNode): ValidatorArg {
  const properties = propertiesWithFlags(reader, reader.child(node, 'body'));
  const type = properties.get('type');
  const nullable = properties.get('nullable');
  return {
    name: reader.childName(node),
    type: type && reader.childName(type),
    nullable: nullable && reader.span(nullable),
    misplaced: misplacedFlags(reader, properties, ['nullable']),
    span: reader.span(node),
  };
}
