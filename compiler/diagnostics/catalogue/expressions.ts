import type { Span } from '../../source/source-file.ts';
import { plural } from '../words/plural.ts';
import { type Edit, said, type Words } from '../words/words.ts';
import { isMany, listOf, note, type Unknown, unknown } from './phrases.ts';

/** Types, literals, operators and calls. Types are given as their authors call them. */
export const expressionWords = {
  'file-value': (f: { path: string | undefined }): Words => ({
    message: 'a file cannot be part of a computation, or be stored in another field',
    label: 'this is a file',
    help: `a file can be selected in a response, be compared with null${f.path ? ` (\`${f.path} is null\`)` : ''}, or be an argument of a hook. It belongs to one record: clients upload it`,
  }),

  'wrong-type': (f: Misfit & Wants & { text: string | undefined; help: string | undefined }): Words => {
    const unquoted = withoutQuotes(f.wanted, f.text);
    return {
      message: `${f.by} ${f.takes ? 'takes' : 'is'} ${f.wanted}, but this is ${f.found}`,
      label: unquoted ? `write \`${unquoted}\`, without quotes` : (conversion(f) ?? `${f.wanted} is expected here`),
      instead: unquoted,
      help: unquoted ? undefined : f.help,
    };
  },

  'may-be-null': (f: Misfit & { source: NullSource; work?: keyof typeof RECORD_IN_WORK | undefined }): Words => ({
    message:
      f.source === 'literal'
        ? `${f.by} cannot be null`
        : f.takes
          ? `${f.by} needs ${f.record ? 'a record' : 'a value'}, but this may be null`
          : `${f.by} cannot be null, but this may be`,
    label: isOfWork(f) ? RECORD_IN_WORK[f.work] : INSTEAD_OF_NULL[f.source],
  }),

  /** `member` is what has a list in each of many records or objects. */
  'list-of-lists': (f: { type: string; member?: string; of?: 'records' | 'objects' }): Words => ({
    message: f.member
      ? `\`${f.member}\` is ${f.type} in each of the ${f.of}, and a list cannot hold lists`
      : `this is ${f.type}, and a list cannot hold lists`,
    label:
      f.of === 'records' ? 'test the list in the `filter` of a query instead' : 'the items of a list are single values',
    help: f.member ? undefined : 'a field or an input of type `json` can hold lists of lists',
  }),

  'null-item': (f: { by: string; isLiteral: boolean }): Words => ({
    message: `the items of ${f.by} are never null, but this ${f.isLiteral ? 'is' : 'may be'}`,
    label: f.isLiteral ? 'remove this' : 'use a value that is never null, such as `coalesce(…, …)`',
  }),

  /** `role` is the comparison of the caller with a text, where a field of the caller may have it. */
  'not-a-condition': (f: { noun: string; type: string; role: string | undefined }): Words => ({
    message: `${f.noun} needs true or false, but this is ${f.type}`,
    label: f.role ? `write \`${f.role}\`` : condition(f.type),
    instead: f.role,
  }),

  /** `text` is what a side says that is a text in quotes. */
  'cannot-compare': (f: Comparison & { text: string | undefined }): Words => {
    const unquoted = withoutQuotes(f.left, f.text) ?? withoutQuotes(f.right, f.text);
    return {
      message: `\`${f.operator}\` cannot compare ${f.left} with ${f.right}`,
      label: unquoted ? `write \`${unquoted}\`, without quotes` : comparison(f),
    };
  },

  'not-a-collection': (f: { operator: string; type: string }): Words => ({
    message: `\`${f.operator}\` needs a collection, but this is ${f.type}`,
    label: f.type.startsWith('a string')
      ? 'compare a text with `is`; `in` takes a relation or a list, as in `["a", "b"]`'
      : 'name a relation, or a list such as `["a", "b"]`',
  }),

  'bad-operands': (f: { operator: string; left: string; right: string }) =>
    said(`\`${f.operator}\` cannot take ${f.left} and ${f.right}`, operandsWanted(f)),

  'bad-operand': (f: { operator: string; type: string; wants: string }) =>
    said(`\`${f.operator}\` takes ${f.wants}, but this is ${f.type}`, `${f.wants} is expected here`),

  'cannot-join': (f: { type: string; record: boolean }): Words => ({
    message: `${f.type} cannot be joined to a string`,
    label: isMany(f.type)
      ? 'count it with `count(…)`, or take one value of it'
      : f.record
        ? 'name one of its fields'
        : 'make it text with `stringify(…)`',
  }),

  'mixed-list': (f: { first: string; other: string }) =>
    said(`this list begins with ${f.first}, but this is ${f.other}`, 'all values of a list must have the same type'),

  'mixed-arguments': (f: { function: string; first: string; other: string }): Words => ({
    message: `all values of \`${f.function}\` must have the same type, but this is ${f.other} and the first is ${f.first}`,
    label: /(?=.*\bfloat)(?=.*\bdecimal)/.test(`${f.first} ${f.other}`)
      ? 'put `decimal(…)` around the float'
      : 'give it the type of the first',
  }),

  /** `whole` is the path as a call, where the name is that of a function. */
  'no-members': (f: { name: string; type: string; isFunction?: boolean; whole?: Edit | undefined }): Words => ({
    message: `\`.${f.name}\` cannot be read from ${f.type}`,
    label: f.isFunction
      ? `\`${f.name}\` is a function: \`${f.whole?.text ?? `${f.name}(…)`}\``
      : 'only records and objects have members',
    edits: f.isFunction && f.whole ? [f.whole] : undefined,
  }),

  'unknown-key': (f: Unknown & { others: readonly string[] }): Words =>
    unknown(f, `this object has no member \`${f.name}\``, 'it is empty'),

  'duplicate-key': (f: { name: string; first: Span }): Words => ({
    message: `this object has \`${f.name}\` twice`,
    label: 'leave one of them out',
    notes: note(f.first, 'it is here, too'),
  }),

  'object-not-here': (f: { noun: string }): Words => ({
    message: `objects cannot be used in ${f.noun}, because it runs in the database`,
    label: 'objects are for `respond`, `set`, `execute` and other code of the server',
  }),

  'wrong-argument': (f: Argument) => said(`\`${f.function}\` takes ${f.wants}, but this is ${f.type}`, argument(f)),

  'wrong-argument-count': (f: { function: string; fewest: number; most: number; count: number }): Words => ({
    message: `\`${f.function}\` takes ${counted(f.fewest, f.most)}, but is given ${f.count === 0 ? 'none' : f.count}`,
    label:
      f.count < f.fewest
        ? f.fewest - f.count === 1
          ? 'one more is needed'
          : `${f.fewest - f.count} more are needed`
        : f.most === 0
          ? 'leave the parentheses empty'
          : `leave out ${f.count - f.most === 1 ? 'one' : f.count - f.most}`,
  }),

  'stray-duration': (f: { name: string }): Words => ({
    message: `\`${f.name}(…)\` is a duration; it can only be added to or subtracted from a date or a timestamp`,
    label: `write \`now() + ${f.name}(…)\`; several durations are added one after the other`,
  }),

  'moved-value': (f: { operator: string; unit: string; type: string }): Words => ({
    message: `\`${f.operator} ${f.unit}(…)\` takes a date or a timestamp, but this is ${f.type}`,
    label: isMany(f.type) ? 'take one value of it' : 'a date or a timestamp is expected here',
  }),

  'time-on-date': (f: { operator: string; unit: string }): Words => ({
    message: `a date has no time of the day, so \`${f.operator} ${f.unit}(…)\` cannot move it`,
    label: 'use `days(…)`, or a timestamp in place of the date',
  }),

  /** `period` is undefined where it is not written out. */
  'unknown-period': (f: {
    period: string | undefined;
    near: string | undefined;
    periods: readonly string[];
  }): Words => ({
    message:
      f.period === undefined
        ? '`startOf` needs its period as a text in quotes'
        : `\`startOf\` has no period \`"${f.period}"\``,
    label: f.near
      ? `did you mean \`"${f.near}"\`?`
      : `write ${listOf(
          f.periods.map((period) => `"${period}"`),
          'or',
        )}`,
    instead: f.near && `"${f.near}"`,
  }),

  'code-only-function': (f: { name: string; noun: string }): Words => ({
    message: `\`${f.name}\` runs in the server, and ${f.noun} runs in the database`,
    label: 'use it in a `set`, an `authorize` or a hook',
  }),

  'hook-not-here': (f: { noun: string }) =>
    said(`${f.noun} cannot run custom code`, 'hooks run in `set`, `authorize`, `respond`, validators and `execute`'),

  'hook-in-expression': (f: { hook: string; noun: string }): Words => ({
    message: `the hook \`${f.hook}\` runs custom code, so ${f.noun} cannot use it`,
    label: 'a hook of a model can only be selected in a response',
  }),

  'faker-not-here': (f: { noun: string }): Words => ({
    message: `faker can only be used in a populator, and this is ${f.noun}`,
    label: 'use another value, or move this to a `populate`',
  }),

  /** `target` is the field that would store it. */
  'secret-read': (f: { field: string; noun: string; declared: Span; target?: string | undefined }): Words => ({
    message: `\`${f.field}\` is secret and cannot be used in ${f.noun}`,
    label: f.target
      ? `declare ${f.target} \`secret\`, or leave this out`
      : /`(identify|login|subject)`/.test(f.noun)
        ? 'name another field'
        : /`run`|reaction|schedule/.test(f.noun)
          ? `${f.field.startsWith('setting(') ? 'leave it out' : 'give the record instead'}, and read it in the job`
          : 'leave it out; only `set`, `authorize` and the arguments of hooks read secrets',
    notes: note(f.declared, 'it is declared `secret` here'),
  }),

  /** `step` is what follows the name, where something does. */
  'bad-iterator': (f: { name: string; step: string | undefined }): Words => ({
    message: `\`${f.name}\` is not a number itself; it has \`current\` and \`total\``,
    label: `write \`${f.name}.current\` or \`${f.name}.total\``,
    instead: f.step ? 'current' : `${f.name}.current`,
  }),

  'bad-literal': (f: { value: string; type: string; fault: LiteralFault; example: string }): Words => {
    const current = /^(now|today)\(\)$/.test(f.value) ? CURRENT[f.type] : undefined;
    return {
      message: `\`"${f.value}"\` is not a ${f.type}`,
      label: current ? `write \`${current}\` without quotes` : LITERAL_FAULTS[f.fault](f),
      instead: current,
    };
  },

  /** `escaped` is the character; `isHalf` where it takes a second one to make a character of it. */
  'unstorable-text': (f: { escaped: string; isHalf: boolean }): Words => ({
    message: `this text contains \`${f.escaped}\`, which ${f.isHalf ? 'is only half of a character' : 'cannot be stored'}`,
    label: f.isHalf ? 'write the other half too, or leave it out' : 'leave it out',
  }),

  /** `whole` and `fraction` are numbers of digits. */
  'number-too-large': (f: { type: keyof typeof TOO_LARGE; whole: number; fraction: number }): Words =>
    TOO_LARGE[f.type](f),

  'too-many-digits': (f: { digits: number; places: number }): Words => ({
    message: `this number does not fit into \`decimal(${f.digits}, ${f.places})\``,
    label: `use at most ${f.digits} digits, ${f.places} of them after the point`,
  }),

  'integer-too-large': (f: { text: string }): Words => ({
    message: `\`${f.text}\` is too large for an integer`,
    label: 'the largest is 9007199254740991',
    help: `a decimal may be larger; it is written with a point, as in \`${f.text}.0\``,
  }),

  'bad-escape': (f: { escape: string }): Words => ({
    message: `\`${f.escape}\` is not a valid escape in a text`,
    label: `write \`\\${f.escape}\``,
    help: 'the escapes are those of JSON: `\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t` and `\\u0041`; text between `"""` has none',
  }),

  'division-by-zero': (_: object) => said('this divides by zero', 'use another number'),

  /** `model` is the one that can only be meant. */
  'auth-not-declared': (f: { word: string; model: string | undefined }) =>
    said(`\`${f.word}\` is used, but \`auth\` is not declared`, `declare it: \`auth { model ${f.model ?? '…'} }\``),
};

