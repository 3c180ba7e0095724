/** The built-in functions, validators and types, each with its signature and a sentence about it. */

import { CompletionItemKind } from 'vscode-languageserver/node';
import { functionsAt, isCodeOnly } from '../../compiler/check/calls.ts';
import type { Context } from '../../compiler/check/context.ts';
import { fakerCatalogue } from '../../compiler/check/faker-catalogue.ts';
import type { Scope } from '../../compiler/check/scope.ts';
import { BUILT_IN_VALIDATORS, isBuiltInValidator, type ValidatorName } from '../../compiler/check/validations.ts';
import { SCALAR_NAMES, SCALARS, type Scalar } from '../../compiler/definition/scalars.ts';
import type { FunctionName, Member, Rule } from '../../compiler/program/program.ts';
import { typeName } from '../../compiler/program/type.ts';
import { HOLE } from './hole.ts';

interface BuiltIn {
  readonly call: string;
  readonly text: string;
}

const built = (call: string, text: string): BuiltIn => ({ call, text });

const duration = (unit: string, moved: string, example: string): BuiltIn =>
  built(`${unit}(count)`, `A duration, which is added to ${moved} or taken from it: \`${example}\`.`);

export const FUNCTION_TEXTS: Readonly<Record<FunctionName, BuiltIn>> = {
  length: built('length(text)', 'How many characters a text has.'),
  lower: built('lower(text)', 'The text in lower case.'),
  upper: built('upper(text)', 'The text in upper case.'),
  trim: built('trim(text)', 'The text without the white space around it.'),
  replace: built('replace(text, part, other)', 'The text with `other` in every place of `part`.'),
  substring: built('substring(text, from, length)', 'A part of a text. Its first character is 1.'),
  padStart: built('padStart(text, length, filling)', 'The text, filled from the left until it has so many characters.'),
  slugify: built('slugify(text)', 'The words of a text in lower case, without accents, joined by `-`.'),
  contains: built('contains(text, part)', 'Whether a text has this part. Case is ignored.'),
  startsWith: built('startsWith(text, start)', 'Whether a text starts with this. Case is ignored.'),
  endsWith: built('endsWith(text, end)', 'Whether a text ends with this. Case is ignored.'),
  stringify: built('stringify(value)', 'The value as a text: a string as it is, other values as in JSON.'),
  now: built('now()', 'This moment, as a timestamp; in milliseconds where an integer is asked for.'),
  today: built('today()', 'This day, as a date.'),
  years: duration('years', 'a date or a timestamp', 'today() + years(1)'),
  months: duration('months', 'a date or a timestamp', 'today() - months(1)'),
  weeks: duration('weeks', 'a date or a timestamp', 'now() + weeks(2)'),
  days: duration('days', 'a date or a timestamp', 'now() + days(3)'),
  hours: duration('hours', 'a timestamp', 'now() + hours(12)'),
  minutes: duration('minutes', 'a timestamp', 'now() + minutes(30)'),
  seconds: duration('seconds', 'a timestamp', 'now() - seconds(10)'),
  secondsBetween: built('secondsBetween(from, to)', 'The whole seconds from one date or timestamp to another.'),
  daysBetween: built('daysBetween(from, to)', 'The whole days of 24 hours from one date or timestamp to another.'),
  startOf: built('startOf(period, moment)', 'The beginning of the `"day"`, `"week"`, `"month"` or `"year"`, in UTC.'),
  concat: built('concat(value, …)', 'All the values as one text. Null counts as empty.'),
  coalesce: built('coalesce(value, …)', 'The first of the values that is not null.'),
  if: built('if(condition, then, otherwise)', 'The first value where the condition holds, else the second one.'),
  greatest: built('greatest(value, …)', 'The largest of the values. Nulls are left out.'),
  least: built('least(value, …)', 'The smallest of the values. Nulls are left out.'),
  round: built('round(number, places?)', 'The nearest whole number, or with so many places. Halves go away from zero.'),
  ceil: built('ceil(number)', 'The next whole number that is not smaller.'),
  floor: built('floor(number)', 'The next whole number that is not larger.'),
  abs: built('abs(number)', 'The number without its sign.'),
  integer: built('integer(value)', 'A number without its fraction, or the number in a text. Null where there is none.'),
  decimal: built('decimal(value)', 'A number as an exact one, or the number in a text. Null where there is none.'),
  count: built('count(records)', 'How many records there are.'),
  sum: built('sum(records.number)', 'The sum of the numbers.'),
  avg: built('avg(records.number)', 'The average of the numbers, null where there are none.'),
  min: built('min(records.value)', 'The smallest of the values, null where there are none.'),
  max: built('max(records.value)', 'The largest of the values, null where there are none.'),
  exists: built('exists(records)', 'Whether there is any record.'),
  cryptoHash: built('cryptoHash(text)', 'A hash of a password, another one each time.'),
  cryptoCompare: built('cryptoCompare(text, hash)', 'Whether a password fits a hash.'),
  cryptoToken: built('cryptoToken(length?)', 'Random letters, digits, `-` and `_`.'),
  oneOf: built('oneOf(event.types)', 'One of these records, which the populator has created before.'),
};

