import type { Assignment, ConflictChange, Input, ListInput, OnConflict, ValueInput } from '../definition/endpoint.ts';
import type { Expression, Validation } from '../definition/expression.ts';
import { boundOf } from '../definition/list-validation.ts';
import type * as program from '../program/program.ts';
import { conditionFrom, fittingFrom, type Lowering } from './expressions.ts';
import { validationFrom, withCheck } from './models.ts';
import { stepsFrom } from './paths.ts';
import { rowLowering } from './queries.ts';
import { normaliseFrom, typeFrom } from './types.ts';

/** The inputs: values at the root first, then a group for each action that has inputs of its own. */
export function inputsFrom(
  { inputs, actions }: Pick<program.Endpoint, 'inputs' | 'actions'>,
  around: Lowering,
): readonly Input[] {
  const uses = { keys: conflictKeys(actions), limits: new Set(actions.flatMap(limitsOf)) };
  const groups = new Map<string, program.Input[]>();
  for (const input of inputs)
    if (input.path.length === 2) groups.set(input.path[0], [...(groups.get(input.path[0]) ?? []), input]);
  return [
    ...inputs.filter(({ path }) => path.length === 1).map((input) => inputFrom(input, around, uses)),
    ...[...groups].map(([name, members]) => ({
      kind: 'group' as const,
      name,
      required: members.some(({ required }) => required),
      inputs: members.map((input) => valueInputFrom(input, around, uses)),
    })),
  ];
}

function inputFrom(input: program.Input, around: Lowering, uses: Uses): ValueInput | ListInput {
  if (!input.items) return valueInputFrom(input, around, uses);
  const { path, doc, required, type, items } = input;
  return {
    kind: 'list',
    name: path[0],
    doc,
    required,
    ...(type.nullable ? { nullable: true } : {}),
    minItems: items.minItems,
    maxItems: items.maxItems,
    inputs: items.inputs.map((inner) => valueInputFrom(inner, around)),
  };
}

type Inputs = ReadonlySet<program.Input>;

/** The inputs that are the whole key by which a create finds a record. */
function conflictKeys(actions: readonly program.Action[]): Inputs {
  const found = actions.flatMap((action) => {
    if (action.kind !== 'create' || action.onConflict?.key.length !== 1) return [];
    const key = action.values.find(({ field }) => field === action.onConflict?.key[0]);
    return (key?.isAsSent && key.sentWith) ?? [];
  });
  return new Set(found);
}

/** The inputs of which more is known than they say. */
interface Uses {
  readonly keys: Inputs;
  readonly limits: Inputs;
}

const NONE: Uses = { keys: new Set(), limits: new Set() };

export function valueInputFrom(input: program.Input, around: Lowering, { keys, limits } = NONE): ValueInput {
  const { field } = input;
  const validate = input.validate ? validationFrom(input.validate, around) : null;
  return {
    kind: 'value',
    name: input.path.at(-1) as string,
    doc: input.doc,
    type: typeFrom(input.type),
    required: input.required,
    ...normaliseFrom(input.normalise),
    default: input.default ? fittingFrom(input.default, input.type, around) : null,
    validate: limits.has(input) ? withCheck(validate, isNeverNegative, AT_LEAST_ZERO) : validate,
    stores: field ? { model: field.model.name, field: field.name, ...(keys.has(input) ? { isKey: true } : {}) } : null,
    finds: findsOf(input),
  };
}

function findsOf({ lookup, field }: program.Input): ValueInput['finds'] {
  if (lookup) {
    const { to, steps, field: by } = lookup;
    return { model: to.name, path: stepsFrom(steps), end: by.model.name, field: by.name };
  }
  const to = field?.reference?.to.name;
  return to ? { model: to, path: [], end: to, field: 'id' } : null;
}

/** A value that the client may leave out of an update changes nothing when it does. */
export function assignmentsFrom(
  kind: 'create' | 'update',
  model: program.Model,
  values: readonly program.Assignment[],
  around: Lowering,
): readonly Assignment[] {
  const written = values.map((assignment) => assignmentFrom(kind, assignment, around));
  return kind === 'create' ? [...written, ...defaultsOf(model, written)] : written;
}

function assignmentFrom(kind: 'create' | 'update', assignment: program.Assignment, around: Lowering): Assignment {
  const { sentWith } = assignment;
  const written = setFrom(kind, assignment, around);
  return kind === 'update' && sentWith?.mayBeAbsent ? { ...written, when: sentWith.path } : written;
}

