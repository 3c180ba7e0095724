import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type {
  EnumDeclaration,
  FieldDeclaration,
  KeyDeclaration,
  KeyPart,
  MisplacedFlag,
  ModelDeclaration,
  ModelMember,
  RuleDeclaration,
  SettingDeclaration,
  ShapeDeclaration,
  ValidatorArg,
  ValidatorDeclaration,
} from './ast.ts';
import { expressionFrom, hookFrom, propertiesFrom, queryFrom, selectionFrom } from './expressions.ts';
import type { DocumentedNode, Reader } from './reader.ts';

export function modelFrom(reader: Reader, model: DocumentedNode): ModelDeclaration {
  const members = reader.documented(reader.child(model.node, 'body'));
  return {
    kind: 'model',
    ...reader.named(model),
    was: reader.nameWithin(model.node, 'was'),
    members: members.map((member) => memberFrom(reader, member)),
  };
}

function memberFrom(reader: Reader, member: DocumentedNode): ModelMember {
  const { node } = member;
  switch (node.type) {
    case 'field':
      return fieldFrom(reader, member);
    case 'reference':
      return {
        kind: 'reference',
        ...reader.named(member),
        ...propertiesFrom<'reference'>(reader, bodyOf(reader, node)),
      };
    case 'relation':
      return { kind: 'relation', ...reader.named(member), ...propertiesFrom<'relation'>(reader, bodyOf(reader, node)) };
    case 'computed':
      return { kind: 'computed', ...reader.named(member), value: expressionFrom(reader, reader.child(node, 'value')) };
    case 'query':
      return { kind: 'query', ...reader.named(member), query: queryFrom(reader, reader.child(node, 'body')) };
    case 'hook':
      return { kind: 'hook', ...reader.named(member), hook: hookFrom(reader, reader.child(node, 'body')) };
    case 'unique_over':
    case 'index_over':
      reader.reportMisplacedDoc(member);
      return keyFrom(reader, node);
    case 'drop_member':
      reader.reportMisplacedDoc(member);
      return { kind: 'drop', name: reader.childName(node), span: reader.span(node) };
    default:
      throw new Error(`grammar: \`${node.type}\` is no member of a model`);
  }
}

export function fieldFrom(reader: Reader, field: DocumentedNode): FieldDeclaration {
  return { kind: 'field', ...reader.named(field), ...propertiesFrom<'field'>(reader, bodyOf(reader, field.node)) };
}

function keyFrom(reader: Reader, node: SyntaxNode): KeyDeclaration {
  return {
    kind: node.type === 'unique_over' ? 'unique' : 'index',
    parts: keyPartsFrom(reader, node),
    span: reader.span(node),
  };
}

export function keyPartsFrom(reader: Reader, node: SyntaxNode): readonly KeyPart[] {
  return reader.contents(node).map((part) => {
    const direction = reader.optional(part, 'direction');
    return {
      name: reader.childName(part),
      direction: direction && { order: reader.words(direction) as 'asc' | 'desc', span: reader.span(direction) },
      span: reader.span(part),
    };
  });
}

function bodyOf(reader: Reader, node: SyntaxNode): ReadonlyMap<string, SyntaxNode> {
  return reader.properties(reader.contents(reader.child(node, 'body')));
}

/** The flags that have no meaning in a block that takes only `allowed`. */
export function misplacedFlags(
  reader: Reader,
  properties: ReadonlyMap<string, SyntaxNode>,
  allowed: readonly string[],
): readonly MisplacedFlag[] {
  return [...properties.values()]
    .filter((node) => node.type === 'flag' && !allowed.includes(reader.words(node)))
    .map((node) => ({ text: reader.words(node), span: reader.flag(node) }));
}

export function enumFrom(reader: Reader, written: DocumentedNode): EnumDeclaration {
  const members = reader.documented(reader.child(written.node, 'body'));
  const ofType = (type: string) => members.filter(({ node }) => node.type === type);
  return {
    kind: 'enum',
    ...reader.named(written),
    was: reader.nameWithin(written.node, 'was'),
    values: ofType('enum_value').map((value) => ({
      ...reader.named(value),
      was: reader.nameWithin(value.node, 'was'),
    })),
    drops: ofType('drop_value').map(({ node }) => reader.childName(node)),
  };
}

export function shapeFrom(reader: Reader, shape: DocumentedNode): ShapeDeclaration {
  return {
    kind: 'shape',
    ...reader.named(shape),
    model: reader.childName(shape.node, 'model'),
    selection: selectionFrom(reader, reader.child(shape.node, 'selection')),
  };
}

export function ruleFrom(reader: Reader, rule: DocumentedNode): RuleDeclaration {
  const parameters = reader.contents(reader.child(rule.node, 'parameters'));
  return {
    kind: 'rule',
    ...reader.named(rule),
    parameters: parameters.map((node) => ({
      name: reader.childName(node),
      model: reader.childName(node, 'model'),
      span: reader.span(node),
    })),
    value: expressionFrom(reader, reader.child(rule.node, 'value')),
  };
}

export function settingFrom(reader: Reader, setting: DocumentedNode): SettingDeclaration {
  return {
    kind: 'setting',
    ...reader.named(setting),
    ...propertiesFrom<'setting'>(reader, bodyOf(reader, setting.node)),
  };
}

export function validatorFrom(reader: Reader, validator: DocumentedNode): ValidatorDeclaration {
  const rule = reader.optional(validator.node, 'rule');
  const body = rule ? [] : reader.contents(reader.child(validator.node, 'body'));
  const args = body.filter((child) => child.type === 'validator_arg');
  const properties = reader.properties(body.filter((child) => child.type !== 'validator_arg'));
  const error = properties.get('error');
  return {
    kind: 'validator',
    ...reader.named(validator),
    args: args.map((arg) => validatorArgFrom(reader, arg)),
    rule: rule && expressionFrom(reader, rule),
    ...propertiesFrom<'validator'>(reader, properties),
    ...(error && propertiesFrom<'error'>(reader, reader.properties(reader.contents(error)))),
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
