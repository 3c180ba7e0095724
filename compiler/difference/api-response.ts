/** The responses: statuses, headers, bodies, and whether callers need a token. */
import { digitsOfPattern } from '../definition/digits.ts';
import type { Digits } from '../definition/expression.ts';
import { SCALARS } from '../definition/scalars.ts';
import type { Content, Header, Reference, Response, Responses, Schema } from '../emit/openapi/document.ts';
import type { Contract, Route } from './api-routes.ts';
import { type Both, type Finding, isWider, quoted, type Say, saysAbout, type ValueKind } from './api-rules.ts';
import { endpointSubject, propertySubject, valueChanges } from './api-subjects.ts';

export function responseChanges(routes: Both<Route>, contracts: Both<Contract>): readonly Finding[] {
  const say = saysAbout(endpointSubject(routes.after));
  const [former, latter] = [ownOf(contracts.before), ownOf(contracts.after)];
  return [
    ...tokenChanges(contracts, say),
    ...signatureChanges(contracts, say),
    ...statusChanges({ before: [...former.keys()], after: [...latter.keys()] }, say),
    ...errorChanges(contracts, say),
    ...pairedBodies(former, latter).flatMap((both) => bodyChanges(both, routes, say)),
  ];
}

// ── Who may call ────────────────────────────────────────────────────────────────────────────────────────────────────

function tokenOf({ security }: Contract): 'required' | 'read' | 'not read' {
  if (security === undefined || signatureOf({ security })) return 'not read';
  return security.some((requirement) => Object.keys(requirement).length === 0) ? 'read' : 'required';
}

function tokenChanges({ before, after }: Both<Contract>, say: Say): readonly Finding[] {
  const [former, latter] = [tokenOf(before), tokenOf(after)];
  if (former === latter) return [];
  if (latter === 'required') return [say('token-required', 'needs a token now')];
  if (former === 'required') return [say('token-not-required', 'can be called without a token now')];
  const says = latter === 'read' ? 'takes a token into account now' : 'does not take a token into account any more';
  return [say('token-read', says)];
}

/** The name of the signature that a service has to send; undefined if there is none. */
function signatureOf({ security = [] }: Pick<Contract, 'security'>): string | undefined {
  return security.flatMap(Object.keys).find((name) => name !== 'bearer');
}

function signatureChanges({ before, after }: Both<Contract>, say: Say): readonly Finding[] {
  const [former, latter] = [signatureOf(before), signatureOf(after)];
  if (former === latter) return [];
  if (!latter) return [say('signature-not-required', 'can be called without a signature now')];
  const by = latter.replace('signedBy', '').toLowerCase();
  return [say('signature-required', `must be signed by \`${by}\` now`)];
}

// ── Statuses ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The endpoint's own responses by status. Errors are references, which all endpoints share. */
function ownOf({ responses }: Contract): ReadonlyMap<string, Response> {
  const own = Object.entries(responses).filter((entry): entry is [string, Response] => !isReference(entry[1]));
  return new Map(own);
}

function isReference(response: Response | Reference | Header): response is Reference {
  return '$ref' in response;
}

function statusChanges({ before, after }: Both<readonly string[]>, say: Say): readonly Finding[] {
  const gone = before.filter((status) => !after.includes(status));
  const come = after.filter((status) => !before.includes(status));
  const [former, latter] = [gone[0], come[0]];
  if (gone.length === 1 && come.length === 1 && former && latter)
    return [say('status-changed', `answers with ${statusWords(latter)} now, not with ${statusWords(former)}`)];
  return [
    ...gone.map((status) => say('status-removed', `does not answer with ${statusWords(status)} any more`)),
    ...come.map((status) => say('status-added', `may answer with ${statusWords(status)} now`)),
  ];
}

function statusWords(status: string): string {
  return status === 'default' ? 'a status that is known only at run time' : status;
}

function errorChanges({ before, after }: Both<Contract>, say: Say): readonly Finding[] {
  const [former, latter] = [errorsOf(before.responses), errorsOf(after.responses)];
  const come = latter.filter((status) => !(status in before.responses));
  const gone = former.filter((status) => !(status in after.responses));
  return [
    ...come.map((status) => say('error-status-added', `may be refused with ${errorWords(status)} now`)),
    ...gone.map((status) => say('error-status-removed', `is not refused with ${errorWords(status)} any more`)),
    ...errorBodyChanges({ before: before.responses['422'], after: after.responses['422'] }, say),
  ];
}

/** A 422 of Kiln lists what is wrong. One of custom code need not. */
function errorBodyChanges({ before, after }: Both<Response | Reference | undefined>, say: Say): readonly Finding[] {
  if (!before || !after || !isReference(before) || !isReference(after)) return [];
  if (listsErrors(before) === listsErrors(after)) return [];
  return listsErrors(before)
    ? [say('error-body-changed', 'may be refused with a 422 that has no `errors` now')]
    : [say('error-body-narrower', 'always has `errors` in a 422 now')];
}

function listsErrors({ $ref }: Reference): boolean {
  return $ref.endsWith('/ValidationFailed');
}

function errorsOf(responses: Responses): readonly string[] {
  return Object.entries(responses).flatMap(([status, response]) => (isReference(response) ? [status] : []));
}

function errorWords(status: string): string {
  return status.endsWith('XX') ? `any ${status}` : status;
}

