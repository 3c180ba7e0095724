/** The content of a request: inputs of the body or the query, and the checks of actions. */
import { parameterNames } from '../definition/contract/routes.ts';
import type { Definition, FileRules } from '../definition/definition.ts';
import { digitsPhrase, isWithin } from '../definition/digits.ts';
import {
  type Endpoint,
  type Input,
  type ListInput,
  plainInput,
  type Request,
  type ValueInput,
} from '../definition/endpoint.ts';
import type { Type } from '../definition/expression.ts';
import { fileRules } from '../definition/files.ts';
import { boundOf } from '../definition/list-validation.ts';
import { modelIn } from '../definition/lookup.ts';
import { fieldIn } from '../emit/openapi/names.ts';
import { holdersOf, refusesIn } from '../emit/openapi/refusals.ts';
import { checkChanges, ownAsserts } from './api-checks.ts';
import { type ListParameter, listParametersOf } from './api-list.ts';
import { meaningsOf } from './api-meaning.ts';
import type { Route } from './api-routes.ts';
import { type Both, type Finding, isWider, literalText, quoted, type Say, saysAbout, typeName } from './api-rules.ts';
import { endpointSubject, inputSubject, valueChanges } from './api-subjects.ts';
import { type FormerNames, formerNames, type Meanings, OWN_NAMES } from './meaning.ts';
import { formerName } from './pairing.ts';

/** An input with its place in the request: `author.email` for one in a group, `lines[].quantity` for one of a list. */
interface PlacedInput {
  readonly path: string;
  /** The list that contains it. An input of a list that is new or gone is not reported by itself. */
  readonly list?: string;
  readonly input: ValueInput;
  readonly from: Request['from'] | 'path';
  readonly takes?: ListParameter['takes'];
  readonly ifRemoved?: string;
}

export function requestChanges(routes: Both<Route>): readonly Finding[] {
  const { before, after } = routes;
  const [former, latter] = [inputsOf(before.endpoint), inputsOf(after.endpoint)];
  return [
    ...bodyKeyChanges(routes),
    ...toldBeside(former, latter).flatMap(([key, input]) => inputChanges(former.get(key), input, routes)),
    ...toldBeside(latter, former).flatMap(([key, input]) => (latter.has(key) ? [] : [removed(input, routes)])),
    ...actionCheckChanges(routes),
    ...refusalChanges(routes),
    ...transactionChanges(routes),
    ...deletionChanges(routes),
  ];
}

function bodyKeyChanges({ before, after }: Both<Route>): readonly Finding[] {
  const [former, latter] = [before.endpoint.request.under, after.endpoint.request.under];
  if (former === latter) return [];
  const [were, are] = [former, latter].map((key) =>
    key === undefined ? 'at the root of the body' : `under ${quoted(key)}`,
  );
  return [{ rule: 'input-moved', says: `the inputs are ${are} now, not ${were}`, subject: endpointSubject(after) }];
}

type PlacedInputs = ReadonlyMap<string, PlacedInput>;

function toldBeside(others: PlacedInputs, inputs: PlacedInputs): readonly (readonly [string, PlacedInput])[] {
  return [...inputs].filter(([, { list }]) => list === undefined || others.has(list));
}

function inputsOf(endpoint: Endpoint): PlacedInputs {
  const { request } = endpoint;
  const placed = request.inputs.flatMap((input) => valueInputs(input));
  const inPath = (request.inPath ?? []).map((input) => ({ path: input.name, input, from: 'path' as const }));
  return new Map<string, PlacedInput>([
    // An input of the same name is another thing.
    ...listParametersOf(endpoint).map((each) => [`?${each.path}`, each] as const),
    ...placed.map((each) => [each.path, { ...each, from: request.from }] as const),
    // Callers do not see the names of parameters in a path.
    ...inPath.map((each) => [`:${parameterNames(endpoint.path).indexOf(each.path)}`, each] as const),
  ]);
}

function valueInputs(input: Input): readonly Omit<PlacedInput, 'from'>[] {
  if (input.kind === 'value') return [{ path: input.name, input }];
  if (input.kind === 'group')
    return input.inputs.map((inner) => ({ path: `${input.name}.${inner.name}`, input: inner }));
  const { name, inputs } = input;
  const items = inputs.map((inner) => ({ path: `${name}[].${inner.name}`, list: name, input: inner }));
  return [{ path: name, input: listAsValue(input) }, ...items];
}

