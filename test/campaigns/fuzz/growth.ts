/**
 * How the time for a long text grows: hostile texts of n, 2n and 4n characters for everything that touches what a client
 * sends. What takes more than twice as long for twice as much, twice over, is a way to block the server.
 */

import type { IncomingMessage } from 'node:http';
import type pg from 'pg';
import { withoutInexactNumbers } from '../../../compiler/definition/contract/exact-json.ts';
import { listParameters, PAGE_SIZES } from '../../../compiler/definition/contract/list-parameters.ts';
import type { BuiltInValidator } from '../../../compiler/definition/contract/validators.ts';
import type { Call, Expression, Operation, Type } from '../../../compiler/definition/expression.ts';
import { callSql } from '../../../compiler/definition/sql/call-sql.ts';
import { withShortPart } from '../../../compiler/definition/sql/overflow.ts';
import { sql } from '../../../compiler/definition/sql/sql.ts';
import { credentialsIn } from '../../../runtime/auth/session-tokens.ts';
import { ApiError } from '../../../runtime/errors/api-error.ts';
import { BUILT_IN_CHECKS } from '../../../runtime/expressions/compile-check.ts';
import { compileExpression } from '../../../runtime/expressions/compile-expression.ts';
import { emptyScope } from '../../../runtime/expressions/scope.ts';
import { cursorsOf } from '../../../runtime/query/keyset.ts';
import { clientAddress, networkOf } from '../../../runtime/request/client-address.ts';
import { placeOfMistake, requireJson } from '../../../runtime/request/json-body.ts';
import { filtersReader } from '../../../runtime/request/list-filters.ts';
import { queryParameters } from '../../../runtime/request/query-string.ts';
import { requestIdFrom, requestTargetFrom } from '../../../runtime/request/request-target.ts';
import { Router } from '../../../runtime/request/router.ts';
import { headerText } from '../../../runtime/values/header-text.ts';
import { jsonText } from '../../../runtime/values/json.ts';
import { checkValue, fitsType, KINDS, textFromBound, valueFromText } from '../../../runtime/values/kinds.ts';
import { normaliseOf } from '../../../runtime/values/normalise.ts';
import { isTooLongForPassword } from '../../../runtime/values/password.ts';
import type { Value } from '../../../runtime/values/value.ts';
import type { Report } from './report.ts';

/** Takes a hostile text. What it throws at the client is as good as a result. */
type Subject = (text: string) => unknown;

const SIZES = [10_000, 20_000, 40_000] as const;
/** In milliseconds: whatever is faster for the longest text is not looked at. */
const LONG_ENOUGH = 10;
/** Twice as long for twice as much, twice, is four times; so much more is no measuring error. */
const MOST_GROWTH = 8;
const RUNS = 3;
const TRIES = 3;

/** By what they are made of. Each gives a text of about so many characters. */
export const HOSTILE_TEXTS: Readonly<Record<string, (length: number) => string>> = {
  letters: (length) => 'a'.repeat(length),
  'almost letters': (length) => `${'a'.repeat(length)}!`,
  zeros: (length) => '0'.repeat(length),
  'zeros behind the point': (length) => `1.${'0'.repeat(length)}1`,
  'zeros before the point': (length) => `1${'0'.repeat(length)}.1`,
  digits: (length) => '9'.repeat(length),
  'almost digits': (length) => `-${'9'.repeat(length)}x`,
  fractions: (length) => `0.${'123456789'.repeat(length / 9)}`,
  exponents: (length) => `1e${'9'.repeat(length)}`,
  'fractions of a second': (length) => `2026-01-01T00:00:00.${'0'.repeat(length)}+`,
  accents: (length) => `a${'\u0301\u0323'.repeat(length / 2)}b`,
  'letters with accents': (length) => 'a\u0301\u0323\u0301'.repeat(length / 4),
  ligatures: (length) => '\ufdfa'.repeat(length),
  spaces: (length) => `x${' '.repeat(length)}x`,
  'ideographic spaces': (length) => `\u3000${'\u3000'.repeat(length)}x`,
  sigmas: (length) => 'Σ'.repeat(length),
  'a sigma and what is no letter': (length) => `aΣ${"'\u0301".repeat(length / 2)}`,
  'dotted capitals': (length) => 'İ'.repeat(length),
  'code points of two units': (length) => '😀'.repeat(length / 2),
  'halves of surrogate pairs': (length) => '\ud83d'.repeat(length),
  'nearly an address': (length) => `a@${'a-'.repeat(length / 2)}.c`,
  'many labels': (length) => `http://${'a.'.repeat(length / 2)}`,
  minuses: (length) => '-'.repeat(length),
  'minuses and spaces': (length) => '- '.repeat(length / 2),
  commas: (length) => ','.repeat(length),
  slashes: (length) => '/'.repeat(length),
  'absolute targets': (length) => `http://${'['.repeat(length)}`,
  escapes: (length) => '%41'.repeat(length / 3),
  'broken escapes': (length) => '%'.repeat(length),
  parameters: (length) => 'a&'.repeat(length / 2),
  'parameters of their own': (length) => Array.from({ length: length / 6 }, (_, at) => `${at}=`).join('&'),
  quotes: (length) => '"'.repeat(length),
  backslashes: (length) => `"${'\\'.repeat(length)}`,
  brackets: (length) => '['.repeat(length),
  'nested objects': (length) => '{"a":'.repeat(length / 5),
  'nested lists': (length) => `${'['.repeat(length / 2)}${']'.repeat(length / 2)}`,
  'a list of numbers': (length) => `[${'1e308,'.repeat(length / 6)}1]`,
  'a list of decimals': (length) => `[${'"1.0",'.repeat(length / 6)}"1"]`,
  'an object of many keys': (length) => JSON.stringify(Object.fromEntries(keys(length / 10))),
  'an unclosed string': (length) => `{"a":"${'\\u0041'.repeat(length / 6)}`,
  'names of files': (length) => `x;filename="${';filename="'.repeat(length / 11)}é`,
  'spaces before names of files': (length) => `é;${' '.repeat(length)};${' '.repeat(length)}filename`,
  colons: (length) => ':'.repeat(length),
  credentials: (length) => `Bearer ${'='.repeat(length)}!`,
  'types of content': (length) => `application/${'a+'.repeat(length / 2)}jso`,
  'a charset': (length) => `application/json; charset="${'"'.repeat(length)}`,
};

