/** The responses of an endpoint as JSON Schema: selections of records, and expressions by their types. */
import type { Definition } from '../../definition/definition.ts';
import { digitsPattern } from '../../definition/digits.ts';
import type { Endpoint } from '../../definition/endpoint.ts';
import type { Call, Expression, HookResult, Read, Selected, Snapshot, Type } from '../../definition/expression.ts';
import { isScalar, SCALARS } from '../../definition/scalars.ts';
import type { Schema } from './document.ts';
import { calculates } from './refusals.ts';

/** Records of a model, with their selected values. */
export interface Shape {
  readonly model: string;
  readonly select: readonly Selected[];
  /** The name that the author gave it. */
  readonly shape?: string;
}

export interface Selecting {
  readonly definition: Definition;
  readonly enumRef: EnumRef;
  /** The component of records inside of an answer, where their shape has a name or is the usual one of an entrypoint. */
  readonly usualRef: (shape: Shape) => Schema | null;
  /** The component of records that an answer consists of. */
  readonly shapeRef: (shape: Shape) => Schema | null;
}

export function shapeSchema(shape: Shape, selecting: Selecting): Schema {
  return selecting.shapeRef(shape) ?? objectSchema(shape, selecting);
}

export function objectSchema({ model, select }: Shape, selecting: Selecting): Schema {
  const properties = select.map((each) => [each.name, selectedSchema(each, model, selecting)]);
  return objectOf(Object.fromEntries(properties));
}

