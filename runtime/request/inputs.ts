/**
 * Checks what a client sends against the inputs of an endpoint: all errors are found at once. The values go into the
 * scope in their canonical form. The database checks whether records exist and whether values are taken.
 */
import { Buffer } from 'node:buffer';
import type { InputCode } from '../../compiler/definition/contract/problems.ts';
import { VALIDATORS } from '../../compiler/definition/contract/validators.ts';
import type { Input, ListInput, Request, ValueInput } from '../../compiler/definition/endpoint.ts';
import type { Type } from '../../compiler/definition/expression.ts';
import { mostItems } from '../../compiler/definition/list-validation.ts';
import type { InputError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { validationOf } from '../expressions/compile-validation.ts';
import {
  after,
  type Compiled,
  type CompiledValidation,
  type Failure,
  someInTurn,
  type ValidationEnvironment,
} from '../expressions/compiled.ts';
import type { Scope } from '../expressions/scope.ts';
import { type Checked, checkValue, valueFromText } from '../values/kinds.ts';
import { type Normalise, normaliseOf } from '../values/normalise.ts';
import type { Value } from '../values/value.ts';
import { exactly } from './json-body.ts';

/** The values that were sent, by name. */
export type Sent = Readonly<Record<string, unknown>>;

/** Fills the inputs of the scope, and gives what is wrong. */
export type InputCheck = (
  sent: Sent,
  scope: Scope,
  params: readonly string[],
) => Promise<readonly InputError[]> | readonly InputError[];

/** Codes of inputs that cannot be read at all, as opposed to those that break a rule. */
export const UNREADABLE: ReadonlySet<string> = new Set<InputCode>(['required', 'not-nullable', 'wrong-type']);

export function inputCheckOf(
  { from, inputs }: Pick<Request, 'from' | 'inputs'>,
  environment: ValidationEnvironment,
): InputCheck {
  const read = from === 'body' ? checkValue : valueOfText;
  const checks = inputs.flatMap((input) => (input.kind === 'list' ? [] : checksOf(input, read, environment)));
  const lists = inputs.flatMap((input) => (input.kind === 'list' ? [listCheckOf(input, read, environment)] : []));
  const groups = inputs.filter((input) => input.kind === 'group');
  return (sent, scope) => {
    const errors: InputError[] = groups.flatMap((group) => groupErrors(group, sent));
    const broken = new Set(errors.map(({ path }) => path));
    const fields = checks.filter(({ group }) => group === null || !broken.has(group));
    const checked = checkAll(fields, sent, scope, errors);
    if (lists.length === 0) return checked;
    const all = after(checked, () => someInTurn(lists, (check) => check(sent, scope, errors)));
    return after(all, () => errors);
  };
}

/** The items of a list are texts too: the values of a name that stands several times in a query string. */
function valueOfText(value: unknown, type: Type, enumValues: (name: string) => readonly string[]): Checked {
  return valueFromText(value as string, type, enumValues);
}

// ── Lists of objects ────────────────────────────────────────────────────────────────────────────────────────────────

/** Gives nothing that matters: it is done when it is false. */
type ListCheck = (sent: Sent, scope: Scope, errors: InputError[]) => Promise<boolean> | boolean;

/** Each object is checked like a body. */
function listCheckOf(input: ListInput, read: Read, environment: ValidationEnvironment): ListCheck {
  const { name, inputs } = input;
  const checks = inputs.map((inner) => checkOf(inner, null, read, environment));
  const isExact = inputs.some(({ type }) => type.kind === 'json');
  return (sent, scope, errors) => {
    const value = own(isExact ? exactly(sent) : sent, name);
    if (value !== undefined) scope.sent.add(name);
    if (value === null && input.nullable) scope.inputs[name] = null;
    const wrong = wrongList(value, input);
    if (wrong) return refused(errors, wrong);
    if (!Array.isArray(value)) return false;
    const items: Record<string, Value>[] = [];
    scope.inputs[name] = items as unknown as Value;
    return someInTurn(value as readonly unknown[], (item, at) => {
      const inner = { ...scope, inputs: {}, sent: new Set<string>() };
      items.push(inner.inputs);
      const path = itemPath(name, at);
      if (!isObject(item)) return refused(errors, error(path, 'wrong-type', 'must be an object', { type: 'object' }));
      return after(checkAll(checks, item, inner, []), (found) => {
        for (const each of found) errors.push({ ...each, path: `${path}.${each.path}` });
        return false;
      });
    });
  };
}

function wrongList(value: unknown, { name, required, nullable, minItems: min, maxItems: max }: ListInput) {
  if (value === undefined) return required ? error(name, 'required', 'is required') : null;
  if (value === null) return nullable ? null : error(name, 'not-nullable', 'must not be null');
  if (!Array.isArray(value)) return error(name, 'wrong-type', 'must be a list', { type: 'list' });
  if (value.length > max) return error(name, 'max-items', tooMany(max), { max });
  const tooFew = () => `must ${VALIDATORS.minItems.phrase([min], String)}`;
  return value.length < min ? error(name, 'min-items', tooFew(), { min }) : null;
}

/** The place of an item of a list, or of a member of such an object: `lines[2].product_id`. */
export function placeOfItem([list, name]: readonly string[], at: number): string {
  const place = itemPath(list as string, at);
  return name === undefined ? place : `${place}.${name}`;
}

/** The place of an input in the request: under the key of the body, except for the parameters of the path. */
export function placeOfInput({ under, inPath = [] }: Request, path: string): string {
  if (under === undefined || inPath.some(({ name }) => name === path)) return path;
  return path === '' ? under : `${under}.${path}`;
}

/** How one value is read, or one item of a list. */
type Read = (value: unknown, type: Type, enumValues: (name: string) => readonly string[]) => Checked;

// ── Groups ──────────────────────────────────────────────────────────────────────────────────────────────────────────

type Group = Extract<Input, { kind: 'group' }>;

function groupErrors({ name, required }: Group, sent: Sent): readonly InputError[] {
  const value = own(sent, name);
  if (value === undefined) return required ? [error(name, 'required', 'is required')] : [];
  return isObject(value) ? [] : [error(name, 'wrong-type', 'must be an object')];
}

export function isObject(value: unknown): value is Sent {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an own property, never one of the prototype. */
function own(sent: Sent, name: string): unknown {
  return Object.hasOwn(sent, name) ? sent[name] : undefined;
}

// ── Values ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface ValueCheck {
  readonly input: ValueInput;
  readonly group: string | null;
  readonly place: readonly string[];
  /** The path with dots: `author.email`. */
  readonly path: string;
  readonly read: Read;
  readonly enumValues: (name: string) => readonly string[];
  readonly normalise: Normalise | null;
  readonly default: Compiled | null;
  readonly validation: CompiledValidation | null;
  /** The limit of items of a list. */
  readonly mostItems: number;
}

function checksOf(input: ValueInput | Group, read: Read, environment: ValidationEnvironment): readonly ValueCheck[] {
  if (input.kind === 'value') return [checkOf(input, null, read, environment)];
  return input.inputs.map((inner) => checkOf(inner, input.name, read, environment));
}

function checkOf(input: ValueInput, group: string | null, read: Read, environment: ValidationEnvironment): ValueCheck {
  return {
    input,
    group,
    place: group === null ? [input.name] : [group, input.name],
    path: group === null ? input.name : `${group}.${input.name}`,
    read,
    enumValues: environment.enumValues,
    normalise: normaliseOf(input.normalise),
    default: input.default && compileExpression(input.default, environment),
    validation: input.validate && validationOf(input.type, input.validate, environment),
    mostItems: mostItems(input.validate),
  };
}

function checkAll(
  checks: readonly ValueCheck[],
  sent: Sent,
  scope: Scope,
  errors: InputError[],
): Promise<readonly InputError[]> | readonly InputError[] {
  const present = checks.filter((check) => readInput(check, sent, scope, errors));
  const defaults = checks.filter((check) => check.default !== null && !scope.sent.has(check.path));
  const filled = someInTurn(defaults, ({ place, default: value }) =>
    after(value?.run(scope) as Value, (found) => {
      setInput(scope, place, found);
      return false;
    }),
  );
  const checked = after(filled, () =>
    someInTurn(present, ({ path, place, validation }) => {
      if (validation === null) return false;
      return after(validation.check(inputAt(scope, place) as Value, scope), (failures) => {
        for (const failure of failures) errors.push(refusal(path, failure));
        return false;
      });
    }),
  );
  return after(checked, () => errors);
}

function refusal(path: string, { index, ...failure }: Failure): InputError {
  return { path: index === undefined ? path : itemPath(path, index), ...failure };
}

/** Whether there is a value to validate. */
function readInput(check: ValueCheck, sent: Sent, scope: Scope, errors: InputError[]): boolean {
  const { input, group, place, path } = check;
  const all = input.type.kind === 'json' ? exactly(sent) : sent;
  const values = group === null ? all : ((own(all, group) as Sent | undefined) ?? {});
  const value = own(values, input.name);
  if (value === undefined) return input.required && refused(errors, error(path, 'required', 'is required'));
  scope.sent.add(path);
  if (value === null && input.type.nullable) {
    setInput(scope, place, null);
    return false;
  }
  if (value === null) return refused(errors, error(path, 'not-nullable', 'must not be null'));
  if (isTooLong(value, input)) return refused(errors, tooLong(path, input));
  return readValue(check, value, scope, errors);
}

function refused(errors: InputError[], refusal: InputError): false {
  errors.push(refusal);
  return false;
}

/** A text has no more characters than bytes, so that the bytes of a very long one are not counted. */
function isTooLong(value: unknown, { maxBytes }: ValueInput): boolean {
  if (maxBytes === undefined || typeof value !== 'string') return false;
  return value.length > maxBytes || Buffer.byteLength(value) > maxBytes;
}

function tooLong(path: string, { maxBytes = 0 }: ValueInput): InputError {
  return error(path, 'max-length', `must have at most ${maxBytes} bytes`, { max: maxBytes });
}

function readValue(check: ValueCheck, value: unknown, scope: Scope, errors: InputError[]): boolean {
  const { input, place, path, read, enumValues, normalise } = check;
  if (input.type.many) return readList(check, value, scope, errors);
  const checked = read(value, input.type, enumValues);
  if (!checked.ok) return refused(errors, misfit(path, checked, input.type));
  setInput(scope, place, normalise ? normalise(checked.value) : checked.value);
  return true;
}

function readList(check: ValueCheck, value: unknown, scope: Scope, errors: InputError[]): boolean {
  const { input, place, path, mostItems: max } = check;
  if (!Array.isArray(value))
    return refused(errors, error(path, 'wrong-type', 'must be a list', { type: typeName(input.type) }));
  if (value.length > max) return refused(errors, error(path, 'max-items', tooMany(max), { max }));
  const items = value.map((item: unknown, index) => readItem(check, item, itemPath(path, index), errors));
  setInput(scope, place, items);
  return true;
}

function misfit(path: string, { message, isOutOfRange }: Extract<Checked, { ok: false }>, type: Type): InputError {
  if (isOutOfRange) return error(path, 'out-of-range', message, { ...type.digits });
  return error(path, 'wrong-type', message, { type: typeName(type) });
}

function tooMany(max: number): string {
  return `must ${VALIDATORS.maxItems.phrase([max], String)}`;
}

/** Reads an item. One that cannot be read becomes null, so that the others are still validated. */
function readItem(
  { input, read, enumValues, normalise }: ValueCheck,
  item: unknown,
  path: string,
  errors: InputError[],
): Value {
  if (item === null) {
    errors.push(error(path, 'not-nullable', 'must not be null'));
    return null;
  }
  const { many: _, ...type } = input.type;
  const checked = read(item, type, enumValues);
  if (checked.ok) return normalise ? normalise(checked.value) : checked.value;
  errors.push(misfit(path, checked, type));
  return null;
}

/** The path of an item, counted from 0 as in JSON: `tags[3]` is the fourth. */
function itemPath(path: string, index: number): string {
  return `${path}[${index}]`;
}

function typeName({ kind, enum: name, many }: Type): string {
  return many ? `[${name ?? kind}]` : (name ?? kind);
}

/** The value of an input; undefined where it was not sent, or was rejected. For a list of objects it is a list. */
export function inputAt({ inputs }: Scope, [first, second]: readonly string[]): Value | undefined {
  const value = inputs[first as string];
  if (second !== undefined && Array.isArray(value)) return value.map((item) => item[second] ?? null);
  return second === undefined ? (value as Value) : (value as Record<string, Value> | undefined)?.[second];
}

export function setInput({ inputs }: Scope, [first = '', second]: readonly string[], value: Value): void {
  if (second === undefined) inputs[first] = value;
  else inputs[first] = { ...(inputs[first] as Record<string, Value> | undefined), [second]: value };
}

function error(
  path: string,
  code: InputCode | 'max-length' | 'max-items' | 'min-items',
  message: string,
  params: InputError['params'] = {},
): InputError {
  return { path, code, message, params };
}
