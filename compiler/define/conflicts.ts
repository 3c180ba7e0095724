/** What a `create … or keep` or `create … or update` does to a record that is there already. */
import type { ConflictChange, OnConflict } from '../definition/definition.ts';
import type * as program from '../program/program.ts';
import { conditionFrom, fittingFrom, type Lowering } from './expressions.ts';

interface Create {
  readonly model: program.Model;
  readonly values: readonly program.Assignment[];
}

export function onConflictFrom({ does, key }: program.OnConflict, create: Create, around: Lowering): OnConflict {
  return { key: key.map(({ name }) => name), changes: does === 'keep' ? [] : changesOf(create, key, around) };
}

/** All that the create gives, apart from the key, which is the same; and what every update sets. */
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
 * What a client may leave out changes nothing when it does, as in an update. The default of the field is for new
 * records; one that the author gives to the input is for both.
 */
function givenBy({ field, value, sentWith }: program.Assignment): ConflictChange['given'] {
  if (value.kind !== 'input') return sentWith?.mayBeAbsent ? sentWith.path : 'always';
  const { required, default: fallback, path } = value.input;
  const isLeftOut = !required && (fallback === undefined || fallback === field.default);
  return isLeftOut ? path : 'always';
}