export const VALIDATOR_TEXTS: Readonly<Record<ValidatorName, BuiltIn>> = {
  min: built('min(least)', 'The number is at least this.'),
  max: built('max(most)', 'The number is at most this.'),
  minInt: built('minInt(least)', 'The integer is at least this.'),
  maxInt: built('maxInt(most)', 'The integer is at most this.'),
  minFloat: built('minFloat(least)', 'The float is at least this.'),
  maxFloat: built('maxFloat(most)', 'The float is at most this.'),
  minLength: built('minLength(characters)', 'The text has at least so many characters.'),
  maxLength: built('maxLength(characters)', 'The text has at most so many characters.'),
  pattern: built('pattern("…")', 'A regular expression finds something in the text.'),
  isEmail: built('isEmail()', 'The text is an email address.'),
  isUrl: built('isUrl()', 'The text is a URL.'),
  isUuid: built('isUuid()', 'The text is a UUID.'),
  alphanumeric: built('alphanumeric()', 'The text has letters and digits only.'),
  oneOf: built('oneOf(value, …)', 'The value is one of these.'),
  isEqual: built('isEqual(value)', 'The value is this one.'),
  isNotEqual: built('isNotEqual(value)', 'The value is not this one.'),
  minItems: built('minItems(items)', 'The list has at least so many items.'),
  maxItems: built('maxItems(items)', 'The list has at most so many items.'),
  distinct: built('distinct()', 'The list has no item twice.'),
  isEqualInt: built('isEqualInt(integer)', 'The integer is this one.'),
  isEqualFloat: built('isEqualFloat(number)', 'The float is this one.'),
  isEqualString: built('isEqualString(text)', 'The text is this one.'),
  isEqualBool: built('isEqualBool(boolean)', 'The boolean is this one.'),
};

export function scalarText(scalar: Scalar): string {
  return `${fenced(`type ${scalar}`)}\n\n${SCALARS[scalar].doc}`;
}

export function functionText(name: FunctionName): string {
  return textOf(FUNCTION_TEXTS[name]);
}

export function validatorText(name: string): string | undefined {
  const known = isBuiltInValidator(name) ? VALIDATOR_TEXTS[name] : undefined;
  return known && textOf(known);
}

export function fakerText(module: string, method: string | undefined): string {
  if (method === undefined) return `${fenced(`faker.${module}`)}\n\nA module of Faker.`;
  const known = fakerCatalogue[module]?.[method];
  const gives = `${known?.list ? 'a list of ' : ''}${known?.returns ?? 'any'}${known?.nullable ? ' or null' : ''}`;
  return `${fenced(`faker.${module}.${method}()`)}\n\nMade up by Faker: ${gives}.`;
}

function textOf({ call, text }: BuiltIn): string {
  return `${fenced(call)}\n\n${text}`;
}

export function fenced(text: string): string {
  return `\`\`\`kiln\n${text}\n\`\`\``;
}