/** The function that gives the moment of the request, by its type. */
const CURRENT: Readonly<Record<string, string>> = { timestamp: 'now()', date: 'today()' };

/** The reason why a text is not a date, a timestamp or a uuid. */
type LiteralFault = 'form' | 'calendar' | 'offset' | 'year';

const LITERAL_FAULTS: Readonly<Record<LiteralFault, (f: { type: string; example: string }) => string>> = {
  form: ({ example }) => `write it like \`"${example}"\``,
  calendar: ({ type }) => `there is no such ${type === 'date' ? 'day' : 'time'}`,
  offset: () => 'an offset is at most 15:59; write the time in UTC, with `Z`',
  year: ({ type }) => `use a year from 0001 to 9999${type === 'timestamp' ? ', in UTC too' : ''}`,
};

/** A value that does not fit, and who asked for another one. */
export interface Misfit {
  /** The origin, such as `` `Post.title` ``, or `` `minLength` ``, which takes values. */
  readonly by: string;
  readonly takes: boolean;
  readonly found: string;
  /** Whether the value is a record. */
  readonly record: boolean;
}

export interface Wants {
  readonly wanted: string;
  readonly wantsRecord: boolean;
  /** A value of the enum that is wanted. */
  readonly enumValue: string | undefined;
}

/** The possible source of a null. */
type NullSource = 'literal' | 'auth' | 'input' | 'query' | 'record' | 'value';