/** Every property is always there. */
export function objectOf(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function selectedSchema(selected: Selected, model: string, selecting: Selecting): Schema {
  switch (selected.kind) {
    case 'value':
      return calculatedOrNot(readSchema(selected.value.type, selecting.enumRef), selected, selecting);
    case 'records':
      return described(
        wrapped(selecting.usualRef(selected) ?? objectSchema(selected, selecting), selected),
        selected.doc,
      );
    case 'hook':
      return described(modelHookSchema(selected.hook, model, selecting), selected.doc ?? 'Computed by custom code.');
  }
}

function modelHookSchema(name: string, model: string, { definition, enumRef }: Selecting): Schema {
  const { hooks } = definition.models.find((each) => each.name === model) ?? { hooks: [] };
  const returns = hooks.find((each) => each.name === name)?.hook.returns;
  return returns ? resultSchema(returns, enumRef) : {};
}

type SelectedValue = Extract<Selected, { kind: 'value' }>;

/** A calculated value that is out of range is null, so that the other records of a list can be read. */
function calculatedOrNot(schema: Schema, { value, doc }: SelectedValue, { definition }: Selecting): Schema {
  const isNullByItself = value.type.nullable === true || value.type.many === true;
  if (isNullByItself || !calculates(value, definition)) return described(schema, doc);
  return described(orNull(schema), doc);
}

interface Wrapping {
  readonly many?: boolean | undefined;
  readonly nullable?: boolean | undefined;
  readonly nullItems?: true;
}

function wrapped(schema: Schema, { many, nullable, nullItems }: Wrapping): Schema {
  if (many) return listOf(nullItems ? orNull(schema) : schema);
  return nullable ? orNull(schema) : schema;
}

// ── Values of the server ────────────────────────────────────────────────────────────────────────────────────────────

/** The value of an expression in an action of the endpoint. */
export function valueSchema(expression: Expression, endpoint: Endpoint, selecting: Selecting): Schema {
  const { type } = expression;
  const schemaOf = (value: Expression) => valueSchema(value, endpoint, selecting);
  if (expression.kind === 'object') {
    const members = expression.members.map(({ name, doc, value }) => [name, described(schemaOf(value), doc)]);
    return objectOf(Object.fromEntries(members));
  }
  if (expression.kind === 'list') return listOf(oneOf(expression.items.map(schemaOf)));
  if (expression.kind === 'call' && type.kind === 'record')
    return withoutNull(oneOf(recordsOf(expression).map(schemaOf)), type);
  if (expression.kind === 'hook' && expression.hook.returns)
    return resultSchema(expression.hook.returns, selecting.enumRef);
  if (expression.kind === 'snapshot') return snapshotSchema(expression, endpoint, selecting);
  return readSchema(type, selecting.enumRef);
}

/** The possible records of `coalesce` or `if`, the only functions that return a record. */
function recordsOf({ function: name, arguments: args }: Call): readonly Expression[] {
  return name === 'if' ? args.slice(1) : args;
}

function oneOf(schemas: readonly Schema[]): Schema {
  const [first = {}, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values();
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

/** The first of several that is not null may be null only where the last one is. */
function withoutNull(schema: Schema, { nullable }: Type): Schema {
  if (nullable || schema.anyOf === undefined) return schema;
  return oneOf(schema.anyOf.flatMap((each) => each.anyOf ?? [each]).filter(({ type }) => type !== 'null'));
}

function snapshotSchema(snapshot: Snapshot, endpoint: Endpoint, selecting: Selecting): Schema {
  const { type } = snapshot;
  const shape = shapeOfSnapshot(snapshot, endpoint);
  if (shape !== null) return wrapped(shapeSchema(shape, selecting), type);
  const returns = returnsOf(snapshot, endpoint);
  if (returns) return resultSchema(returns, selecting.enumRef);
  return readSchema(type, selecting.enumRef);
}

/** The records that a snapshot is, where it is no single value. */
export function shapeOfSnapshot(snapshot: Snapshot, endpoint: Endpoint): Shape | null {
  const read = readOf(snapshot, endpoint);
  if (read?.kind === 'records') return read;
  if (snapshot.read !== null) return null;
  for (const action of endpoint.actions) {
    if (action.kind !== 'query' || action.record !== snapshot.record) continue;
    if (action.does.kind === 'select' || action.does.kind === 'group')
      return { ...action.does, model: action.query.model };
  }
  return null;
}

/** The declared result of the hook behind a result. */
function returnsOf({ record, read }: Snapshot, { actions }: Endpoint): HookResult | undefined {
  if (read !== null) return undefined;
  const named = actions.find((action) => 'hook' in action && action.record === record);
  return named && 'hook' in named ? named.hook.returns : undefined;
}

function readOf({ record, read }: Snapshot, endpoint: Endpoint): Read | undefined {
  return readsOf(record, endpoint).find(({ name }) => name === read);
}

function readsOf(record: string, { authReads, records, actions }: Endpoint): readonly Read[] {
  if (record === '@auth') return authReads;
  const found = records.find((each) => each.record === record);
  if (found) return found.reads;
  for (const action of actions) {
    if ((action.kind === 'create' || action.kind === 'update') && action.record === record) return action.reads;
    if (action.kind === 'query' && action.record === record && 'reads' in action.does) return action.does.reads;
  }
  return [];
}

// Types of the language as JSON Schema: values as they are answered, and as they may be sent.

/** The component of an enum. */
export type EnumRef = (name: string) => Schema;

/** The integers that JSON passes on exactly. The database stores 64 bits. */
const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** A file as clients see it. Its address is a path of the API. */
const FILE = objectOf({
  name: { type: 'string' },
  type: { type: 'string' },
  size: { type: 'integer' },
  url: { type: 'string' },
});

const NO_NULL: Schema = { type: ['object', 'array', 'string', 'number', 'boolean'] };

/** The schema of a value in a response. */
function readSchema(type: Type, enumRef: EnumRef): Schema {
  const whole = wrapped(oneSchema(type, enumRef), type);
  return type.many && type.nullable ? orNull(whole) : whole;
}

/** The schema of the declared result of custom code. */
function resultSchema({ type, members }: HookResult, enumRef: EnumRef): Schema {
  if (!members) return readSchema(type, enumRef);
  const properties = members.map(({ name, doc, type: own }) => [name, described(readSchema(own, enumRef), doc)]);
  const object = objectOf(Object.fromEntries(properties));
  return type.nullable ? orNull(object) : object;
}

/** One value that a client sends, and that is not null. */
export function writeSchema(type: Type, enumRef: EnumRef): Schema {
  if (type.kind === 'json' && !type.nullable) return NO_NULL;
  if (type.kind === 'file') return { type: 'string', format: 'uuid', 'x-kiln-upload': true };
  const one = oneSchema(type, enumRef);
  if (type.digits) return { ...one, pattern: digitsPattern(type.digits, true) };
  return type.kind === 'integer' ? { ...one, ...SAFE } : one;
}

function oneSchema({ kind, enum: name, digits }: Type, enumRef: EnumRef): Schema {
  if (digits) return { ...SCALARS.decimal.schema, pattern: digitsPattern(digits, false) };
  if (kind === 'enum') return enumRef(name ?? '');
  if (kind === 'file') return FILE;
  if (isScalar(kind)) return SCALARS[kind].schema;
  return kind === 'record' ? { type: 'object' } : {};
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** The schema, or null. The keywords of the value do not apply to null. */
export function orNull(schema: Schema): Schema {
  if (Object.keys(schema).length === 0) return schema;
  const { type } = schema;
  if (typeof type === 'string' && !speaksOfNull(schema)) return { ...schema, type: [type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** Whether the schema has keywords that apply to a value of any type. */
function speaksOfNull({ enum: values, const: value, not, anyOf, allOf }: Schema): boolean {
  return [values, value, not, anyOf, allOf].some((keyword) => keyword !== undefined);
}

/** The schema with a description; one that it has already comes second. */
export function described(schema: Schema, ...texts: readonly (string | null | undefined)[]): Schema {
  const known = [...texts, schema.description].filter((text) => text !== null && text !== undefined && text !== '');
  return known.length === 0 ? schema : { ...schema, description: known.join('\n\n') };
}