// ── Completion ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Completion of the built-ins.

export interface Candidate {
  readonly name: string;
  readonly kind: CompletionItemKind;
  readonly detail?: string | undefined;
  readonly doc?: string | null;
  /** The inserted text, if it is not the name: `faker.`, which is nothing by itself. */
  readonly insert?: string;
  /** The same with `$1` at the place of the cursor, for editors that support it. */
  readonly snippet?: string;
  /** The member that it is. */
  readonly member?: Member;
  /** The rank: the most likely ones come first. */
  readonly rank?: number;
}

export function typeCandidates({ enums }: Context): readonly Candidate[] {
  const scalars = SCALAR_NAMES.map((name) => ({ name, kind: CompletionItemKind.Keyword, doc: SCALARS[name].doc }));
  return [
    ...scalars,
    ...[...enums.values()].map(({ name, doc }) => ({ name, kind: CompletionItemKind.Enum, detail: 'enum', doc })),
  ];
}

export function functionCandidates(scope: Scope | undefined): readonly Candidate[] {
  const isInDatabase = scope?.position.runs === 'database';
  return functionsAt(scope)
    .filter((name) => !isInDatabase || !isCodeOnly(name))
    .map((name) => ({ ...callCandidate(name, FUNCTION_TEXTS[name]), rank: 3 }));
}

export function ruleCandidates({ rules }: Context): readonly Candidate[] {
  return [...rules.byName.values()]
    .filter(({ name }) => name !== HOLE)
    .map((rule) => ({ ...callCandidate(rule.name, { call: ruleCall(rule), text: rule.doc }), rank: 2 }));
}

export const SETTING_CALL: Candidate = {
  ...callCandidate('setting', { call: 'setting(NAME)', text: 'The value of a setting.' }),
  rank: 3,
};

export function settingCandidates({ settings }: Context): readonly Candidate[] {
  const { Constant: kind } = CompletionItemKind;
  return [...settings.byName.values()]
    .filter(({ name }) => name !== HOLE)
    .map(({ name, doc, type }) => ({ name, kind, detail: typeName(type), doc }));
}

/** `may_edit(note: Note)`. */
export function ruleCall({ name, parameters }: Rule): string {
  return `${name}(${parameters.map((each) => `${each.name}: ${typeName(each.type)}`).join(', ')})`;
}

export function validatorCandidates({ validators }: Context): readonly Candidate[] {
  const builtIn = BUILT_IN_VALIDATORS.map((name) => callCandidate(name, VALIDATOR_TEXTS[name]));
  const own = [...validators.values()].map(({ name, doc: text, arguments: [, ...args] }) => {
    const call = args.length > 0 ? '(…)' : '()';
    return { ...callCandidate(name, { call, text }), detail: 'validator', rank: 0 };
  });
  return [...own, ...builtIn].filter(({ name }) => name !== HOLE);
}

function callCandidate(name: string, { call, text }: { readonly call: string; readonly text: string | null }) {
  const snippet = call.endsWith('()') ? `${name}()` : `${name}($1)`;
  return { name, kind: CompletionItemKind.Function, detail: call, doc: text, snippet };
}

/** The candidates of faker. `before` ends with the written part of the path: `faker.`, `faker.person.`. */
export function fakerCandidates(before: string): readonly Candidate[] | undefined {
  const path = /\bfaker\.(?:(\w+)\.)?$/.exec(before);
  if (!path) return undefined;
  const [, module] = path;
  if (module === undefined)
    return Object.keys(fakerCatalogue).map((name) => ({ name, kind: CompletionItemKind.Module, detail: 'faker' }));
  const methods = Object.hasOwn(fakerCatalogue, module) ? fakerCatalogue[module] : undefined;
  return Object.entries(methods ?? {}).map(([name, { returns, list, required }]) => ({
    name,
    kind: CompletionItemKind.Method,
    detail: `${list ? 'a list of ' : ''}${returns}`,
    snippet: required > 0 ? `${name}($1)` : `${name}()`,
  }));
}