/**
 * Lowers a `set`. If its condition does not hold, a new record gets the default, and a changed one gets what every
 * update sets.
 */
function setFrom(kind: 'create' | 'update', set: program.SetValue, around: Lowering): Assignment {
  const { field, value, when } = set;
  const fallback = kind === 'create' ? field.default : field.onUpdate;
  const written = (value: Expression) => ({ field: field.name, value, when: null });
  if (when && kind === 'update' && !fallback)
    return { ...written(fittingFrom(value, field.type, around)), condition: conditionFrom(when, around) };
  const otherwise = (): Expression =>
    fallback
      ? fittingFrom(fallback, field.type, rowLowering())
      : { kind: 'literal', type: typeFrom(field.type), value: null };
  return written(setOr(set, otherwise, around));
}

function setOr({ field, value, when }: program.SetValue, otherwise: () => Expression, around: Lowering): Expression {
  const given = fittingFrom(value, field.type, around);
  if (!when) return given;
  const args = [conditionFrom(when, around), given, otherwise()];
  return { kind: 'call', function: 'if', arguments: args, type: typeFrom(field.type) };
}

/** Lowers a `set` for all records of a query. If its condition does not hold, each record keeps its value. */
export function setOfEach(set: program.SetValue, around: Lowering): { field: string; value: Expression } {
  const { model, name, type, onUpdate } = set.field;
  const otherwise = (): Expression =>
    onUpdate
      ? fittingFrom(onUpdate, type, around)
      : { kind: 'field', path: [], model: model.name, field: name, type: typeFrom(type) };
  return { field: name, value: setOr(set, otherwise, around) };
}

/** The defaults of fields that nobody gives. */
function defaultsOf(model: program.Model, written: readonly Assignment[]): readonly Assignment[] {
  const given = new Set(written.map(({ field }) => field));
  return model.fields
    .filter((field) => field.default && !given.has(field.name))
    .map((field) => ({
      field: field.name,
      value: fittingFrom(field.default as program.Expression, field.type, rowLowering()),
      when: null,
    }));
}

// ── Inputs that are limits ──────────────────────────────────────────────────────────────────────────────────────────

// Inputs that are a `limit` or an `offset` of a query: a negative one is rejected before anything is done.

function limitsOf(action: program.Action): readonly program.Input[] {
  if (action.kind !== 'query') return [];
  const limits = [action.query.limit, action.query.offset].filter((limit) => typeof limit === 'object');
  return limits.flatMap((limit) => (limit.kind === 'path' && limit.root.kind === 'input' ? [limit.root.input] : []));
}

function isNeverNegative(validation: Validation): boolean {
  if (validation.kind === 'and') return validation.parts.some(isNeverNegative);
  if (validation.kind !== 'check' || validation.validator !== 'min') return false;
  const [least] = validation.arguments;
  return least?.kind === 'literal' && Number(least.value) >= 0;
}

const AT_LEAST_ZERO = boundOf('min', 0);

// ── Creates of records that may be there ────────────────────────────────────────────────────────────────────────────

// The changes that `create … or keep` or `create … or update` makes to an existing record.

type Create = Pick<program.Create, 'model' | 'values'>;

export function onConflictFrom({ does, key }: program.OnConflict, create: Create, around: Lowering): OnConflict {
  return { key: key.map(({ name }) => name), changes: does === 'keep' ? [] : changesOf(create, key, around) };
}

/** The changes: all values of the create except the key, which is the same, and the values that every update sets. */
function changesOf(
  { model, values }: Create,
  key: readonly program.Field[],
  around: Lowering,
): readonly ConflictChange[] {
  return model.fields.flatMap((field) => {
    if (key.includes(field)) return [];
    const assignment = values.find((value) => value.field === field);
    const given = assignment ? givenBy(assignment) : 'never';
    const condition = assignment?.when && { condition: conditionFrom(assignment.when, around) };
    const isSure = given === 'always' && !condition;
    const otherwise = isSure || !field.onUpdate ? null : fittingFrom(field.onUpdate, field.type, around);
    return given === 'never' && otherwise === null ? [] : [{ field: field.name, given, ...condition, otherwise }];
  });
}

/**
 * When the value counts. An input that the client leaves out changes nothing, as in an update. The default of the field
 * is for new records; a default of the input is for both.
 */
function givenBy({ field, sentWith }: program.Assignment): ConflictChange['given'] {
  if (!sentWith) return 'always';
  const { required, default: fallback, path, mayBeAbsent } = sentWith;
  return mayBeAbsent || (!required && fallback === field.default) ? path : 'always';
}
