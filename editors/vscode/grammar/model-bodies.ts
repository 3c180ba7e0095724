/** What may stand between the braces of models, enums, queries, hooks and validators. */
import { argumentAfter } from './expressions.ts';
import { bodyOf, expressionBody, membersOf, unknownWord } from './members.ts';
import { field, MEMBER, MODEL, namedValue, PARAMETER, returned, SPACE, typeName, WRITTEN_IN_QUERIES } from './parts.ts';
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

export const keyPart: Rule = {
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
  'field-body': [...membersOf('field', { type: [typeName], was: [named('was', MEMBER)] }), unknownWord],
  'reference-body': [
    ...membersOf('reference', {
      to: [named('to', MODEL)],
      on_delete: [
        statement([keyword('on'), keyword('delete')]),
        {
          match: `(${word('set')})${GAP}(${word('null')})`,
          captures: scoped('keyword.other', 'gap', 'storage.modifier'),
        },
        modifiers('cascade', 'restrict'),
      ],
      was: [named('was', MEMBER)],
    }),
    unknownWord,
  ],
  'relation-body': [...membersOf('relation', WRITTEN_IN_QUERIES), unknownWord],
  'query-body': [...membersOf('query', WRITTEN_IN_QUERIES), unknownWord],
  'hook-body': [
    ...membersOf('hook', {
      arg: [argumentAfter(namedValue('arg'), scoped('keyword.other', 'gap', PARAMETER))],
      source: [named('source', 'entity.name.function'), keywords('from')],
      inline: [INLINE_CODE, keywords('inline'), include('strings')],
      hook_runtime: [named('runtime', SPACE)],
      returns: returned,
    }),
    unknownWord,
  ],
  'arg_query-body': [...membersOf('arg_query', WRITTEN_IN_QUERIES), unknownWord],
  'validator-body': [
    ...membersOf('validator', {
      validator_arg: declaration('arg', PARAMETER, bodyOf('validator_arg', { type: [typeName] })),
    }),
    unknownWord,
  ],
};
