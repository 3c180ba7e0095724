/** The filters of a list in the query string: `price[gte]=10`. */
import { LONGEST_PART } from '../../compiler/definition/contract/validators.ts';
import type { ListField } from '../../compiler/definition/endpoint.ts';
import { type FilterParameter, filterParameters, operatorsOf } from '../../compiler/definition/list-filters.ts';
import { type Bound, binderOf, type EnumValues, unsized, valueFromText } from '../values/kinds.ts';
import { normaliseOf } from '../values/normalise.ts';
import { isLongerThan } from '../values/text.ts';
import type { Sent } from './inputs.ts';
import { malformed } from './query-string.ts';

/** A filter of one request. */
export interface ListFilter {
  readonly parameter: FilterParameter;
  /** A list where the client has sent several values. */
  readonly value: Bound;
}

const NO_FILTERS: readonly ListFilter[] = [];

/** Reads the filters that were sent, in the order of the fields, so that equal combinations are equal lists. */
export function filtersReader(
  fields: readonly ListField[] = [],
  enumValues: EnumValues,
): (sent: Sent) => readonly ListFilter[] {
  const readers = new Map(
    fields
      .flatMap(filterParameters)
      .map((parameter, at) => [parameter.name, { at, read: readerOf(parameter, enumValues) }]),
  );
  return (sent) => {
    const found: { readonly at: number; readonly filter: ListFilter }[] = [];
    for (const name in sent) {
      const reader = readers.get(name);
      if (reader) found.push({ at: reader.at, filter: reader.read(sent[name] as string | readonly string[]) });
      else if (name.endsWith(']')) throw unknownFilter(name, fields);
    }
    if (found.length === 0) return NO_FILTERS;
    return found.sort((a, b) => a.at - b.at).map(({ filter }) => filter);
  };
}

function readerOf(parameter: FilterParameter, enumValues: EnumValues) {
  const { name, operator, field } = parameter;
  const type = unsized(parameter.type);
  const bind = binderOf(type);
  // A part of a text is looked for as it is: white space around it counts.
  const isPart = operator === 'contains' || operator === 'prefix';
  const normalise = isPart ? null : normaliseOf(field.normalise);
  const readOne = (text: string) => {
    const checked = valueFromText(text, type, enumValues);
    if (!checked.ok) throw malformed(name, checked.message);
    if (isPart && isLongerThan(LONGEST_PART, text))
      throw malformed(name, `must have at most ${LONGEST_PART} characters`);
    return bind(normalise ? normalise(checked.value) : checked.value) as string;
  };
  return (sent: string | readonly string[]): ListFilter => ({
    parameter,
    value: typeof sent === 'string' ? readOne(sent) : oneOrSeveral(sent.map(readOne)),
  });
}

/** One value is compared by itself, which is a statement that most requests share. */
function oneOrSeveral(values: readonly string[]): Bound {
  return values.length === 1 ? (values[0] as string) : values;
}

/** The error for an unknown filter: the client would believe that a parameter which looks like a filter is one. */
function unknownFilter(name: string, fields: readonly ListField[]) {
  const field = fields.find((known) => name.startsWith(`${known.name}[`));
  if (field)
    return malformed(
      name,
      `is unknown. The operators of \`${field.name}\` are ${operatorsOf(field.value.type).join(', ')}`,
    );
  if (fields.length === 0) return malformed(name, 'is unknown: this list has no filters');
  return malformed(name, `is unknown. The filters of this list are ${fields.map((known) => known.name).join(', ')}`);
}