const REFUSED = 'put `refuse "missing" when … is null` before this';

const INSTEAD_OF_NULL: Readonly<Record<NullSource, string>> = {
  literal: 'give it a value, or make it `nullable`',
  auth: 'require it with `authorize { @auth is not null }`',
  input: REFUSED,
  query: 'end the query in `one`, so that there is always a record',
  record: 'require it with `authorize { … is not null }`',
  value: 'give a value to use instead of null: `coalesce(…, …)`',
};

/** There is no `authorize` beside requests. */
const RECORD_IN_WORK = {
  job: REFUSED,
  reaction: 'add `when … is not null` to the reaction',
  failure: 'use a `query` with a `filter`, which finds no record then',
};

function isOfWork<F extends { source: NullSource; work?: keyof typeof RECORD_IN_WORK | undefined }>(
  f: F,
): f is F & { work: keyof typeof RECORD_IN_WORK } {
  return f.work !== undefined && (f.source === 'record' || (f.source === 'input' && f.work === 'failure'));
}

const isText = (type: string) => /^a string( or null)?$/.test(type);
const isNumber = (type: string) => /^an? (decimal|integer|float)( or null)?$/.test(type);
const isTime = (type: string) => /^a (date|timestamp)( or null)?$/.test(type);

/** The number or truth value that a text contains, where that is what is wanted. */
function withoutQuotes(wanted: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (isNumber(wanted) && /^-?\d+$/.test(text)) return text;
  if (/^a (decimal|float)/.test(wanted) && /^-?\d+\.\d+$/.test(text)) return text;
  return /^a boolean/.test(wanted) && (text === 'true' || text === 'false') ? text : undefined;
}

