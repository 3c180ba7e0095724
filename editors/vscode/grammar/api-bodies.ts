/** What may stand between the braces of the API: entrypoints, endpoints, selections and actions. */
import { expressionAfter } from './expressions.ts';
import { bodyOf, expressionBody, membersOf, unknownWord, type Written } from './members.ts';
import { keyPart } from './model-bodies.ts';
import {
  alias,
  field,
  inputs,
  MEMBER,
  MODEL,
  orderBy,
  SHAPE,
  selectionAfter,
  setMember,
  WRITTEN_IN_QUERIES,
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

/** The first step of a target; `as` begins an alias wherever it can. */
const TARGET_ALIAS = `${word('as')}(?=${GAP}(?!as${GAP}[A-Za-z_])[A-Za-z_])`;

const target: readonly Rule[] = [
  { ...alias, begin: `(${TARGET_ALIAS})` },
  { match: '@[A-Za-z_][A-Za-z0-9_]*', name: 'variable.language.kiln' },
  { ...named('\\.', MEMBER), begin: '(\\.)', beginCaptures: scoped('punctuation.accessor') },
  { match: '[A-Z][A-Za-z0-9_]*', name: 'entity.name.type.kiln' },
  names('variable.other'),
];

/** With the space behind its brace: what is right behind a brace would be taken for the end of the create. */
const conflictKey: Rule = {
  ...block(keyPart),
  begin: `(${word('by')})${GAP}?(\\{)`,
  beginCaptures: scoped('keyword.other', 'gap', 'punctuation.section.braces.begin'),
  end: '(\\})\\s*',
  endCaptures: scoped('punctuation.section.braces.end'),
};

/** `or keep by { a, b }`. */
const onConflict = statement([[word('or'), 'keyword.operator.expression'], keyword('keep', 'update')], conflictKey);

/** In one piece, and with the space behind it: what ends in a quotation mark would be taken for the value. */
const HEADER_NAME = '("""(?:"{0,2}[^"])*"""|"(?:[^"\\\\]|\\\\.)*")';

const HTTP_METHODS: readonly [string, string] = [word('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), 'constant.language'];

/** Behind a name, a name with a capital letter is a shape. */
const SHAPE_NAME = '[A-Z][A-Za-z0-9_]*';

const selectedName: Rule = {
  begin: `(${NAME})`,
  beginCaptures: scoped(MEMBER),
  end: `(${SHAPE_NAME})|(?=[^\\s/])|(?=/[^/*])`,
  endCaptures: scoped(SHAPE),
  patterns: [COMMENTS],
};
/** Paths, as in `sortable { created_at, author.name }`. */
function listFields(property: string): readonly Rule[] {
  return [statement([keyword(property)], block(expressionAfter('(?=[A-Za-z_])', undefined)))];
}

const CALLER = ['@[A-Za-z_][A-Za-z0-9_]*', 'variable.language'] as const;

const entrypoint = (scope: string) => [
  statement([keyword('entrypoint'), CALLER], alias, include('entrypoint-body')),
  ...declaration('entrypoint', scope, alias, include('entrypoint-body')),
];

/** Before the path, whose operators would take the `or`. */
const lookup: readonly Rule[] = [
  {
    match: `(${word('or')})${GAP}(${word('create')})`,
    captures: scoped('keyword.operator.expression', 'gap', 'keyword.other'),
  },
  named('through', 'variable.other'),
  { match: `(\\.)(${NAME})?`, captures: scoped('punctuation.accessor', MEMBER) },
];

const PAGING: Written = { page_total: [keywords('total'), modifiers('off', 'estimated')] };

export const API_BODIES: Readonly<Record<string, readonly Rule[]>> = {
  'api-body': [...entrypoint(MODEL), unknownWord],
  'entrypoint-body': [
    ...membersOf('entrypoint', {
      endpoint: [
        statement(
          [keyword('list', 'get', 'create', 'update', 'delete', 'custom'), keyword('endpoint')],
          alias,
          include('endpoint-body'),
        ),
      ],
      custom_endpoint: [
        statement(
          [HTTP_METHODS, [word('one', 'many'), 'storage.modifier']],
          include('strings'),
          include('endpoint-body'),
        ),
      ],
      entrypoint: entrypoint(MEMBER),
      response: selectionAfter('response'),
    }),
    unknownWord,
  ],
  'selection-body': [
    { match: `(\\.{3})\\s*(${NAME})`, captures: scoped('keyword.operator', SHAPE) },
    selectedName,
    expressionAfter(':', { 0: { name: 'punctuation.separator.key-value.kiln' } }, include('selection-body'), {
      match: SHAPE_NAME,
      name: `${SHAPE}.kiln`,
    }),
    include('selection-body'),
  ],
  'endpoint-body': [
    ...membersOf('endpoint', {
      extra_inputs: [statement([keyword('extra'), keyword('inputs')], block(...field, unknownWord))],
      order_by: [orderBy],
      response: selectionAfter('response'),
      filterable: listFields('filterable'),
      sortable: listFields('sortable'),
      searchable: listFields('searchable'),
      paginable: [statement([keyword('paginable', 'pageable')], bodyOf('paginable', PAGING))],
      method: [keywords('method'), { match: HTTP_METHODS[0], name: 'constant.language.kiln' }],
    }),
    unknownWord,
  ],
  'action-body': [
    statement([keyword('create', 'update')], onConflict, include('write-body'), ...target),
    statement([keyword('delete')], block(unknownWord), ...target),
    statement([keyword('query')], alias, include('query_action-body')),
    statement(
      [keyword('for'), [NAME, 'variable.other']],
      expressionAfter(`(${word('in')})`, scoped('keyword.operator.expression')),
      include('action-body'),
    ),
    statement([keyword('execute')], alias, include('execute_action-body')),
    statement([keyword('respond')], include('respond_action-body')),
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
    ...lookup,
    block(...lookup, unknownWord),
    unknownWord,
  ],
  'query_action-body': [
    ...membersOf('query_action', {
      ...WRITTEN_IN_QUERIES,
      query_update: [statement([keyword('update')], block(setMember, unknownWord))],
      query_delete: [statement([keyword('delete')], block(unknownWord))],
    }),
    unknownWord,
  ],
  'execute_action-body': [...membersOf('execute_action'), unknownWord],
  'respond_action-body': [...membersOf('respond_action'), unknownWord],
  'http_headers-body': [expressionAfter(`${HEADER_NAME}[ \\t]?`, scoped('string.quoted.double')), unknownWord],
};