function keys(count: number): readonly (readonly [string, number])[] {
  return Array.from({ length: count }, (_, at) => [`k${at}`, at]);
}

// ── What touches texts in the server ────────────────────────────────────────────────────────────────────────────────

const STRING: Type = { kind: 'string' };
const LIST: Type = { kind: 'decimal', many: true };
const ENVIRONMENT = { hook: () => async () => null, enumValues: () => ['draft', 'published'] };

function input(name: string, type: Type): Expression {
  return { kind: 'input', path: [name], type };
}

const TEXT = input('text', STRING);
const ALL: Readonly<Record<string, Expression>> = {
  text: TEXT,
  /** Of the same kind, and long enough to be compared at every place. */
  part: input('part', STRING),
  short: input('short', STRING),
  count: input('count', { kind: 'integer' }),
};

function evaluated(expression: Expression): Subject {
  const { run } = compileExpression(expression, ENVIRONMENT);
  return (text) => {
    const scope = emptyScope();
    return run(
      Object.assign(scope, { inputs: { text, part: partOf(text), short: partOf(text.slice(0, 590)), count: 90_000 } }),
    );
  };
}

function calls(name: Call['function'], ...args: readonly string[]): Subject {
  const of = args.map((arg) => ALL[arg] as Expression);
  return evaluated({ kind: 'call', function: name, arguments: of, type: STRING });
}

function operations(operator: Operation['operator'], ...operands: readonly Expression[]): Subject {
  return evaluated({ kind: 'operation', operator, operands, type: { kind: 'boolean' } });
}

/** Null for those that take no text. */
const CALLS: Readonly<Record<Call['function'], Subject | null>> = {
  length: calls('length', 'text'),
  lower: calls('lower', 'text'),
  upper: calls('upper', 'text'),
  trim: calls('trim', 'text'),
  replace: calls('replace', 'text', 'short', 'part'),
  substring: calls('substring', 'text', 'count', 'count'),
  padStart: calls('padStart', 'text', 'count', 'part'),
  slugify: calls('slugify', 'text'),
  contains: calls('contains', 'text', 'part'),
  startsWith: calls('startsWith', 'text', 'part'),
  endsWith: calls('endsWith', 'text', 'part'),
  stringify: calls('stringify', 'text'),
  concat: calls('concat', 'text', 'part', 'text'),
  coalesce: calls('coalesce', 'text', 'part'),
  if: null,
  now: null,
  today: null,
  years: null,
  months: null,
  weeks: null,
  days: null,
  hours: null,
  minutes: null,
  seconds: null,
  secondsBetween: null,
  daysBetween: null,
  startOf: null,
  greatest: calls('greatest', 'text', 'part'),
  least: calls('least', 'text', 'part'),
  round: null,
  ceil: null,
  floor: null,
  abs: null,
  integer: calls('integer', 'text'),
  decimal: calls('decimal', 'text'),
  cryptoHash: isTooLongForPassword,
  cryptoCompare: isTooLongForPassword,
  cryptoToken: null,
  oneOf: null,
  file: null,
};