/** The list as a whole is compared as a list of values with the same bounds is. */
function listAsValue({ name, doc, required, nullable, minItems, maxItems }: ListInput): ValueInput {
  const parts = [boundOf('minItems', minItems), boundOf('maxItems', maxItems)];
  const type = { kind: 'record', many: true, ...(nullable && { nullable }) } as const;
  return { ...plainInput(name, type, doc), required, validate: { kind: 'and', parts } };
}

function sayOf({ path, input, from }: PlacedInput, routes: Both<Route>): Say {
  const name = `the ${from === 'body' ? 'input' : `${from} parameter`} ${quoted(path)}`;
  // Most inputs are as they were, and nobody asks for their subjects.
  return (rule, says) => ({ rule, says: `${name} ${says}`, subject: inputSubject(routes, input, path) });
}

function removed(placed: PlacedInput, routes: Both<Route>): Finding {
  return sayOf(placed, routes)('input-removed', `is removed: ${placed.ifRemoved ?? 'a value that is sent is ignored'}`);
}

function inputChanges(before: PlacedInput | undefined, after: PlacedInput, routes: Both<Route>): readonly Finding[] {
  const say = sayOf(after, routes);
  if (before === undefined) return [added(after, say)];
  if (before.from !== after.from) return [say('input-moved', `is read from the ${after.from} now`)];
  const inputs = { before: before.input, after: after.input };
  const types = { before: before.input.type, after: after.input.type };
  return [
    ...requiredChanges(inputs, say),
    ...typeFindings(types, say),
    ...(after.from === 'body' ? nullableChanges(inputs, say) : []),
    ...valueChanges(types, routes, 'request', quoted(after.path)),
    ...checkChanges(
      { before: before.input.validate, after: after.input.validate },
      { before: routes.before.definition, after: routes.after.definition },
      say,
    ),
    ...takenChanges({ before: before.takes?.names ?? [], after: after.takes?.names ?? [] }, after.takes?.noun, say),
    ...sizeChanges(inputs, say),
    ...digitsChanges(inputs, say),
    ...fileChanges(inputs, routes, say),
    ...defaultChanges(inputs, after.from, say),
    ...normaliseFindings({ before: before.input.normalise ?? [], after: after.input.normalise ?? [] }, say),
    ...storeChanges(inputs, routes, say),
  ];
}

function added({ input }: PlacedInput, say: Say): Finding {
  return input.required ? say('input-added-required', 'is new and required') : say('input-added-optional', 'is new');
}

function requiredChanges({ before, after }: Both<ValueInput>, say: Say): readonly Finding[] {
  if (before.required === after.required) return [];
  return after.required
    ? [say('input-became-required', 'is required now')]
    : [say('input-became-optional', 'may be left out now')];
}

/** Compares the types of a sent value: one of the former type must still be accepted. */
export function typeFindings({ before, after }: Both<Type>, say: Say): readonly Finding[] {
  const isSameEnum = before.kind === 'enum' && after.kind === 'enum';
  if (isSameEnum ? before.many === after.many : typeName(before) === typeName(after)) return [];
  const isSafe = before.many === after.many && isWider(after.kind, before.kind);
  const isList = ({ kind }: Type) => kind === 'record';
  const nameOf = (type: Type) => (isList(type) ? 'a list of objects' : quoted(typeName(type)));
  const says = `is ${isList(after) ? '' : 'of the type '}${nameOf(after)} now, not ${nameOf(before)}`;
  return [say(isSafe ? 'input-type-wider' : 'input-type-changed', says)];
}

function nullableChanges({ before, after }: Both<ValueInput>, say: Say): readonly Finding[] {
  if (before.type.nullable === after.type.nullable) return [];
  return after.type.nullable
    ? [say('input-nullable', 'may be null now')]
    : [say('input-not-nullable', 'may not be null any more')];
}

/** Compares the keys that a list can be ordered by, or the forms of one of its filters. */
function takenChanges({ before, after }: Both<readonly string[]>, noun = '', say: Say): readonly Finding[] {
  const gone = before.filter((name) => !after.includes(name));
  const come = after.filter((name) => !before.includes(name));
  return [
    ...gone.map((name) => say('input-value-removed', `does not take the ${noun} ${quoted(name)} any more`)),
    ...come.map((name) => say('input-value-added', `takes the ${noun} ${quoted(name)} now`)),
  ];
}

