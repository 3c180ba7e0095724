/** What several bodies have in common: names of scopes, and the members that stand in more than one kind of body. */
import { SCALARS } from '../../../compiler/program/program.ts';
import { expressionAfter } from './expressions.ts';
import {
  block,
  declaration,
  GAP,
  include,
  keyword,
  keywords,
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
export const MEMBER = 'variable.other.property';
export const PARAMETER = 'variable.parameter';
export const SPACE = 'entity.name.namespace';

export const expressionBody = include('expression-body');
export const alias = named('as', 'variable.other');
export const flags = modifiers('unique', 'nullable', 'index', 'internal', 'secret', 'required');

/** Words that no pattern knows are taken whole, or the end of one could be taken for a keyword. */
export const unknownWord: Rule = { match: NAME };

export function expressionAfterWord(...words: readonly string[]): Rule {
  return expressionAfter(`(${word(...words)})`, scoped('keyword.other'));
}

export function pathAfterWord(keyword: string, ...patterns: readonly Rule[]): Rule {
  return expressionAfter(`(${word(keyword)})`, scoped('keyword.other'), ...patterns);
}

/** `set title` and `arg title`, before a value. */
export function namedValue(keyword: string): string {
  return `(${word(keyword)})${GAP}(${NAME})`;
}

export const setMember = expressionAfter(namedValue('set'), scoped('keyword.other', 'gap', MEMBER));

export const typeName: Rule = {
  ...named('type', 'support.type.primitive'),
  end: `(${word(...SCALARS)})|(${NAME})|(?=[^\\s/])`,
  endCaptures: scoped('support.type.primitive', 'entity.name.type'),
};

export const orderItem: Rule = {
  ...expressionAfter('(?=[\\w"@(\\[-])', undefined),
  end: `(${word('asc', 'desc')})|(?!//|/\\*)(?=\\S)`,
  endCaptures: scoped('storage.modifier'),
};

export const inputs = block(names(MEMBER), block(flags, expressionAfterWord('default'), unknownWord));

export const field = declaration('field', MEMBER, include('field-body'));

export const queryProperties: readonly Rule[] = [
  pathAfterWord('from', alias),
  statement([keyword('filter')], expressionBody),
  statement([keyword('order'), keyword('by')], block(orderItem)),
  keywords('limit', 'offset'),
  modifiers('first', 'one', 'count'),
  include('numbers'),
];

export const select = statement([keyword('select')], include('selection'));
export const textsAndWords: readonly Rule[] = [include('strings'), unknownWord];
