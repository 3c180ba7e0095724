/** What has to be asked of the database about the inputs of an endpoint: from its actions, before any of them runs. */
import type {
  Assignment,
  Create,
  Definition,
  Endpoint,
  Expression,
  Input,
  Model,
  Type,
  Update,
  ValueInput,
} from '../../compiler/definition/definition.ts';
import { modelIn } from '../../compiler/definition/lookup.ts';

export type Check = FindCheck | UniqueCheck;

/** An input that names a record. Its value becomes the record's id. */
export interface FindCheck {
  readonly kind: 'find';
  readonly path: readonly string[];
  readonly type: Type;
  readonly finds: NonNullable<ValueInput['finds']>;
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
interface Instead {
  readonly parts: readonly UniquePart[];
  readonly isKept: boolean;
}

export interface UniquePart {
  readonly field: string;
  /** Null where the changed record keeps what it has. */
  readonly value: Expression | null;
  /** The input that must have been sent for the value to count. */
  readonly when: readonly string[] | null;
}

export function checksOf({ request, actions, records }: Endpoint, definition: Definition): readonly Check[] {
  const known = new Set(['@auth', ...records.map(({ record }) => record)]);
  const writes = actions.filter((action) => action.kind === 'create' || action.kind === 'update');
  return [...findChecks(request.inputs), ...writes.flatMap((write) => uniqueChecks(write, known, definition))];
}

function findChecks(inputs: readonly Input[]): readonly FindCheck[] {
  const paths = inputs.flatMap((input): readonly [string[], ValueInput][] =>
    input.kind === 'value' ? [[[input.name], input]] : input.inputs.map((inner) => [[input.name, inner.name], inner]),
  );
  return paths.flatMap(([path, { type, finds }]) => (finds ? [{ kind: 'find', path, type, finds }] : []));
}

function uniqueChecks(
  write: Create | Update,
  known: ReadonlySet<string>,
  definition: Definition,
): readonly UniqueCheck[] {
  const model = modelIn(definition, write.model) as Model;
  const own = write.kind === 'update' ? write.id : null;
  if (own !== null && !isKnownBefore(own, known)) return [];
  const conflict = write.kind === 'create' ? write.onConflict : undefined;
  if (conflict === undefined) return uniqueChecksOf(model, toldKeys(model), write.values, own, known);
  const parts = partsOf(conflict.key, write.values);
  // Which record takes the place of the new one is not known yet.
  if (!parts.every(({ value }) => value && isKnownBefore(value, known))) return [];
  const others = toldKeys(model).filter((key) => key.join() !== conflict.key.join());
  const instead = { parts, isKept: conflict.changes.length === 0 };
  return uniqueChecksOf(model, others, write.values, own, known).map((check) => ({ ...check, instead }));
}

/** No check for keys with a secret field: the database rejects a duplicate, and the 409 names no field. */
function toldKeys(model: Model): readonly (readonly string[])[] {
  const secrets = new Set(model.fields.filter(({ secret }) => secret).map(({ name }) => name));
  const keys = [...model.fields.filter(isUnique).map(({ name }) => [name]), ...model.uniques];
  return keys.filter((key) => !key.some((field) => secrets.has(field)));
}

function uniqueChecksOf(
  model: Model,
  keys: readonly (readonly string[])[],
  values: readonly Assignment[],
  own: Expression | null,
  known: ReadonlySet<string>,
): readonly UniqueCheck[] {
  return keys.flatMap((key) => uniqueCheck(model.name, key, values, own, known));
}

function isUnique({ unique, name }: Model['fields'][number]): boolean {
  return unique && name !== 'id';
}

function uniqueCheck(
  model: string,
  key: readonly string[],
  values: readonly Assignment[],
  own: Expression | null,
  known: ReadonlySet<string>,
): readonly UniqueCheck[] {
  const assigned = key.map((field) => values.find((value) => value.field === field));
  const paths = assigned.flatMap((assignment) => (assignment?.value.kind === 'input' ? [assignment.value.path] : []));
  if (paths.length === 0) return [];
  const isComplete = assigned.every((assignment) =>
    assignment ? !assignment.condition && isKnownBefore(assignment.value, known) : own !== null,
  );
  if (!isComplete) return [];
  return [{ kind: 'unique', paths, model, parts: partsOf(key, values), own, instead: null }];
}

function partsOf(key: readonly string[], values: readonly Assignment[]): readonly UniquePart[] {
  return key.map((field) => {
    const assigned = values.find((value) => value.field === field);
    return { field, value: assigned?.value ?? null, when: assigned?.when ?? null };
  });
}

/** Whether its value is there before the first action. */
function isKnownBefore(value: Expression, known: ReadonlySet<string>): boolean {
  if (value.kind === 'snapshot') return known.has(value.record);
  return value.kind === 'input' || value.kind === 'literal';
}