/** Compares the limits in bytes of a text. */
function sizeChanges({ before, after }: Both<ValueInput>, say: Say): readonly Finding[] {
  const { maxBytes: former = Number.POSITIVE_INFINITY } = before;
  const { maxBytes: latter = Number.POSITIVE_INFINITY } = after;
  if (former === latter) return [];
  return latter < former
    ? [say('input-stricter', `may have at most ${latter} bytes now`)]
    : [say('input-laxer', 'may be longer now')];
}

/** Compares what a file may be. */
function fileChanges({ before, after }: Both<ValueInput>, routes: Both<Route>, say: Say): readonly Finding[] {
  if (before.type.kind !== 'file' || after.type.kind !== 'file' || !before.stores || !after.stores) return [];
  const [former, latter] = [
    fileRules(routes.before.definition, before.stores.model, before.stores.field),
    fileRules(routes.after.definition, after.stores.model, after.stores.field),
  ];
  const isLess = (one: FileRules, other: FileRules) =>
    one.accept !== undefined && !(other.accept ?? ['*/*']).every((type) => isWithinTypes(type, one.accept ?? []));
  const takes = (only: string) =>
    latter.accept ? `takes ${only}${latter.accept.join(', ')} now` : 'takes every type now';
  return [
    ...(latter.max < former.max ? [say('input-stricter', `may have at most ${latter.max} bytes now`)] : []),
    ...(latter.max > former.max ? [say('input-laxer', `may have up to ${latter.max} bytes now`)] : []),
    ...(isLess(latter, former) ? [say('input-stricter', takes('only '))] : []),
    ...(isLess(former, latter) && !isLess(latter, former) ? [say('input-laxer', takes(''))] : []),
  ];
}

function isWithinTypes(type: string, accept: readonly string[]): boolean {
  return accept.includes(type) || accept.includes(type.replace(/\/.*/, '/*'));
}

/** Compares the digits of a decimal. */
function digitsChanges({ before, after }: Both<ValueInput>, say: Say): readonly Finding[] {
  const [former, latter] = [before.type.digits, after.type.digits];
  if (after.type.kind !== 'decimal' || (before.type.kind !== 'decimal' && before.type.kind !== 'integer')) return [];
  if (!latter) return former ? [say('input-laxer', 'may have any number of digits now')] : [];
  if (former?.all === latter.all && former.places === latter.places) return [];
  return [say(isWithin(former, latter) ? 'input-laxer' : 'input-stricter', `${digitsPhrase(latter)} now`)];
}

export function normaliseFindings({ before, after }: Both<readonly string[]>, say: Say): readonly Finding[] {
  const gone = before.filter((each) => !after.includes(each));
  const come = after.filter((each) => !before.includes(each));
  const moved = gone.length === 0 && come.length === 0 && before.join() !== after.join();
  return [
    ...gone.map((each) => say('input-not-normalised', `is not normalised by ${quoted(each)} any more`)),
    ...come.map((each) => say('input-normalised', `is normalised by ${quoted(each)} now`)),
    ...(moved ? [say('input-normalised', `is normalised by ${after.map(quoted).join(', then ')} now`)] : []),
  ];
}

// ── What the database is asked ──────────────────────────────────────────────────────────────────────────────────────

function storeChanges(inputs: Both<ValueInput>, { before, after }: Both<Route>, say: Say): readonly Finding[] {
  const [former, latter] = [storage(inputs.before, before), storage(inputs.after, after)];
  const isSameModel = former.model === formerName(latter.model, { before: before.definition, after: after.definition });
  return [
    ...(isSameModel && former.names === latter.names
      ? makingChanges({ before: former, after: latter }, say)
      : findingChanges({ before: former, after: latter }, isSameModel, say)),
    ...(!former.isUnique && latter.isUnique
      ? [say('input-unique', 'is refused now where another record has the same value')]
      : []),
    ...(former.isUnique && !latter.isUnique ? [say('input-not-unique', 'need not be unique any more')] : []),
    ...keyChanges(inputs, { before, after }, say),
    ...(former.isSecret === latter.isSecret
      ? []
      : [say('input-secret', latter.isSecret ? 'is a secret now' : 'is not a secret any more')]),
  ];
}

