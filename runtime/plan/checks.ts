/** The questions to the database about the inputs of an endpoint: derived from its actions, before any of them runs. */
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type {
  Action,
  Assignment,
  Create,
  Endpoint,
  Input,
  Update,
  ValueInput,
} from '../../compiler/definition/endpoint.ts';
import type { Expression, InputValue, Type } from '../../compiler/definition/expression.ts';
import { hasNode, isCode, modelIn, nodesIn } from '../../compiler/definition/lookup.ts';

export type Check = FindCheck | UniqueCheck;

/** An input that names a record. */
export interface Named {
  readonly path: readonly string[];
  readonly type: Type;
  readonly finds: NonNullable<ValueInput['finds']>;
  /** Whether each object of a list has this input. */
  readonly ofItems?: true;
}

/** The record must exist. The value of the input becomes its id. */
interface FindCheck extends Named {
  readonly kind: 'find';
}

/** Fields that no other record may have the same values in. */
export interface UniqueCheck {
  readonly kind: 'unique';
  /** The inputs that it is about: the first one that was sent is told. */
  readonly paths: readonly (readonly string[])[];
  readonly model: string;
  readonly parts: readonly UniquePart[];
  /** The id of the record that is changed, which may keep its values; null for a new one. */
  readonly own: Expression | null;
  /** The key of a record that takes the place of a new one; null where none does. */
  readonly instead: Instead | null;
}

/** If it is kept, nothing is stored and no value can be taken. If it is changed, it may keep its values. */
export interface Instead {
  readonly parts: readonly UniquePart[];
  /** The condition over records that may take the place; null where it may be any. */
  readonly only: Expression | null;
  readonly isKept: boolean;
}

export interface UniquePart {
  readonly field: string;
  /** Null where the changed record keeps what it has. */
  readonly value: Expression | null;
  /** The record whose id is the value; null where the value is known as it is. */
  readonly named: Named | null;
  /** The input that must have been sent for the value to count. */
  readonly when: readonly string[] | null;
}

export function checksOf({ request, actions, records }: Endpoint, definition: Definition): readonly Check[] {
  const writes = actions.filter((action) => action.kind === 'create' || action.kind === 'update');
  const finds = findChecks(request.inputs);
  const inputs = new Map(finds.map((check) => [check.path.join('.'), check]));
  const before: Before = {
    records: new Set(['@auth', ...records.map(({ record }) => record)]),
    inputs,
    made: new Map([...writes.flatMap((write) => namedByKey(write, inputs)), ...namedRecords(actions, inputs)]),
  };
  return [...finds, ...writes.flatMap((write) => uniqueChecks(write, before, definition))];
}

function findChecks(inputs: readonly Input[]): readonly FindCheck[] {
  return inputs.flatMap((input) => {
    if (input.kind === 'value') return findCheck([input.name], input);
    const ofItems = input.kind === 'list' ? { ofItems: true as const } : {};
    return input.inputs.flatMap((inner) =>
      findCheck([input.name, inner.name], inner).map((check) => ({ ...check, ...ofItems })),
    );
  });
}

function findCheck(path: readonly string[], { type, finds }: ValueInput): readonly FindCheck[] {
  return finds ? [{ kind: 'find', path, type, finds }] : [];
}

/** The records that extra inputs name. */
function namedRecords(
  actions: readonly Action[],
  inputs: ReadonlyMap<string, Named>,
): readonly (readonly [string, Named])[] {
  return actions.flatMap((action) => {
    if (action.kind !== 'query' || action.does.kind !== 'find' || action.record === null) return [];
    const named = inputs.get(action.does.input?.join('.') ?? '');
    return named && !named.ofItems ? [[action.record, named] as const] : [];
  });
}

/** The facts that are known before the first action. */
interface Before {
  readonly records: ReadonlySet<string>;
  /** The inputs that name records, by their paths. */
  readonly inputs: ReadonlyMap<string, Named>;
  /**
   * The creates that find a record by an input, or make it, by their names: a new record belongs to no other one yet.
   */
  readonly made: ReadonlyMap<string, Named>;
}

/**
 * Finds the record that a create is keyed by, as in `reference tag through name or create`. A key that is a record
 * named by an input is left out: its id is not known yet.
 */
function namedByKey(write: Create | Update, inputs: ReadonlyMap<string, Named>): readonly (readonly [string, Named])[] {
  if (write.kind === 'update' || write.each || write.onConflict?.key.length !== 1) return [];
  const { model, record, values, onConflict } = write;
  const [field] = onConflict.key as readonly [string];
  const assigned = values.find((value) => value.field === field);
  if (assigned?.value.kind !== 'input' || assigned.condition) return [];
  const { path, type } = assigned.value;
  if (inputs.has(path.join('.'))) return [];
  return [[record, { path, type, finds: { model, path: [], end: model, field } }]];
}

