/** What a body has in it, property by property. A reader of the former body must be able to read the new one. */
import { SCALARS } from '../definition/scalars.ts';
import type { Schema } from '../emit/openapi/document.ts';
import { quoted } from './api-names.ts';
import type { Route } from './api-routes.ts';
import type { Both, Finding, Say } from './api-rules.ts';
import { propertySubject } from './api-subjects.ts';
import { isWider, type ValueKind } from './api-types.ts';
import { valueChanges } from './api-values.ts';

/** Where in the body: the names of the properties from the outside in. */
type Path = readonly string[];

/** A schema as far as it is compared. */
interface Form {
  readonly kind: ValueKind;
  readonly nullable: boolean;
  /** The name of an enum. */
  readonly enum?: string;
  /** The name of a shape. */
  readonly shape?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly maxItems?: number;
  /** Of what has no other description: two that differ are different. */
  readonly text?: string;
}

export function schemaChanges(schemas: Both<Schema>, routes: Both<Route>, path: Path = []): readonly Finding[] {
  const forms = { before: formOf(schemas.before), after: formOf(schemas.after) };
  const { before, after } = forms;
  const say = sayAt(path, routes);
  const nullable = nullableChanges(forms, say);
  if (before.kind !== after.kind || before.text !== after.text) return [...nullable, typeChange(forms, path, say)];
  return [
    ...nullable,
    ...(before.enum === undefined || after.enum === undefined
      ? []
      : valueChanges({ before: before.enum, after: after.enum }, routes, 'response', quoted(path.join('.')))),
    ...shapeChanges(forms),
    ...limitChanges(forms, say),
    ...propertyChanges(forms, routes, path),
    ...(before.items && after.items ? schemaChanges({ before: before.items, after: after.items }, routes, path) : []),
  ];
}

function sayAt(path: Path, routes: Both<Route>): Say {
  const what = path.length === 0 ? 'the response' : `the property ${quoted(path.join('.'))} of the response`;
  return (rule, says) => ({ rule, says: `${what} ${says}`, subject: propertySubject(routes, path) });
}

/** Types of generated clients are called after shapes. The bodies are the same. */
function shapeChanges({ before, after }: Both<Form>): readonly Finding[] {
  if (before.shape === after.shape) return [];
  const [former, latter] = [before.shape, after.shape].map((name) => quoted(name ?? 'after its endpoint'));
  const says = `a part of responses is called ${latter} in clients now, not ${former}`;
  return [{ rule: 'schema-renamed', says, subject: { kind: 'application' } }];
}

function nullableChanges({ before, after }: Both<Form>, say: Say): readonly Finding[] {
  if (before.nullable === after.nullable) return [];
  return after.nullable
    ? [say('property-nullable', 'may be null now')]
    : [say('property-not-nullable', 'is never null any more')];
}

function typeChange({ before, after }: Both<Form>, path: Path, say: Say): Finding {
  if (path.length === 0) return say('response-form-changed', `is ${wordsOf(after)} now, not ${wordsOf(before)}`);
  const isSafe = before.text === undefined && isWider(before.kind, after.kind);
  const rule = isSafe ? 'property-type-narrower' : 'property-type-changed';
  if (before.kind === after.kind) return say(rule, 'is of another type now');
  return say(rule, `is of the type ${quoted(nameOf(after))} now, not ${quoted(nameOf(before))}`);
}

function nameOf({ kind, enum: name }: Form): string {
  return name ?? kind;
}

const ARTICLES: Readonly<Record<ValueKind, string>> = { list: 'a list', object: 'an object', any: 'any JSON' };

function wordsOf(form: Form): string {
  return ARTICLES[form.kind] ?? `of the type ${quoted(nameOf(form))}`;
}

function limitChanges({ before, after }: Both<Form>, say: Say): readonly Finding[] {
  const [former, latter] = [before.maxItems, after.maxItems];
  if (former === latter) return [];
  const words = latter === undefined ? 'has as many records as there are now' : `has at most ${latter} records now`;
  const isLower = latter !== undefined && (former === undefined || latter < former);
  return [
    say(isLower ? 'list-limit-lowered' : 'list-limit-raised', former === undefined ? words : `${words}, not ${former}`),
  ];
}

function propertyChanges({ before, after }: Both<Form>, routes: Both<Route>, path: Path): readonly Finding[] {
  const { properties: former = {} } = before;
  const { properties: latter = {} } = after;
  const gone = Object.keys(former).filter((name) => !Object.hasOwn(latter, name));
  return [
    ...gone.map((name) => sayAt([...path, name], routes)('property-removed', 'is removed')),
    ...Object.entries(latter).flatMap(([name, schema]) => {
      const inner = [...path, name];
      const known = Object.hasOwn(former, name) ? former[name] : undefined;
      if (known === undefined) return [sayAt(inner, routes)('property-added', 'is new')];
      return schemaChanges({ before: known, after: schema }, routes, inner);
    }),
  ];
}

// ── Forms ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function formOf(schema: Schema): Form {
  const { $ref, type, properties, items, maxItems, anyOf } = schema;
  if (anyOf !== undefined) return unionForm(anyOf);
  if ($ref !== undefined && type === undefined) return { kind: 'enum', nullable: false, enum: $ref };
  const [kinds, nullable] = typeof type === 'string' ? [[type], false] : withoutNull(type ?? []);
  const [only] = kinds;
  if (only === undefined) return { kind: 'any', nullable: false };
  if (kinds.length > 1) return { kind: 'any', nullable, text: JSON.stringify(kinds) };
  if (only === 'array') return { kind: 'list', nullable, ...(items && { items }), ...(maxItems && { maxItems }) };
  if (only === 'object')
    return { kind: 'object', nullable, ...(properties && { properties }), ...($ref && { shape: $ref }) };
  return { kind: scalarOf(only, schema.format), nullable };
}

function withoutNull(types: readonly string[]): [readonly string[], boolean] {
  return [types.filter((type) => type !== 'null'), types.includes('null')];
}

/** A schema or null, or one of several. */
function unionForm(options: readonly Schema[]): Form {
  const others = options.filter(({ type }) => type !== 'null');
  const nullable = others.length < options.length;
  const [only] = others;
  if (others.length === 1 && only) return { ...formOf(only), nullable };
  return { kind: 'any', nullable, text: JSON.stringify(others, withoutWords) };
}

function withoutWords(key: string, value: unknown): unknown {
  return key === 'description' && typeof value === 'string' ? undefined : value;
}

/** The type of the language that is written so in JSON Schema. */
function scalarOf(type: string, format: string | undefined): ValueKind {
  const found = Object.entries(SCALARS).find(([, { schema }]) => schema.type === type && schema.format === format);
  return found?.[0] ?? type;
}
