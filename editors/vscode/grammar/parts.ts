/** What several bodies have in common: names of scopes, and the members that stand in more than one kind of body. */
import { SCALAR_NAMES } from '../../../compiler/definition/scalars.ts';
import { expressionAfter } from './expressions.ts';
import { bodyOf, expressionAfterWord, type Written } from './members.ts';
import {
  block,
  COMMENTS,
  declaration,
  GAP,
  include,
  keyword,
  modifiers,
  NAME,
  named,
  names,
  type Rule,
  scoped,
  statement,
  word,
} from './rule.ts';

export const MODEL = 'entity.name.type.model';
export const SHAPE = 'entity.name.type.shape';
export const MEMBER = 'variable.other.property';
export const PARAMETER = 'variable.parameter';
export const SPACE = 'entity.name.namespace';

export const alias = named('as', 'variable.other');

/** `set title` and `arg title`, before a value. */
export function namedValue(keyword: string): string {
  return `(${word(keyword)})${GAP}(${NAME})`;
}

export const setMember = expressionAfter(
  namedValue('set'),
  scoped('keyword.other', 'gap', MEMBER),
  expressionAfterWord('when'),
);

const TYPE = `(${word(...SCALAR_NAMES)})|(${NAME})`;
const TYPE_SCOPES = scoped('support.type.primitive', 'entity.name.type');

/** `[string]`. */
const listType: Rule = {
  begin: '\\[',
  beginCaptures: { 0: { name: 'punctuation.section.brackets.begin.kiln' } },
  end: '\\]|(?=\\})',
  endCaptures: { 0: { name: 'punctuation.section.brackets.end.kiln' } },
  patterns: [COMMENTS, { match: TYPE, captures: TYPE_SCOPES }],
};

export const typeName: Rule = {
  ...named('type', 'support.type.primitive'),
  end: `${TYPE}|(?<=\\])|(?=[^\\s/\\[])`,
  endCaptures: TYPE_SCOPES,
  patterns: [COMMENTS, listType],
};

/** `email: string nullable`. */
const resultMember: readonly Rule[] = [
  { match: `${word('nullable')}(?!\\s*:)`, name: 'storage.modifier.kiln' },
  { match: NAME, name: `${MEMBER}.kiln` },
  {
    begin: ':',
    beginCaptures: { 0: { name: 'punctuation.separator.key-value.kiln' } },
    end: `${TYPE}|(?<=\\])|(?=[^\\s/\\[])`,
    endCaptures: TYPE_SCOPES,
    patterns: [COMMENTS, listType],
  },
];

/** `returns string`, `returns { email: string }`; a `nullable` may stand behind it. */
export const returned: readonly Rule[] = [
  {
    begin: `(${word('returns')})`,
    beginCaptures: scoped('keyword.other'),
    end: `${TYPE}|(?<=[\\]}])|(?=[^\\s/\\[{])`,
    endCaptures: TYPE_SCOPES,
    patterns: [COMMENTS, listType, block(...resultMember)],
  },
  modifiers('nullable'),
];

const orderItem: Rule = {
  ...expressionAfter('(?=[\\w"@(\\[-])', undefined),
  end: `(${word('asc', 'desc')})|(?!//|/\\*)(?=\\S)`,
  endCaptures: scoped('storage.modifier'),
};

export const orderBy = statement([keyword('order'), keyword('by')], block(orderItem));

export const inputs = block(names(MEMBER), bodyOf('input_field'));

/** `response Card` and `response { … }`. */
export function selectionAfter(word: string): readonly Rule[] {
  return [statement([keyword(word), [NAME, SHAPE]]), statement([keyword(word)], include('selection-body'))];
}

export const field = declaration('field', MEMBER, include('field-body'));

/** The parts of a query that have names, or values in an order. */
export const WRITTEN_IN_QUERIES: Written = {
  from: [expressionAfterWord('from', alias)],
  order_by: [orderBy],
  select: selectionAfter('select'),
};
