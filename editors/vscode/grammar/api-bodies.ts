/** What may stand between the braces of the API: entrypoints, endpoints, selections and actions. */
import { expressionAfter } from './expressions.ts';
import {
  alias,
  expressionAfterWord,
  expressionBody,
  field,
  inputs,
  MEMBER,
  MODEL,
  orderItem,
  pathAfterWord,
  queryProperties,
  select,
  setMember,
  textsAndWords,
  unknownWord,
} from './parts.ts';
import {
  block,
  declaration,
  GAP,
  include,
  keyword,
  keywords,
  modifiers,
  named,
  names,
  type Rule,
  scoped,
  statement,
  word,
} from './rule.ts';

const response = statement([keyword('response')], include('selection'));

const authorize = statement([keyword('authorize')], expressionBody);

/** The first step of a target; `as` begins an alias wherever it can. */
const TARGET_ALIAS = `${word('as')}(?=${GAP}(?!as${GAP}[A-Za-z_])[A-Za-z_])`;

const target: readonly Rule[] = [
  { ...alias, begin: `(${TARGET_ALIAS})` },
  { match: '@[A-Za-z_][A-Za-z0-9_]*', name: 'variable.language.kiln' },
  { ...named('\\.', MEMBER), begin: '(\\.)', beginCaptures: scoped('punctuation.accessor') },
  { match: '[A-Z][A-Za-z0-9_]*', name: 'entity.name.type.kiln' },
  names('variable.other'),
];

/** In one piece, and with the space behind it: what ends in a quotation mark would be taken for the value. */
const HEADER_NAME = '("""(?:"{0,2}[^"])*"""|"(?:[^"\\\\]|\\\\.)*")';

const HTTP_METHODS: readonly [string, string] = [word('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), 'constant.language'];

const entrypoint = (scope: string) => declaration('entrypoint', scope, alias, include('entrypoint-body'));

export const API_BODIES: Readonly<Record<string, readonly Rule[]>> = {
  'api-body': [...entrypoint(MODEL), unknownWord],
  'entrypoint-body': [
    statement([keyword('identify')], block(pathAfterWord('through'), unknownWord)),
    response,
    authorize,
    keywords('path'),
    statement(
      [keyword('list', 'get', 'create', 'update', 'delete', 'custom'), keyword('endpoint')],
      alias,
      include('endpoint-body'),
    ),
    statement([HTTP_METHODS, [word('one', 'many'), 'storage.modifier']], include('strings'), include('endpoint-body')),
    ...entrypoint(MEMBER),
    ...textsAndWords,
  ],
  selection: [
    names(MEMBER),
    expressionAfter(':', { 0: { name: 'punctuation.separator.key-value.kiln' } }, include('selection')),
    include('selection'),
  ],
  'endpoint-body': [
    response,
    authorize,
    statement([keyword('extra'), keyword('inputs')], block(...field, unknownWord)),
    statement([keyword('action')], include('action-body')),
    statement([keyword('filter')], expressionBody),
    statement([keyword('order'), keyword('by')], block(orderItem)),
    statement([keyword('paginable', 'pageable')], block(keywords('pageSize', 'max'), include('numbers'), unknownWord)),
    keywords('limit'),
    include('numbers'),
    { match: HTTP_METHODS[0], name: 'constant.language.kiln' },
    modifiers('one', 'many'),
    keywords('method', 'cardinality', 'path'),
    ...textsAndWords,
  ],
  'action-body': [
    statement([keyword('create', 'update')], include('write-body'), ...target),
    statement([keyword('delete')], block(unknownWord), ...target),
    statement([keyword('query')], alias, include('query-action-body')),
    statement([keyword('execute')], alias, include('execute-body')),
    statement([keyword('respond')], include('respond-body')),
    statement([keyword('validate')], keywords('with', 'key'), include('strings'), expressionBody),
    unknownWord,
  ],
  'write-body': [
    setMember,
    statement(
      [keyword('input')],
      { match: '\\*', name: 'keyword.operator.kiln' },
      statement([keyword('except')], block(names(MEMBER))),
      inputs,
    ),
    named('reference', MEMBER),
    pathAfterWord('through'),
    block(pathAfterWord('through'), unknownWord),
    unknownWord,
  ],
  'query-action-body': [
    ...queryProperties,
    select,
    statement([keyword('update')], block(setMember, unknownWord)),
    statement([keyword('delete')], block(unknownWord)),
    unknownWord,
  ],
  'execute-body': [statement([keyword('hook')], include('hook-body')), keywords('responds'), unknownWord],
  'respond-body': [
    expressionAfterWord('body', 'httpStatus'),
    statement([keyword('httpHeaders')], include('headers-body')),
    unknownWord,
  ],
  'headers-body': [expressionAfter(`${HEADER_NAME}[ \\t]?`, scoped('string.quoted.double')), unknownWord],
};