/** `unique { a, b }`: what is unique together with other fields. */
function keyChanges(inputs: Both<ValueInput>, { before, after }: Both<Route>, say: Say): readonly Finding[] {
  const names = formerNames(before.definition, after.definition);
  const former = keysWith(inputs.before, before.definition, OWN_NAMES);
  const latter = keysWith(inputs.after, after.definition, names);
  const come = [...latter].filter(([key]) => !former.has(key)).map(([, fields]) => fields);
  const gone = [...former].filter(([key]) => !latter.has(key)).map(([, fields]) => fields);
  const words = (fields: readonly string[]) => fields.map(quoted).join(', ');
  return [
    ...come.map((key) => say('input-unique', `is refused now where another record has the same ${words(key)}`)),
    ...gone.map((key) => say('input-not-unique', `need not be unique any more in ${words(key)}`)),
  ];
}

/** The unique keys with the field, by their previous names. */
function keysWith(
  { stores }: ValueInput,
  definition: Definition,
  names: FormerNames,
): ReadonlyMap<string, readonly string[]> {
  if (stores === null) return new Map();
  const { uniques = [] } = modelIn(definition, stores.model) ?? {};
  const keys = uniques.filter((key) => key.includes(stores.field));
  return new Map(
    keys.map((key) => [
      key
        .map((field) => names.field(stores.model, field))
        .sort()
        .join(),
      key,
    ]),
  );
}

/** Reports an `or create` that is new or gone. Its checks of the value are reported with the other checks. */
function makingChanges({ before, after }: Both<Storage>, say: Say): readonly Finding[] {
  if (before.isMade === after.isMade) return [];
  const record = `a record of ${quoted(after.model)} by its ${quoted(after.names ?? '')}`;
  return after.isMade
    ? [say('input-makes-record', `names ${record}, which is created now if it does not exist`)]
    : [say('input-finds-changed', `names ${record}, which must exist now: it is no longer created`)];
}

function findingChanges({ before, after }: Both<Storage>, isSameModel: boolean, say: Say): readonly Finding[] {
  const [former, latter] = [foundBy(before), foundBy(after)];
  if (former === latter && (former === null || isSameModel)) return [];
  if (latter === null) return [say('input-finds-changed', 'does not name a record any more')];
  return [say('input-finds-changed', `names a record of ${quoted(after.model)} by its ${quoted(latter)} now`)];
}

function foundBy({ names, isMade }: Storage): string | null {
  return isMade ? null : names;
}

interface Storage {
  /** The field of the record that the value names. Null if it names none. */
  readonly names: string | null;
  /** Whether that record is created if it does not exist. */
  readonly isMade: boolean;
  /** The model of that record. */
  readonly model: string;
  readonly isUnique: boolean;
  readonly isSecret: boolean;
}

function storage({ finds, stores }: ValueInput, { definition }: Route): Storage {
  const field = stores === null ? undefined : fieldIn(definition, stores.model, stores.field);
  const made = stores?.isKey ? stores : null;
  const found = finds === null ? null : [...finds.path.map(({ name }) => name), finds.field].join('.');
  return {
    names: found ?? made?.field ?? null,
    isMade: found === null && made !== null,
    model: finds?.model ?? made?.model ?? '',
    isUnique: made === null && field?.unique === true,
    isSecret: field?.secret === true,
  };
}

// ── Checks of actions ───────────────────────────────────────────────────────────────────────────────────────────────

/** `validate with key "k" { … }`. Those with one key are taken together. */
function actionCheckChanges(routes: Both<Route>): readonly Finding[] {
  const { before, after } = routes;
  const meanings = meaningsOf(routes);
  const [former, latter] = [actionChecks(before, meanings.before), actionChecks(after, meanings.after)];
  return [...new Set([...former.keys(), ...latter.keys()])].flatMap((key) => {
    const say = saysAbout(endpointSubject(after), `the check ${quoted(key)}`);
    if (!former.has(key)) return [say('input-stricter', 'is new')];
    if (!latter.has(key)) return [say('input-laxer', 'is removed')];
    return former.get(key) === latter.get(key) ? [] : [say('input-check-changed', 'is another one now')];
  });
}

function actionChecks({ endpoint, definition }: Route, meanings: Meanings): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const action of endpoint.actions) {
    if (action.kind !== 'validate') continue;
    const { key, validation } = action;
    found.set(key, `${found.get(key) ?? ''}${meanings.of(validation)}${ownAsserts(validation, definition)}`);
  }
  return found;
}

