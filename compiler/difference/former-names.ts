/** How things were called in the definition before, so that the same thing has the same name on both sides. */
import { comparisonOf } from '../change/comparison.ts';
import { pairsOf } from '../change/pairs.ts';
import type { Definition } from '../definition/definition.ts';
import { memoizedBeside } from '../definition/memo.ts';

export interface FormerNames {
  readonly model: (name: string) => string;
  readonly field: (model: string, name: string) => string;
  readonly enumValue: (name: string, value: string) => string;
}

/** Of a definition that is compared with nothing, or is the earlier of two. */
export const OWN_NAMES: FormerNames = {
  model: (name) => name,
  field: (_model, name) => name,
  enumValue: (_name, value) => value,
};

/** Nothing of before has the name of what is new, also where it is called the same. */
export const formerNames = memoizedBeside((before: Definition, after: Definition): FormerNames => {
  const { models, members, enums } = comparisonOf(before, after);
  const ofModels = new Map(models.kept.map(({ previous, next }) => [next.name, previous.name]));
  const ofFields = new Map(
    members.flatMap(({ next, fields }) =>
      fields.kept.map((kept) => [`${next.name}.${kept.next.name}`, kept.previous.name]),
    ),
  );
  const ofValues = new Map(
    enums.kept.flatMap(({ previous, next }) =>
      pairsOf(previous.values, next.values).kept.map((kept) => [`${next.name}.${kept.next.name}`, kept.previous.name]),
    ),
  );
  return {
    model: (name) => ofModels.get(name) ?? `${NEW}${name}`,
    field: (model, name) => ofFields.get(`${model}.${name}`) ?? `${NEW}${name}`,
    enumValue: (name, value) => ofValues.get(`${name}.${value}`) ?? `${NEW}${value}`,
  };
});

/** No name begins so. */
const NEW = '+';