/** The arguments of each validator. */
const VALIDATORS: Readonly<Record<BuiltInValidator, readonly Value[]>> = {
  min: ['1.5'],
  max: ['1.5'],
  minLength: [3],
  maxLength: [3],
  pattern: ['^(a+)+$'],
  isEmail: [],
  isUrl: [],
  isUuid: [],
  alphanumeric: [],
  oneOf: ['a', 'b'],
  isEqual: ['a'],
  isNotEqual: ['a'],
  minItems: [1],
  maxItems: [1],
  distinct: [],
};

function validates(name: BuiltInValidator): Subject {
  const isOfNumbers = name === 'min' || name === 'max';
  const isOfLists = name.endsWith('Items') || name === 'distinct';
  const type: Type = { kind: isOfNumbers || isOfLists ? 'decimal' : 'string' };
  return (text) => {
    if (isOfNumbers && !KINDS.decimal.check(text, []).ok) return null;
    const list = [text, `${text}0`, ...(text.match(/.{10}/gs) ?? [])];
    return BUILT_IN_CHECKS[name](isOfLists ? list : text, VALIDATORS[name], type);
  };
}

function reads(kind: Type['kind']): Subject {
  const type: Type = kind === 'enum' ? { kind, enum: 'Status' } : { kind };
  return (text) => {
    const values = [
      checkValue(text, type, ENVIRONMENT.enumValues),
      fitsType(text, type, ENVIRONMENT.enumValues),
      valueFromText(text, type, ENVIRONMENT.enumValues),
    ];
    for (const checked of values) {
      if (!checked.ok || checked.value === null) continue;
      const { bind, print, isSame, compare } = KINDS[kind];
      textFromBound([bind(checked.value)]);
      print(checked.value);
      isSame(checked.value, kind === 'decimal' ? `${checked.value}` : 'x');
      if (typeof checked.value === 'string') compare(checked.value, `${checked.value}`, []);
    }
  };
}

const ROUTER = new Router(
  ['a', 'b'].map((text) => ({
    method: 'GET',
    path: [{ kind: 'literal', text: 'api' } as const, { kind: 'parameter', name: text } as const, literal(text)],
  })),
);

function literal(text: string) {
  return { kind: 'literal', text } as const;
}

const FILTERS = filtersReader(
  [{ name: 'title', value: { kind: 'field', path: [], model: 'Post', field: 'title', type: STRING } }],
  ENVIRONMENT.enumValues,
);
const CURSORS = cursorsOf('posts', [
  { value: { kind: 'field', path: [], model: 'Post', field: 'title', type: STRING }, descending: false },
]);
const LISTING = Object.values(
  listParameters({ page: PAGE_SIZES, sortable: [{ name: 'title' }], searchable: [{ name: 'title' }] }),
);

function request(headers: Readonly<Record<string, string>>): IncomingMessage {
  return { headers, socket: { remoteAddress: '::1' } } as unknown as IncomingMessage;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  ...Object.fromEntries(Object.entries(CALLS).flatMap(([name, subject]) => (subject ? [[name, subject]] : []))),
  'contains, with a short part': calls('contains', 'text', 'short'),
  join: operations('join', TEXT, TEXT),
  is: operations('is', TEXT, ALL.part as Expression),
  'is less than': operations('<', TEXT, ALL.part as Expression),
  sum: (text) => {
    const values = [text, ...(text.match(/\d{5}/g) ?? [])].flatMap((each) => KINDS.decimal.canonical?.(each) ?? []);
    const list = Object.assign(emptyScope(), { inputs: { list: values } });
    const sum = { kind: 'aggregate', function: 'sum', path: [], value: input('list', LIST), type: { kind: 'decimal' } };
    return compileExpression(sum as Expression, ENVIRONMENT).run(list);
  },
  ...Object.fromEntries(Object.keys(VALIDATORS).map((name) => [name, validates(name as BuiltInValidator)])),
  ...Object.fromEntries(Object.keys(KINDS).map((kind) => [`type ${kind}`, reads(kind as Type['kind'])])),
  normalise: (text) => normaliseOf(['trim', 'lower'])?.(text),
  'JSON with a mistake': (text) => placeOfMistake(text),
  'numbers in JSON': (text) => withoutInexactNumbers(text),
  'JSON as Postgres prints it': (text) => jsonText(parsed(text)),
  'query string': (text) => queryParameters(text, new Set(['a'])),
  'filter contains': (text) => FILTERS({ 'title[contains]': text }),
  filter: (text) => FILTERS({ title: [text, text] }),
  'unknown filter': (text) => FILTERS({ [`${text}]`]: text }),
  'parameters of a list': (text) => LISTING.map(({ read }) => read(text)),
  cursor: (text) => CURSORS.placeIn(Buffer.from(`\u0001123456${text}`).toString('base64url')),
  'request target': (text) => requestTargetFrom(text),
  path: (text) => ROUTER.find('GET', `/api/${text}`),
  'x-request-id': (text) => requestIdFrom(text),
  'x-forwarded-for': (text) => networkOf(clientAddress(request({ 'x-forwarded-for': text }), 1)),
  'content-type': (text) => requireJson({ 'content-type': text }),
  authorization: (text) => credentialsIn(text),
  'header of an answer': (text) => headerText('x-text', text),
  'content-disposition': (text) => headerText('content-disposition', text),
  location: (text) => headerText('location', text),
};