/** `refuse "sold-out" when …`. Those with one code are taken together. */
function refusalChanges(routes: Both<Route>): readonly Finding[] {
  const { before: was, after: is } = meaningsOf(routes);
  const [former, latter] = [refusalsByCode(routes.before.endpoint, was), refusalsByCode(routes.after.endpoint, is)];
  const say = saysAbout(endpointSubject(routes.after));
  return [...new Set([...former.keys(), ...latter.keys()])].flatMap((key) => {
    const [before, after] = [former.get(key), latter.get(key)];
    const code = `the code ${quoted(key)}`;
    if (!before) return [say('refusal-added', `may be refused with ${code} now`)];
    if (!after) return [say('refusal-removed', `is not refused with ${code} any more`)];
    const { statuses } = after;
    if (before.statuses !== statuses)
      return [say('refusal-status-changed', `is refused with ${code} and ${statuses} now, not ${before.statuses}`)];
    if (before.checks === after.checks) return [];
    return [say('refusal-changed', `is refused with ${code} under another condition now`)];
  });
}

function refusalsByCode(
  endpoint: Endpoint,
  meanings: Meanings,
): ReadonlyMap<string, { readonly statuses: string; readonly checks: string }> {
  const refuses = refusesIn(endpoint);
  return new Map(
    refuses.map(({ code }) => {
      const same = refuses.filter((each) => each.code === code);
      const statuses = [...new Set(same.map(({ status }) => status))].sort().join(', ');
      return [code, { statuses, checks: meanings.of(same.map(({ when, key, each }) => [when, key, each?.list])) }];
    }),
  );
}

/** A `call` ends a transaction: what stands before it stays, whatever comes of the rest. */
function transactionChanges({ before, after }: Both<Route>): readonly Finding[] {
  const [former, latter] = [before, after].map(({ endpoint }) => transactionsIn(endpoint));
  if (former === latter) return [];
  const says = `is ${latter === 1 ? 'one transaction' : `${latter} transactions`} now, not ${former}`;
  return [{ rule: 'transactions-changed', says, subject: endpointSubject(after) }];
}

function transactionsIn({ actions }: Endpoint): number {
  return 1 + actions.filter(({ kind }) => kind === 'service-call').length;
}

// ── Deletions ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reports existing references that prevent the deletion of a record now. New references come from new requests. */
function deletionChanges({ before, after }: Both<Route>): readonly Finding[] {
  const names = formerNames(before.definition, after.definition);
  const former = new Set(holdersOn(before).map(({ model, field }) => `${model}.${field}`));
  const come = holdersOn(after).filter(({ model, field }) => {
    const [ownerWas, fieldWas] = [names.model(model), names.field(model, field)];
    return fieldIn(before.definition, ownerWas, fieldWas) !== undefined && !former.has(`${ownerWas}.${fieldWas}`);
  });
  return [...new Set(come.map(({ model }) => model))].map((model) => ({
    rule: 'delete-restricted',
    says: `is refused now while a record of ${quoted(model)} refers to what is deleted`,
    subject: { kind: 'model', name: model },
  }));
}

function holdersOn({ endpoint, definition }: Route): ReturnType<typeof holdersOf> {
  return endpoint.actions.flatMap((action) => {
    if (action.kind === 'delete') return holdersOf(action.model, definition);
    return action.kind === 'query' && action.does.kind === 'delete' ? holdersOf(action.query.model, definition) : [];
  });
}

// ── Api defaults ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The default of an input that a client leaves out.

/** Compares defaults, only of inputs that could be left out before: nobody has seen the default of a required one. */
function defaultChanges({ before, after }: Both<ValueInput>, from: PlacedInput['from'], say: Say): readonly Finding[] {
  if (textOf(before) === textOf(after) || before.required || after.required) return [];
  const rule = from === 'query' ? 'parameter-default-changed' : 'input-default-changed';
  return [say(rule, defaultWords(before, after))];
}

export function textOf({ default: value }: ValueInput): string {
  return literalText(value) ?? JSON.stringify(value);
}

export function defaultWords(before: ValueInput, after: ValueInput): string {
  if (after.default === null) return 'has no default any more';
  const [former, latter] = [literalText(before.default), literalText(after.default)];
  if (latter === null) return before.default === null ? 'has a default now' : 'has another default now';
  return former === null
    ? `has the default ${quoted(latter)} now`
    : `has the default ${quoted(latter)} now, not ${quoted(former)}`;
}
