/** What may stand outside all braces, and the bodies of populators, which stand in no other. */
import { alias, inputs, MEMBER, MODEL, SPACE, setMember, textsAndWords, unknownWord } from './parts.ts';
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

const ENUM = 'entity.name.type.enum';

const populate = (scope: string) => declaration('populate', scope, alias, include('populate-body'));

export const DECLARATIONS: readonly Rule[] = [
  COMMENTS,
  {
    match: `(${word('drop')})${GAP}(${word('model')})${GAP}(${NAME})`,
    captures: scoped('keyword.other', 'gap', 'keyword.other', 'gap', MODEL),
  },
  ...declaration('model', MODEL, named('was', MODEL), include('model-body')),
  ...declaration('enum', ENUM, named('was', ENUM), include('enum-body')),
  ...declaration('validator', 'entity.name.function', include('validator-body')),
  statement([keyword('api')], include('api-body'), names(SPACE)),
  statement(
    [keyword('auth')],
    block(
      named('model', MODEL),
      named('login', MEMBER),
      named('password', MEMBER),
      named('subject', MEMBER),
      statement([keyword('register')], modifiers('off'), block(statement([keyword('input')], inputs), unknownWord)),
      unknownWord,
    ),
  ),
  ...declaration('runtime', SPACE, block(keywords('default', 'source', 'path'), ...textsAndWords)),
  ...declaration('populator', SPACE, block(...populate(MODEL), unknownWord)),
  statement(
    [keyword('generator', 'generate'), [word('client', 'apidocs'), 'constant.language']],
    block(named('target', 'constant.language'), keywords('output', 'basePath'), ...textsAndWords),
  ),
  unknownWord,
  include('unknown-body'),
];

export const POPULATOR_BODIES: Readonly<Record<string, readonly Rule[]>> = {
  'populate-body': [
    statement(
      [keyword('repeat')],
      alias,
      include('numbers'),
      block(keywords('start', 'end'), include('numbers'), unknownWord),
    ),
    setMember,
    ...populate(MEMBER),
    unknownWord,
  ],
};