function parsed(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

// ── What touches texts in Postgres ──────────────────────────────────────────────────────────────────────────────────

function statement(name: Call['function'], ...args: readonly ReturnType<typeof sql>[]): string {
  return `SELECT ${callSql({ kind: 'call', function: name, arguments: [], type: STRING }, args).text}${FROM}`;
}

/** Not written out where it is used, so that nothing is computed before the statement runs. */
const FROM = ' FROM (SELECT $1::text, $2::text OFFSET 0) AS texts(body, part)';
const BODY = sql`body`;
const PART = sql`part`;

/** Each over one row with a hostile text and a third of it. */
const STATEMENTS: Readonly<Record<string, string>> = {
  lower: statement('lower', BODY),
  trim: statement('trim', BODY),
  slugify: statement('slugify', BODY),
  'contains, with a short part': statement('contains', BODY, sql`left(part, 200)`),
  startsWith: statement('startsWith', BODY, PART),
  endsWith: statement('endsWith', BODY, PART),
  'contains, with a part of the row': `SELECT ${withShortPart(PART, (part) => callSql({ kind: 'call', function: 'contains', arguments: [], type: STRING }, [BODY, part])).guarded?.text}${FROM}`,
};

// ── Measuring ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether times for n, 2n and 4n grow faster than the text. */
export function growsTooFast([first = 0, , last = 0]: readonly number[]): boolean {
  return last > LONG_ENOUGH && last > MOST_GROWTH * first;
}

export async function measureGrowth(client: pg.Client, report: Report, progress: (line: string) => void) {
  for (const [name, subject] of Object.entries(SUBJECTS)) {
    progress(`growth: ${name}`);
    for (const [kind, make] of Object.entries(HOSTILE_TEXTS)) {
      await judge(report, `${name} of ${kind}`, async (length) => processorTime(subject, make(length)));
    }
  }
  for (const [name, text] of Object.entries(STATEMENTS)) {
    progress(`growth in Postgres: ${name}`);
    for (const [kind, make] of Object.entries(HOSTILE_TEXTS)) {
      await judge(report, `${name} of ${kind} in Postgres`, (length) => statementTime(client, text, make(length)));
    }
  }
}

/** Whatever else the machine does can only make it slower: the shortest time counts, and a finding is looked at again. */
async function judge(report: Report, name: string, time: (length: number) => Promise<number>): Promise<void> {
  for (let tries = 0; ; tries++) {
    const times = [];
    for (const length of SIZES) times.push(await time(length));
    if (!growsTooFast(times)) return;
    if (tries < TRIES) continue;
    const shown = times.map((each) => `${Math.round(each)} ms`).join(', ');
    return report.fail(
      'growth',
      name,
      { rule: 'growth', detail: `${shown} for ${SIZES.join(', ')} characters` },
      () => '',
    );
  }
}

async function shortest(run: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < RUNS; at++) least = Math.min(least, await run());
  return least;
}

/** In milliseconds of the processor. */
function processorTime(subject: Subject, text: string): Promise<number> {
  return shortest(async () => {
    const before = process.cpuUsage();
    try {
      await subject(text);
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof RangeError) && !isOfHeader(error)) throw error;
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
}

function isOfHeader(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('the header');
}

async function statementTime(client: pg.Client, text: string, hostile: string): Promise<number> {
  const body = hostile.toWellFormed();
  const values = [body, partOf(body).toWellFormed()];
  return shortest(async () => {
    const start = performance.now();
    await client.query(text, values);
    return performance.now() - start;
  });
}

/** Nearly a part of the text at every place. */
function partOf(text: string): string {
  const half = text.slice(0, text.length / 6);
  return `${half}b${half}`;
}
