/**
 * Which types can take over the values of which others without a loss. Everything else would have to guess, round or
 * refuse some value, and is an error.
 *
 * | from                                                        | to          | a value becomes                      |
 * | ----------------------------------------------------------- | ----------- | ------------------------------------ |
 * | integer                                                     | float       | itself: integers are safe ones       |
 * | integer                                                     | decimal     | itself                               |
 * | date                                                        | timestamp   | the beginning of the day, in UTC     |
 * | all but json                                                | string      | its text, as `stringify` gives it    |
 * | all                                                         | json        | what it was in the JSON of the API   |
 * | enum                                                        | other enum  | the value of its name, as it is now  |
 *
 * A list of one type becomes no list of another, and no single value.
 *
 * A float is no decimal, because its digits are not those that were written; a timestamp is no date; text is nothing
 * but text or JSON, because nobody knows what is in it.
 */
import type { Type } from '../definition/expression.ts';
import { isScalar, SCALARS } from '../definition/scalars.ts';

function widerTypes({ kind }: Type): readonly Type['kind'][] {
  if (kind === 'enum') return ['string', 'json'];
  return isScalar(kind) ? SCALARS[kind].widerTypes : [];
}

/** Of two enums that are not one and the same; nullability is another matter. */
export function canCopy(from: Type, to: Type, values: EnumValues): boolean {
  if (from.many || to.many) return false;
  if (from.kind === 'enum' && to.kind === 'enum') {
    const there = new Set(values.next(to.enum as string));
    return values.previous(from.enum as string).every((value) => there.has(value));
  }
  return from.kind === to.kind || widerTypes(from).includes(to.kind);
}

/** The values of an enum of each side. Those of the previous side have been renamed where the next one says so. */
interface EnumValues {
  readonly previous: (name: string) => readonly string[];
  readonly next: (name: string) => readonly string[];
}
