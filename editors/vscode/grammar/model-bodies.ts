/** What may stand between the braces of models, enums, queries, hooks and validators. */
import { argumentAfter } from './expressions.ts';
import {
  alias,
  expressionAfterWord,
  expressionBody,
  field,
  flags,
  MEMBER,
  MODEL,
  namedValue,
  PARAMETER,
  pathAfterWord,
  queryProperties,
  SPACE,
  select,
  textsAndWords,
  typeName,
  unknownWord,
} from './parts.ts';
import {
  block,
  COMMENTS,
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
import { INLINE_CODE } from './strings.ts';

const VALUE = 'variable.other.enummember';

const keyPart: Rule = {
  begin: `(${NAME})`,
  beginCaptures: scoped(MEMBER),
  end: `(${word('asc', 'desc')})|(?=[^\\s/])|(?=/[^/*])`,
  endCaptures: scoped('storage.modifier'),
  patterns: [COMMENTS],
};

export const MODEL_BODIES: Readonly<Record<string, readonly Rule[]>> = {
  // After a word that is wrong: the braces inside it must not end what stands around it.
  'unknown-body': [include('strings'), include('numbers'), unknownWord],
  'model-body': [
    ...field,
    ...declaration('reference', MEMBER, include('reference-body')),
    ...declaration('relation', MEMBER, include('relation-body')),
    ...declaration('computed', MEMBER, expressionBody),
    ...declaration('query', MEMBER, include('query-body')),
    ...declaration('hook', MEMBER, include('hook-body')),
    statement([keyword('unique', 'index')], block(keyPart)),
    named('drop', MEMBER),
    unknownWord,
  ],
  'enum-body': [
    {
      match: `(${NAME})${GAP}(${word('was')})${GAP}(${NAME})`,
      captures: scoped(VALUE, 'gap', 'keyword.other', 'gap', VALUE),
    },
    { match: `(${word('drop')})${GAP}(${NAME})`, captures: scoped('keyword.other', 'gap', VALUE) },
    names(VALUE),
  ],
  'field-body': [
    typeName,
    flags,
    expressionAfterWord('default', 'backfill'),
    statement([keyword('normalise')], block(modifiers('trim', 'lower'), unknownWord)),
    statement([keyword('validate')], expressionBody),
    named('was', MEMBER),
    unknownWord,
  ],
  'reference-body': [
    named('to', MODEL),
    flags,
    statement([keyword('on'), keyword('delete')]),
    { match: `(${word('set')})${GAP}(${word('null')})`, captures: scoped('keyword.other', 'gap', 'storage.modifier') },
    modifiers('cascade', 'restrict'),
    expressionAfterWord('backfill'),
    named('was', MEMBER),
    unknownWord,
  ],
  'relation-body': [pathAfterWord('from', alias), pathAfterWord('through'), unknownWord],
  'query-body': [...queryProperties, unknownWord],
  'hook-body': [
    argumentAfter(namedValue('arg'), scoped('keyword.other', 'gap', PARAMETER)),
    named('source', 'entity.name.function'),
    INLINE_CODE,
    keywords('from', 'inline'),
    named('runtime', SPACE),
    ...textsAndWords,
  ],
  'arg-query-body': [...queryProperties, select, unknownWord],
  'validator-body': [
    ...declaration('arg', PARAMETER, block(typeName, flags, unknownWord)),
    statement([keyword('assert')], expressionBody),
    statement([keyword('error')], block(keywords('code'), ...textsAndWords)),
    unknownWord,
  ],
};
