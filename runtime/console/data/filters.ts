/** `filter=title:contains:tea`: a column, how it is compared, and with what. Each part is checked; the value is bound. */
import { LONGEST_PART } from '../../../compiler/definition/contract/validators.ts';
import { all, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import { binderOf, valueFromText } from '../../values/kinds.ts';
import { isLongerThan } from '../../values/text.ts';
import { OPERATORS, type Operator, operatorsOf } from './data-forms.ts';
import { columnOf, type DataModels, type KnownColumn, type KnownModel } from './data-models.ts';
import { text, value } from './data-statements.ts';

/** The condition on a row of the table that is called `of`. Null where there are no filters. */
export function conditionFrom(filters: readonly string[], known: KnownModel, of: Sql, models: DataModels): Sql | null {
  if (filters.length === 0) return null;
  return all(filters.map((filter) => conditionOf(filter, known, of, models)));
}

function conditionOf(filter: string, known: KnownModel, of: Sql, models: DataModels): Sql {
  const [name = '', word = '', ...rest] = filter.split(':');
  const column = columnOf(known, name);
  const operator = operatorOf(word, column);
  return CONDITIONS[operator](sql`${of}.${column.name}`, column, rest.join(':'), models);
}

function operatorOf(word: string, { form }: KnownColumn): Operator {
  const operators = operatorsOf(form);
  const operator = OPERATORS.find((each) => each === word);
  if (operator !== undefined && operators.includes(operator)) return operator;
  throw new ApiError('malformed-request', {
    detail: `\`${form.name}\` can be filtered by ${operators.map((each) => `\`${each}\``).join(', ')}, not by \`${word}\`.`,
  });
}

type Condition = (place: Sql, column: KnownColumn, given: string, models: DataModels) => Sql;

const CONDITIONS: Readonly<Record<Operator, Condition>> = {
  is: (place, column, given, models) => sql`${place} = ${comparedWith(column, given, models)}`,
  contains: (place, _, given) => containsText(place, given),
  greater: (place, column, given, models) => sql`${place} > ${comparedWith(column, given, models)}`,
  less: (place, column, given, models) => sql`${place} < ${comparedWith(column, given, models)}`,
  null: (place) => sql`${place} IS NULL`,
  'not-null': (place) => sql`${place} IS NOT NULL`,
};

/** Whatever the case of its letters. */
export function containsText(place: Sql, given: string): Sql {
  if (isLongerThan(LONGEST_PART, given))
    throw new ApiError('malformed-request', {
      detail: `A text to look for must have at most ${LONGEST_PART} characters.`,
    });
  const pattern = `%${given.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`${place}::text ILIKE ${text(pattern)}`;
}

function comparedWith({ field, sqlType }: KnownColumn, given: string, models: DataModels): Sql {
  const checked = valueFromText(given, field.type, models.enumValues);
  if (checked.ok) return value(binderOf(field.type)(checked.value), sqlType);
  throw new ApiError('malformed-request', { detail: `The filter of \`${field.name}\` ${checked.message}.` });
}
