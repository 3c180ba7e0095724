/**
 * Expressions. Where a member follows an expression without a comma, only the order of words tells the two apart, so there
 * are two states: one where a value has to come, which its end takes in, and one around it where an operator may come.
 */
import { BUILT_IN_FUNCTIONS } from '../../built-in-functions.ts';
import { COMMENTS, include, NAME, NEXT, type Rule, scoped, word } from './rule.ts';

const CALLED = '(?=\\s*\\()';

/** `hook { … }` is a value, but `hook { name }` may be a record with a selection. */
const HOOK = `${word('hook')}(?=\\s*\\{\\s*(?:$|//|/\\*|\\}|${word('arg', 'source', 'inline', 'runtime')}\\s+[\\w"]|${word('returns')}\\s*(?:\\w|\\[|\\{\\s*\\w+\\s*:)))`;
const QUERY = `${word('query')}(?=\\s*\\{)`;

/** One token that is a value, or begins a path; each alternative has its own scope. */
const VALUES: readonly (readonly [string, string])[] = [
  [word('true', 'false', 'null'), 'constant.language'],
  ['[0-9]+\\.[0-9]+', 'constant.numeric.float'],
  ['[0-9]+', 'constant.numeric.integer'],
  ['@[A-Za-z_][A-Za-z0-9_]*', 'variable.language'],
  [`${word(...BUILT_IN_FUNCTIONS)}${CALLED}`, 'support.function'],
  [`${NAME}${CALLED}`, 'entity.name.function'],
  ['[A-Z][A-Za-z0-9_]*', 'entity.name.type'],
  [NAME, 'variable.other'],
];

/** After a value that is more than one token. */
const WAS_VALUE = '(?<=[")\\]}])';

/** `{ name:` begins an object; any other block in place of a value is a slip. */
const OBJECT = `\\{(?=\\s*(?:\\}|$|//|/\\*|(?:${NAME}|"(?:[^"\\\\]|\\\\.)*")\\s*:))`;

const NO_VALUE = `(?=[^\\s\\w@"({\\[/-])|(?=/[^/*])|(?!${OBJECT})(?=\\{)`;

const OPERATOR = `(${word('and', 'or', 'is', 'in')})|([-+*/%]|[<>]=?)`;

const OPERATOR_SCOPES = scoped('keyword.operator.expression', 'keyword.operator');

/** Where the state around it begins, a value comes first; not where that is closed at once. */
const AT_ONCE = '\\G(?!\\s*[)\\]},])';

/** The state where a value has to come. `others` are values here that have a block; elsewhere their word is a name. */
function valueAfter(begin: string, scopes: Rule['beginCaptures'], ...others: readonly [string, Rule][]): Rule {
  const noName = [word('not'), HOOK, ...others.map(([ahead]) => ahead)].join('|');
  return {
    begin,
    ...(scopes && { beginCaptures: scopes }),
    end: `${WAS_VALUE}|(?!${noName})(?:${VALUES.map(([pattern]) => `(${pattern})`).join('|')})|${NO_VALUE}`,
    endCaptures: scoped(...VALUES.map(([, scope]) => scope)),
    patterns: [include('prefixes'), include('groups'), ...others.map(([, rule]) => rule)],
  };
}

const stepAfterDot: Rule = {
  begin: '\\.',
  beginCaptures: { 0: { name: 'punctuation.accessor.kiln' } },
  end: `(${NAME}${CALLED})|(${NAME})|(?=[^\\s/])`,
  endCaptures: scoped('entity.name.function.method', 'variable.other.property'),
  patterns: [COMMENTS],
};

function bracketed(open: string, close: string, kind: string): Rule {
  return {
    begin: `\\${open}`,
    beginCaptures: { 0: { name: `punctuation.section.${kind}.begin.kiln` } },
    end: `\\${close}`,
    endCaptures: { 0: { name: `punctuation.section.${kind}.end.kiln` } },
    patterns: [include('value-first'), include('continuation'), include('next-value')],
  };
}

const object: Rule = {
  begin: OBJECT,
  beginCaptures: { 0: { name: 'punctuation.section.braces.begin.kiln' } },
  end: '\\}',
  endCaptures: { 0: { name: 'punctuation.section.braces.end.kiln' } },
  patterns: [
    COMMENTS,
    include('comma'),
    include('strings'),
    { match: NAME, name: 'variable.other.property.kiln' },
    expressionAfter(':', { 0: { name: 'punctuation.separator.key-value.kiln' } }),
  ],
};

const hookBlock: Rule = {
  begin: `(${HOOK})`,
  beginCaptures: scoped('keyword.other'),
  end: '(?<=\\})',
  patterns: [COMMENTS, include('hook-body')],
};

const queryBlock: Rule = {
  begin: `(${QUERY})`,
  beginCaptures: scoped('keyword.other'),
  end: '(?<=\\})',
  patterns: [COMMENTS, include('arg_query-body')],
};

/** The state around an expression, after what `begin` takes. It is over where no operator follows. */
export function expressionAfter(begin: string, scopes: Rule['beginCaptures'], ...patterns: readonly Rule[]): Rule {
  return {
    begin,
    ...(scopes && { beginCaptures: scopes }),
    end: NEXT,
    applyEndPatternLast: 1,
    patterns: [include('value-first'), include('continuation'), ...patterns],
  };
}

/** What may stand where `expressionAfter` stands, and a query in braces too. */
export function argumentAfter(begin: string, scopes: Rule['beginCaptures']): Rule {
  return {
    ...expressionAfter(begin, scopes),
    patterns: [valueAfter(AT_ONCE, undefined, [QUERY, queryBlock]), include('continuation')],
  };
}

export const EXPRESSIONS: Readonly<Record<string, Rule>> = {
  'value-first': valueAfter(AT_ONCE, undefined),
  'next-value': valueAfter(',', { 0: { name: 'punctuation.separator.kiln' } }),
  prefixes: { patterns: [COMMENTS, { match: `(${word('not')})|(-)`, captures: OPERATOR_SCOPES }] },
  groups: {
    patterns: [include('strings'), bracketed('(', ')', 'parens'), bracketed('[', ']', 'brackets'), object, hookBlock],
  },
  continuation: {
    patterns: [
      COMMENTS,
      stepAfterDot,
      bracketed('(', ')', 'parens'),
      { match: word('not'), name: 'keyword.operator.expression.kiln' },
      valueAfter(OPERATOR, OPERATOR_SCOPES),
    ],
  },
  'expression-body': {
    begin: '\\{',
    beginCaptures: { 0: { name: 'punctuation.section.braces.begin.kiln' } },
    end: '\\}',
    endCaptures: { 0: { name: 'punctuation.section.braces.end.kiln' } },
    patterns: [include('value-first'), include('continuation')],
  },
};