/** The fixes of the commonest mismatches. */
function conversion({ wanted, wantsRecord, enumValue, found, record, by }: Misfit & Wants): string | undefined {
  if (isMany(found))
    return isNumber(wanted) ? 'count it with `count(…)`, or take one value of it' : 'a single value is expected here';
  if (isText(wanted)) return record ? 'name one of its fields' : 'make it text with `stringify(…)`';
  if (/^an integer/.test(wanted) && /^a float/.test(found)) return 'make it whole with `round(…)`';
  if (/^a date/.test(wanted) && isTime(found)) return 'a date is expected here, such as `today()`';
  if (/^a timestamp/.test(wanted) && isTime(found)) return 'a timestamp is expected here, such as `now()`';
  if (/^a boolean/.test(wanted)) return '`true` or `false` is expected here';
  if (record) return /^an integer|^a uuid/.test(wanted) ? 'name its `id`' : undefined;
  if (enumValue && !record && !isText(found)) return `write a value of the enum as text, such as \`"${enumValue}"\``;
  if (wantsRecord && /^an integer|^a uuid/.test(found)) {
    const [, reference] = /\.(\w+)`$/.exec(by) ?? [];
    return `give the record itself${reference ? `, or set \`${reference}_id\`` : ''}`;
  }
  return undefined;
}

function condition(type: string): string {
  if (isMany(type)) return 'test whether there are any with `exists(…)`';
  if (/^an? `/.test(type))
    return type.endsWith('or null') ? 'test it with `… is not null`' : 'compare it, as in `… is …`';
  return isNumber(type) ? 'compare it, as in `… > 0`' : 'compare it, as in `… is "draft"`';
}

export interface Comparison {
  readonly operator: string;
  readonly left: string;
  readonly right: string;
  /** The collection among the two as it was written, if it is a path. */
  readonly collection: string | undefined;
}

