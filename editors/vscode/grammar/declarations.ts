/** What may stand outside all braces, and the bodies of populators, which stand in no other. */
import { bodyOf, membersOf, unknownWord } from './members.ts';
import { alias, inputs, MEMBER, MODEL, SHAPE, SPACE, setMember } from './parts.ts';
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

const ENUM = 'entity.name.type.enum';

const inputMember = statement([keyword('input')], inputs);

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
  ...declaration('shape', SHAPE, named('of', MODEL), include('selection-body')),
  statement([keyword('api')], include('api-body'), names(SPACE)),
  statement(
    [keyword('auth')],
    bodyOf('auth', {
      auth_model: [named('model', MODEL)],
      auth_login: [named('login', MEMBER)],
      auth_password: [named('password', MEMBER)],
      auth_subject: [named('subject', MEMBER)],
      auth_register: [
        statement([keyword('register')], modifiers('off'), bodyOf('auth_register', { input: [inputMember] })),
      ],
    }),
  ),
  ...declaration('runtime', SPACE, bodyOf('runtime')),
  ...declaration('populator', SPACE, block(...populate(MODEL), unknownWord)),
  statement(
    [keyword('generator', 'generate'), [word('client', 'apidocs'), 'constant.language']],
    bodyOf('generator', { target_language: [named('target', 'constant.language')] }),
  ),
  unknownWord,
  include('unknown-body'),
];

export const POPULATOR_BODIES: Readonly<Record<string, readonly Rule[]>> = {
  'populate-body': [
    ...membersOf('populate', {
      repeat: [statement([keyword('repeat')], alias, include('numbers'), bodyOf('repeat_range'))],
      set: [setMember],
      populate: populate(MEMBER),
    }),
    unknownWord,
  ],
};