// ── Bodies ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Pairs bodies of the same status, or the only ones of both sides. */
function pairedBodies(
  before: ReadonlyMap<string, Response>,
  after: ReadonlyMap<string, Response>,
): readonly Both<Response>[] {
  const [[former], [latter]] = [[...before.values()], [...after.values()]];
  if (before.size === 1 && after.size === 1 && former && latter) return [{ before: former, after: latter }];
  const pairs = [...after].flatMap(([status, response]) => {
    const same = before.get(status);
    return same === undefined ? [] : [{ before: same, after: response }];
  });
  // The record that was there already and the new one are written alike: the same is not said twice.
  return pairs.slice(0, 1);
}

function bodyChanges({ before, after }: Both<Response>, routes: Both<Route>, say: Say): readonly Finding[] {
  return [
    ...headerChanges({ before: before.headers ?? {}, after: after.headers ?? {} }, say),
    ...contentChanges({ before: before.content, after: after.content }, routes, say),
  ];
}

function headerChanges({ before, after }: Both<NonNullable<Response['headers']>>, say: Say): readonly Finding[] {
  const gone = Object.keys(before).filter((name) => !(name in after));
  return [
    ...gone.map((name) => say('header-removed', `does not have the header ${quoted(name)} any more`)),
    ...Object.entries(after).flatMap(([name, header]) => {
      const former = before[name];
      if (former === undefined) return [say('header-added', `has the new header ${quoted(name)}`)];
      return headerPresence(name, { before: former, after: header }, say);
    }),
  ];
}

function headerPresence(name: string, { before, after }: Both<Header | Reference>, say: Say): readonly Finding[] {
  const [former, latter] = [isAlways(before), isAlways(after)];
  if (former === latter) return [];
  return latter
    ? [say('header-always', `always has the header ${quoted(name)} now`)]
    : [say('header-not-always', `does not always have the header ${quoted(name)} any more`)];
}

function isAlways(header: Header | Reference): boolean {
  return isReference(header) || header.required === true;
}

function contentChanges(both: Both<Content | undefined>, routes: Both<Route>, say: Say): readonly Finding[] {
  const { before, after } = both;
  if (before === undefined && after === undefined) return [];
  if (after === undefined) return [say('body-removed', 'answers without a body now')];
  if (before === undefined) return [say('body-added', 'answers with a body now')];
  const [[formerType, former] = [], [latterType, latter] = []] = [Object.entries(before)[0], Object.entries(after)[0]];
  const typed = formerType === latterType ? [] : [mediaTypeChange(formerType ?? '', latterType ?? '', say)];
  return former && latter
    ? [...typed, ...schemaChanges({ before: former.schema, after: latter.schema }, routes)]
    : typed;
}

/** Reports another media type. A client that reads JSON also reads `application/ld+json`. */
function mediaTypeChange(before: string, after: string, say: Say): Finding {
  const isNarrower = before === 'application/json' && after.endsWith('+json');
  const says = `answers with ${quoted(after)} now, not with ${quoted(before)}`;
  return say(isNarrower ? 'media-type-narrower' : 'media-type-changed', says);
}

// The content of a body, property by property. A reader of the former body must be able to read the new one.

/** The place in the body: the names of the properties from the outside in. */
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
  /** The digits of a decimal that limits them. */
  readonly digits?: Digits;
  /** The text of a schema without another description: two schemas with different texts differ. */
  readonly text?: string;
}

function schemaChanges(schemas: Both<Schema>, routes: Both<Route>, path: Path = []): readonly Finding[] {
  const forms = { before: formOf(schemas.before), after: formOf(schemas.after) };
  const { before, after } = forms;
  const say = sayAt(path, routes);
  const nullable = nullableChanges(forms, say);
  if (before.kind !== after.kind || before.text !== after.text) return [...nullable, typeChange(forms, path, say)];
  return [
    ...nullable,
    ...valueChanges(forms, routes, 'response', quoted(path.join('.'))),
    ...shapeChanges(forms),
    ...limitChanges(forms, say),
    ...digitsChanges(forms, say),
    ...propertyChanges(forms, routes, path),
    ...(before.items && after.items ? schemaChanges({ before: before.items, after: after.items }, routes, path) : []),
  ];
}

function sayAt(path: Path, routes: Both<Route>): Say {
  const what = path.length === 0 ? 'the response' : `the property ${quoted(path.join('.'))} of the response`;
  return (rule, says) => ({ rule, says: `${what} ${says}`, subject: propertySubject(routes, path) });
}

/** Reports renamed shapes. They name the types of generated clients; the bodies are the same. */
function shapeChanges({ before, after }: Both<Form>): readonly Finding[] {
  if (before.shape === after.shape) return [];
  const [former, latter] = [before.shape, after.shape].map((name) =>
    name === undefined ? 'after its endpoint' : quoted(name),
  );
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

/** Compares the digits of a decimal. A client may rely on the digits after the point. */
function digitsChanges({ before, after }: Both<Form>, say: Say): readonly Finding[] {
  const [former, latter] = [before.digits, after.digits];
  if (!latter) return former ? [say('property-type-changed', 'may have any number of digits now')] : [];
  if (former?.places === latter.places) return [];
  return [
    say(former ? 'property-type-changed' : 'property-type-narrower', `has ${latter.places} digits after the point now`),
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
  const digits = digitsOfPattern(schema.pattern);
  return { kind: scalarOf(only, schema.format), nullable, ...(digits && { digits }) };
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
  const isWords = (key: string, value: unknown) => key === 'description' && typeof value === 'string';
  const text = JSON.stringify(others, (key, value: unknown) => (isWords(key, value) ? undefined : value));
  return { kind: 'any', nullable, text };
}

/** The type of the language that is written so in JSON Schema. */
function scalarOf(type: string, format: string | undefined): ValueKind {
  const found = Object.entries(SCALARS).find(([, { schema }]) => schema.type === type && schema.format === format);
  return found?.[0] ?? type;
}