function comparison({ operator, left, right, collection = '…' }: Comparison): string {
  const both = [left, right];
  if (both.some(isMany) && both.includes('null') && operator.startsWith('is'))
    return `a collection may be empty, but it is never null: write \`${operator === 'is' ? 'not ' : ''}exists(${collection})\``;
  if (operator.endsWith('in')) return isMany(left) ? 'look for one value at a time' : 'the values must be of one type';
  if (both.every((type) => type.startsWith('a list')) && operator.startsWith('is'))
    return 'the items of both must be of one type, and not json';
  if (both.some(isMany))
    return operator.startsWith('is')
      ? 'use `in` for a collection: `value in collection`'
      : 'take one value of the collection';
  if (both.includes('null')) return 'null has no order; test for it with `is null`';
  if (left === right)
    return operator.startsWith('is')
      ? `${left} cannot be compared`
      : 'only numbers, strings, dates and timestamps have an order';
  if (both.every(isTime))
    return 'both must be dates, as `today()` is, or timestamps, as `now()` is; `secondsBetween` takes either';
  if (both.every(isNumber)) return 'a decimal is exact and a float is not, so they cannot be compared';
  if (both.some((type) => /^an? `/.test(type)) && both.some((type) => /^an integer|^a uuid/.test(type)))
    return 'compare records with records, and ids with ids';
  return 'both sides must be of one type';
}

function operandsWanted({ operator, left, right }: { operator: string; left: string; right: string }): string {
  const both = [left, right];
  if (both.every(isNumber)) return 'a decimal is exact and a float is not, so they cannot be mixed';
  if (both.some(isMany)) return 'take one value of the collection, as `sum(…)` and `count(…)` do';
  if (both.includes('null')) return 'null cannot be used in a calculation';
  if (both.every(isTime)) return 'write `secondsBetween(from, to)` or `daysBetween(from, to)`';
  if (both.some(isTime)) return 'use a duration, as in `+ days(3)` or `- hours(1)`';
  return operator === '+' ? 'add numbers, or join to a string' : 'numbers are expected on both sides';
}

export interface Argument {
  readonly function: string;
  readonly wants: string;
  readonly type: string;
  readonly record: boolean;
  /** The argument as it was written, if it is a path. */
  readonly path: string | undefined;
}

function argument(f: Argument): string {
  if (f.record && f.path && f.type.endsWith('or null') && /^(count|exists)$/.test(f.function))
    return `it is one record: write \`${f.path} is not null\``;
  if (f.function === 'exists' && f.path && f.type.startsWith('a list'))
    return `count its items: \`count(${f.path}) > 0\``;
  if (f.wants === 'a collection')
    return 'name a relation, such as `comments`, or a field of one, such as `comments.rating`';
  if (f.wants.startsWith('a collection')) return 'name a field of a relation, such as `lines.amount`';
  if (f.wants === 'the records of a relation')
    return 'name a relation, such as `event.types`; `faker.helpers.arrayElement([…])` picks a value';
  if (isMany(f.type)) return f.function === 'length' ? 'count it with `count(…)`' : 'take one value of it';
  if (f.record) return 'name one of its fields';
  return f.function === 'concat' ? 'make it text with `stringify(…)`' : `${f.wants} is expected here`;
}

function counted(fewest: number, most: number): string {
  if (fewest === most) return fewest === 0 ? 'no arguments' : plural(fewest, 'argument');
  if (most >= 99) return `at least ${plural(fewest, 'argument')}`;
  return `${fewest} to ${plural(most, 'argument')}`;
}

interface Digits {
  readonly whole: number;
  readonly fraction: number;
}

const TOO_LARGE = {
  float: ({ whole }: Digits): Words => ({
    message: `this number of ${whole} digits is too large for a float`,
    label: 'use a smaller one, or a decimal: a float ends at about 1.8e308',
  }),
  decimal: ({ whole, fraction }: Digits): Words => ({
    message: `this number has ${whole} digits before the point and ${fraction} after it, which is too many for a decimal`,
    label: 'use fewer: a decimal can have 131072 before the point and 16383 after it',
  }),
  json: ({ whole, fraction }: Digits): Words => ({
    message: `this number of ${whole + fraction} digits would be rounded in \`json\``,
    label: 'write it as a text, or with at most 15 digits',
  }),
};
