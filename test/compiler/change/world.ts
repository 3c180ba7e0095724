/**
 * A small application for tests of change, in which everything has an identity beside its name: so a test knows, without
 * the compiler, which values of one release are which of the next. Written out, it is an ordinary program.
 */
import type { Scalar } from '../../../compiler/definition/definition.ts';

export interface World {
  readonly enums: WorldEnum[];
  readonly models: WorldModel[];
  /** Whether users sign in with a password. */
  hasAuth: boolean;
  droppedModels: string[];
  /** How many values were made: the next one is different from all of them. */
  made: number;
  /** How many are signed in. */
  tokens: number;
}

export interface WorldEnum {
  name: string;
  was: string | null;
  values: WorldValue[];
  drops: string[];
}

interface WorldValue {
  name: string;
  was: string | null;
}

export interface WorldModel {
  name: string;
  was: string | null;
  readonly idType: 'integer' | 'uuid';
  /** Of the model that signs in: its fields stay as they are, apart from their names. */
  readonly isAccount: boolean;
  readonly fields: WorldField[];
  readonly references: WorldReference[];
  /** Of fields and references. */
  uniques: WorldMember[][];
  indexes: { readonly member: WorldMember; readonly descending: boolean }[][];
  drops: string[];
  readonly rows: WorldRow[];
}

export type WorldMember = WorldField | WorldReference;

export interface WorldField {
  readonly kind: 'field';
  name: string;
  was: string | null;
  type: Scalar | WorldEnum;
  /** Whether it is a list of values of the type. */
  readonly isList: boolean;
  nullable: boolean;
  unique: boolean;
  index: boolean;
  secret: boolean;
  default: WorldDefault | null;
  backfill: string | null;
  /** Whether no two rows have the same value in it. */
  isDistinct: boolean;
}

export interface WorldDefault {
  /** As it is written, unless the value is one of an enum. */
  readonly source: string;
  readonly value: WorldCell;
}

export interface WorldReference {
  readonly kind: 'reference';
  name: string;
  was: string | null;
  readonly to: WorldModel;
  nullable: boolean;
  unique: boolean;
  onDelete: 'cascade' | 'set null' | 'restrict';
  /** The name of another reference of the model. */
  backfill: string | null;
}

/** Values as JSON has them; a value of an enum is the object, so that it keeps its identity when it is renamed. */
interface WorldRow {
  readonly id: number | string;
  readonly values: Map<WorldMember, WorldCell>;
}

export type WorldCell = string | number | boolean | null | WorldValue | readonly WorldCell[];

export function membersOf(model: WorldModel): readonly WorldMember[] {
  return [...model.fields, ...model.references];
}

function typeName(type: Scalar | WorldEnum): string {
  return typeof type === 'string' ? type : type.name;
}

// ── As a program ────────────────────────────────────────────────────────────────────────────────────────────────────

export function sourceOf({ enums, models, droppedModels, hasAuth }: World): string {
  const account = models.find(({ isAccount }) => isAccount);
  const [login, password] = account?.fields ?? [];
  return [
    ...enums.map(enumSource),
    ...models.map(modelSource),
    ...droppedModels.map((name) => `drop model ${name}`),
    ...(hasAuth && account ? [`auth { model ${account.name}, login ${login?.name}, password ${password?.name} }`] : []),
  ].join('\n');
}

function enumSource({ name, was, values, drops }: WorldEnum): string {
  const parts = [...values.map((value) => value.name + wasSource(value.was)), ...drops.map((drop) => `drop ${drop}`)];
  return `enum ${name}${wasSource(was)} { ${parts.join(', ')} }`;
}

function wasSource(was: string | null): string {
  return was === null ? '' : ` was ${was}`;
}

function modelSource(model: WorldModel): string {
  const lines = [
    ...(model.idType === 'uuid' ? ['field id { type uuid }'] : []),
    ...model.fields.map(fieldSource),
    ...model.references.map(referenceSource),
    ...model.uniques.map((members) => `unique { ${members.map(({ name }) => name).join(', ')} }`),
    ...model.indexes.map((parts) => `index { ${parts.map(partSource).join(', ')} }`),
    ...model.drops.map((name) => `drop ${name}`),
  ];
  return `model ${model.name}${wasSource(model.was)} {\n${lines.map((line) => `  ${line}\n`).join('')}}`;
}

function partSource({ member, descending }: WorldModel['indexes'][number][number]): string {
  return member.name + (descending ? ' desc' : '');
}

function fieldSource(field: WorldField): string {
  const parts = [
    `type ${field.isList ? `[${typeName(field.type)}]` : typeName(field.type)}`,
    ...(field.nullable ? ['nullable'] : []),
    ...(field.unique ? ['unique'] : []),
    ...(field.index ? ['index'] : []),
    ...(field.secret ? ['secret'] : []),
    ...(field.default === null ? [] : [`default ${defaultSource(field.default)}`]),
    ...(field.backfill === null ? [] : [`backfill ${field.backfill}`]),
    ...(field.was === null ? [] : [`was ${field.was}`]),
  ];
  return `field ${field.name} { ${parts.join(', ')} }`;
}

function defaultSource({ source, value }: WorldDefault): string {
  if (Array.isArray(value) && source === '')
    return `[${value.map((item) => defaultSource({ source, value: item })).join(', ')}]`;
  return isEnumValue(value) ? JSON.stringify(value.name) : source;
}

export function isEnumValue(cell: WorldCell): cell is WorldValue {
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell);
}

function referenceSource({ name, was, to, nullable, unique, onDelete, backfill }: WorldReference): string {
  const parts = [
    `to ${to.name}`,
    ...(nullable ? ['nullable'] : []),
    ...(unique ? ['unique'] : []),
    `on delete ${onDelete}`,
    ...(backfill === null ? [] : [`backfill ${backfill}`]),
    ...(was === null ? [] : [`was ${was}`]),
  ];
  return `reference ${name} { ${parts.join(', ')} }`;
}