function uniqueChecks(write: Create | Update, before: Before, definition: Definition): readonly UniqueCheck[] {
  const model = modelIn(definition, write.model) as Model;
  const own = write.kind === 'update' ? write.id : null;
  if (own !== null && !isKnownBefore(own, before)) return [];
  const conflict = write.kind === 'create' ? write.onConflict : undefined;
  if (conflict === undefined) return uniqueChecksOf(model, toldKeys(model), write.values, own, before);
  const parts = partsOf(conflict.key, write.values, before);
  // The record that takes the place of the new one is not known yet.
  if (!parts.every((part) => isKnown(part, before))) return [];
  const { key, changes, only = null } = conflict;
  const keys = toldKeys(model).filter((each) => only || each.join() !== key.join());
  const instead = { parts, only, isKept: changes.length === 0 };
  return uniqueChecksOf(model, keys, write.values, own, before).map((check) => ({ ...check, instead }));
}

/** No check for keys with a secret field: the database rejects a duplicate, and the 409 names no field. */
export function toldKeys(model: Model): readonly (readonly string[])[] {
  const secrets = new Set(model.fields.filter(({ secret }) => secret).map(({ name }) => name));
  const keys = [...model.fields.filter(isUnique).map(({ name }) => [name]), ...model.uniques];
  return keys.filter((key) => !key.some((field) => secrets.has(field)));
}

function uniqueChecksOf(
  model: Model,
  keys: readonly (readonly string[])[],
  values: readonly Assignment[],
  own: Expression | null,
  before: Before,
): readonly UniqueCheck[] {
  return keys.flatMap((key) => uniqueCheck(model.name, key, values, own, before));
}

function isUnique({ unique, name }: Model['fields'][number]): boolean {
  return unique && name !== 'id';
}

function uniqueCheck(
  model: string,
  key: readonly string[],
  values: readonly Assignment[],
  own: Expression | null,
  before: Before,
): readonly UniqueCheck[] {
  const parts = partsOf(key, values, before);
  const paths = parts.flatMap(pathsOf);
  if (paths.length === 0) return [];
  const isConditional = values.some(({ field, condition }) => condition && key.includes(field));
  const isComplete = parts.every((part) => (part.value === null ? own !== null : isKnown(part, before)));
  if (isConditional || !isComplete) return [];
  return [{ kind: 'unique', paths, model, parts, own, instead: null }];
}

/** The input with the name of the field comes first. */
function pathsOf({ field, value, named }: UniquePart): readonly (readonly string[])[] {
  if (named) return [named.path];
  const paths = nodesIn<InputValue>(value, ({ kind }) => kind === 'input').map(({ path }) => path);
  return [...paths.filter((path) => path.at(-1) === field), ...paths];
}

function partsOf(key: readonly string[], values: readonly Assignment[], before: Before): readonly UniquePart[] {
  return key.map((field) => {
    const assigned = values.find((value) => value.field === field);
    const value = assigned?.value ?? null;
    return { field, value, named: value && namedBy(value, before), when: assigned?.when ?? null };
  });
}

function namedBy(value: Expression, { inputs, made }: Before): Named | null {
  if (value.kind === 'input') return inputs.get(value.path.join('.')) ?? null;
  return value.kind === 'snapshot' && value.read === 'id' ? (made.get(value.record) ?? null) : null;
}

function isKnown({ value, named }: UniquePart, before: Before): boolean {
  return named !== null || (value !== null && isKnownBefore(value, before));
}

/** Whether its value is there before the first action: it needs no action, no code, no hash and no random value. */
function isKnownBefore(value: Expression, { records, inputs }: Before): boolean {
  return !hasNode(value, (node) => {
    if (node.kind === 'snapshot') return !records.has(node.record as string);
    if (node.kind === 'input') return namesByOther(inputs.get((node.path as readonly string[]).join('.')));
    return isCode(node) || UNSURE.has(node.function);
  });
}

/** Whether a value of the key is neither what the client sends nor what a record has. */
export function isComputed(check: Check): boolean {
  const isPlain = ({ value, named }: UniquePart) => named !== null || PLAIN.has(value?.kind);
  return check.kind === 'unique' && !check.parts.every(isPlain);
}

const PLAIN: ReadonlySet<unknown> = new Set(['input', 'literal', 'snapshot', undefined]);

const UNSURE: ReadonlySet<unknown> = new Set(['cryptoHash', 'cryptoCompare', 'cryptoToken']);

/** Whether the input names its record by another field, so that it is not an id yet. */
export function namesByOther(named: Named | undefined): boolean {
  return named !== undefined && (named.finds.path.length > 0 || named.finds.field !== 'id');
}
