/**
 * The members of models: types, references and relations become links. After this, every member has an entry; one
 * that is not sound stands in with a type that fits everywhere, so that nothing is reported because of it.
 */
import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../definition/names.ts';
import { isScalar, SCALAR_NAMES, type Scalar, scalarMeantBy } from '../definition/scalars.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import type { Enum, Field, Key, Member, Model, Normaliser, Reference, Type } from '../program/program.ts';
import { ANY, INTEGER, isAny, many, nullable, scalar, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import type { Building, Witness } from './context.ts';
import { checkFileField } from './files.ts';

export interface Names {
  readonly report: Diagnostics['report'];
  readonly witness: Witness | undefined;
  readonly models: ReadonlyMap<string, Model>;
  readonly enums: ReadonlyMap<string, Enum>;
}

export type BuildingModel = Building<Model> & { members: Map<string, Member>; fields: Field[]; keys: Key[] };

export function declareModel(declaration: ast.ModelDeclaration): BuildingModel {
  const drops = declaration.members.filter((member) => member.kind === 'drop');
  return {
    name: declaration.name.text,
    was: declaration.was?.text ?? null,
    doc: declaration.doc,
    span: declaration.name.span,
    members: new Map(),
    fields: [],
    keys: [],
    drops: drops.map((drop) => drop.name.text),
  };
}

/** Declares all named members, in order; relations follow once every model has its references. */
export function declareMembers(names: Names, model: BuildingModel, declaration: ast.ModelDeclaration): void {
  declareId(names, model, declaration);
  for (const member of declaration.members) declareMember(names, model, member);
}

function declareMember(names: Names, model: BuildingModel, member: ast.ModelMember): void {
  switch (member.kind) {
    case 'field':
      if (member.name.text !== 'id') declareField(names, model, member);
      break;
    case 'reference':
      declareReference(names, model, member);
      break;
    case 'relation':
      add(names, model, member.name, standIn(model, member));
      break;
    case 'computed':
    case 'query':
    case 'hook': {
      const { kind, name, doc } = member;
      const unsettled: Pick<Member, MemberName> = { name: name.text, model, doc, span: name.span, kind };
      add(names, model, name, unsettled as Member);
    }
  }
}

/** The properties that a member has at once; the rest is added when it is first needed. */
type MemberName = 'name' | 'model' | 'doc' | 'span' | 'kind';

type NamedMember = Pick<ast.FieldDeclaration, 'name' | 'doc'>;

/**
 * A field of which nothing is said yet. There are very many of them, so their properties are written out: an object that
 * is put together from others takes several times as long, and leaves garbage.
 */
function plainField(model: Model, { name, doc }: NamedMember, type: Type): Building<Field> {
  return {
    name: name.text,
    model,
    doc,
    span: name.span,
    kind: 'field',
    origin: 'written',
    type,
    unique: false,
    index: false,
    internal: false,
    secret: false,
    normalise: [],
    was: null,
  };
}

/** Takes the place of a member that is not sound, or not known yet. */
function standIn(model: Model, member: NamedMember): Field {
  return plainField(model, member, ANY);
}

function add(names: Names, model: BuildingModel, name: ast.Name, member: Member, keyOf?: string): void {
  const earlier = model.members.get(name.text);
  if (!earlier) {
    model.members.set(name.text, member);
    return;
  }
  const origin = earlier.kind === 'field' ? earlier.origin : 'written';
  const reference = earlier.kind === 'field' ? earlier.reference?.name : undefined;
  names.report('duplicate-member', name.span, {
    name: name.text,
    model: model.name,
    origin,
    reference,
    keyOf,
    first: earlier.span,
  });
}

/** Every model has an `id`. All that may be said of it is that it is a UUID. */
function declareId(names: Names, model: BuildingModel, declaration: ast.ModelDeclaration): void {
  const written = declaration.members
    .filter((member) => member.kind === 'field')
    .filter(({ name }) => name.text === 'id');
  const [first, second] = written;
  const span = first?.name.span ?? declaration.name.span;
  const type = first?.type?.text === 'uuid' && !first.type.list ? scalar('uuid') : INTEGER;
  const id = plainField(model, { name: { text: 'id', span }, doc: first?.doc ?? null }, type);
  id.origin = 'id';
  id.unique = true;
  model.members.set('id', id);
  model.fields.push(id);
  if (first) checkId(names, first);
  if (second) {
    const facts = { name: 'id', model: model.name, origin: 'written', first: span } as const;
    names.report('duplicate-member', second.name.span, facts);
  }
}

type Property = keyof ast.Properties<'field'>;

/** The properties that are written, by their keywords, and where they stand. */
export function propertiesOf(field: ast.FieldDeclaration): readonly (readonly [string, ast.Flag | Span])[] {
  const { kind, name, doc, span, ...properties } = field;
  return (Object.entries(properties) as [Property, ast.Properties<'field'>[Property]][]).flatMap(
    ([property, value]) => {
      const words = property === 'onUpdate' ? 'on update' : property;
      return value ? [[words, 'span' in value ? value.span : value] as const] : [];
    },
  );
}

function checkId({ report }: Names, id: ast.FieldDeclaration): void {
  for (const [property, span] of propertiesOf(id)) if (property !== 'type') report('id-property', span, { property });
  const type = id.type?.list ? `[${id.type.text}]` : id.type?.text;
  if (type !== 'uuid' && type !== 'integer') report('id-type', id.type?.span ?? id.name.span, { type });
}

function declareField(names: Names, model: BuildingModel, written: ast.FieldDeclaration): void {
  const type = fieldType(names, written, `${model.name}.${written.name.text}`);
  const field = plainField(model, written, written.nullable ? nullable(type) : type);
  field.typeSpan = written.type?.span;
  field.unique = written.unique !== undefined;
  field.index = written.index !== undefined;
  field.internal = written.internal !== undefined;
  field.secret = written.secret !== undefined;
  field.normalise = checkNormalise(names, written, type);
  field.was = written.was?.text ?? null;
  const file = checkFileField(names, `${model.name}.${field.name}`, written, propertiesOf(written), type);
  if (file) field.file = file;
  if (written.required)
    names.report('required-field', written.required, { field: written.name.text, ...written.required });
  if (type.many) reportListKeys(names, written, `${model.name}.${written.name.text}`);
  else if (written.unique && written.index)
    names.report('index-of-unique', written.index, { field: written.name.text, ...written.index });
  add(names, model, written.name, field);
  if (model.members.get(field.name) === field) model.fields.push(field);
}

function reportListKeys({ report }: Names, { unique, index }: ast.FieldDeclaration, field: string): void {
  if (unique) report('list-in-key', unique, { field, kind: 'unique' });
  if (index) report('list-in-key', index, { field, kind: 'index' });
}

/** Checks `normalise`: only texts can be normalised. */
export function checkNormalise(
  { report }: Pick<Names, 'report'>,
  { name, normalise }: ast.FieldDeclaration,
  type: Type,
): readonly Normaliser[] {
  if (!normalise) return [];
  const isText = type.base.kind === 'string' || type.base.kind === 'any';
  if (!isText) report('normalise-not-text', normalise.span, { field: name.text, type: typeName(type) });
  else if (normalise.normalisers.length === 0) report('empty-normalise', normalise.span, {});
  return isText ? normalise.normalisers : [];
}

type TypeHolder = 'field' | 'extra input' | 'job input' | 'argument' | 'result' | 'setting';

type Typed = Pick<ast.FieldDeclaration, 'name' | 'type'>;

/** The type that a `type` names, for fields, extra inputs and the arguments of validators. */
export function fieldType(names: Names, written: Typed, owner: string, holder: TypeHolder = 'field'): Type {
  if (!written.type) return names.report('missing-type', written.name.span, { field: owner }) ?? ANY;
  const type = itemType(names, written.name.text, written.type, owner, holder);
  const { span, list } = written.type;
  if (type.base.kind === 'file' && (list || holder !== 'field'))
    return names.report('file-not-here', span, { owner, isList: list !== undefined }) ?? ANY;
  return written.type.list && !isAny(type) ? many(type) : type;
}

/** Postgres has at most 1,000 digits where their number is given. */
function sizedType(names: Names, name: Scalar, { digits, places, span }: NonNullable<ast.TypeName['size']>): Type {
  const [all, behind] = [digits.value, places.value];
  const isSound = name === 'decimal' && all >= 1 && all <= 1000 && behind <= all;
  if (!isSound) return names.report('bad-digits', span, { type: name, digits: all, places: behind }) ?? scalar(name);
  return { ...scalar(name), base: { kind: name, digits: { all, places: behind } } };
}

/** The type that a name stands for, without the brackets of a list. */
function itemType(names: Names, holderName: string, written: ast.TypeName, owner: string, holder: TypeHolder): Type {
  const { text: name, span } = written;
  if (isScalar(name)) {
    names.witness?.meant(span, { kind: 'scalar', scalar: name });
    return written.size ? sizedType(names, name, written.size) : scalar(name);
  }
  const found = names.enums.get(name);
  if (found) names.witness?.meant(span, { kind: 'enum', enum: found });
  if (found) return { base: { kind: 'enum', enum: found }, nullable: false, many: false };
  const model = names.models.get(name);
  if (model)
    names.report('model-as-type', span, {
      owner,
      name: holderName,
      holder,
      isList: written.list !== undefined,
      model: name,
      declared: model.span,
    });
  else {
    const candidates = [...SCALAR_NAMES.map((scalarName) => ({ name: scalarName })), ...names.enums.values()];
    const meant = scalarMeantBy(name);
    const near = meant ? { name: meant } : nearName(name, candidates);
    names.report('unknown-type', span, { owner, name, near, isSetting: holder === 'setting' });
  }
  return ANY;
}

function declareReference(names: Names, model: BuildingModel, written: ast.ReferenceDeclaration): void {
  checkReferenceProperties(names, written);
  const to = targetModel(names, `${model.name}.${written.name.text}`, written);
  if (!to) {
    declareBrokenReference(names, model, written);
    return;
  }
  const key = plainField(model, written, INTEGER);
  key.name = `${written.name.text}_id`;
  key.origin = 'reference';
  key.unique = written.unique !== undefined;
  key.internal = written.internal !== undefined;
  key.was = written.was ? `${written.was.text}_id` : null;
  const reference: Reference = {
    name: written.name.text,
    model,
    doc: written.doc,
    span: written.name.span,
    kind: 'reference',
    to,
    unique: key.unique,
    nullable: written.nullable !== undefined,
    onDelete: written.onDelete?.value ?? 'restrict',
    was: written.was?.text ?? null,
    field: key,
  };
  key.reference = reference;
  add(names, model, written.name, reference);
  add(names, model, { text: key.name, span: written.name.span }, key, reference.name);
  if (model.members.get(key.name) === key) model.fields.push(key);
}

function declareBrokenReference(names: Names, model: BuildingModel, written: ast.ReferenceDeclaration): void {
  add(names, model, written.name, standIn(model, written));
  const key = { text: `${written.name.text}_id`, span: written.name.span };
  add(names, model, key, standIn(model, { name: key, doc: null }), written.name.text);
}

/** The model that a reference names. `user` is what the reference is called in messages. */
export function targetModel(
  names: Names,
  user: string,
  written: Pick<ast.ReferenceDeclaration, 'name' | 'to'>,
): Model | undefined {
  if (!written.to) {
    const near = [...names.models.values()].find(({ name }) => snakeCase(name) === snakeCase(written.name.text));
    return names.report('reference-without-target', written.name.span, { reference: user, near });
  }
  return modelNamed(names, written.to, user);
}

/** Finds the model of that name; reports it if there is none. `user` is who names it. */
export function modelNamed({ report, models, witness }: Omit<Names, 'enums'>, name: ast.Name, user: string) {
  const model = models.get(name.text);
  if (model) witness?.meant(name.span, { kind: 'model', model });
  else report('unknown-model', name.span, { user, name: name.text, near: nearName(name.text, models.values()) });
  return model;
}

function checkReferenceProperties({ report }: Names, written: ast.ReferenceDeclaration): void {
  const { name, onDelete, nullable: isNullable } = written;
  if (onDelete?.value === 'set null' && !isNullable)
    report('set-null-needs-nullable', onDelete.span, { reference: name.text, span: onDelete.span });
  if (written.index) report('reference-index', written.index, { reference: name.text, ...written.index });
  if (written.secret) report('reference-secret', written.secret, { reference: name.text });
  if (written.required) report('required-field', written.required, { field: name.text, ...written.required });
}

/** The key of a reference has the type of the id that it points at; known once all models have their ids. */
export function settleReferenceTypes(_: Names, model: BuildingModel): void {
  for (const field of model.fields) {
    if (!field.reference) continue;
    const { to, nullable: isNullable } = field.reference;
    const id = to.members.get('id') as Field;
    (field as Building<Field>).type = isNullable ? nullable(id.type) : id.type;
  }
}
