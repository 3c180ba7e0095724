/**
 * What the contract says about the language, statement by statement, in our own short words and in the order of the
 * contract, with the tests that hold each. `docs/language-coverage.md` is made from this list.
 */
export interface Clause {
  /** The section of the contract, then what it is about: `2.reference.set-null`. */
  readonly id: string;
  readonly says: string;
  /** Below `test/compiler`: cases without `.kiln`, cases of the API, or test files. */
  readonly tests: readonly string[];
}

/** Titles by the first part of an id. `d` are the decisions of `docs/language.md`. */
export const SECTIONS: Readonly<Record<string, string>> = {
  1: '1. Lexical rules',
  2: '2. Models',
  3: '3. Expressions',
  4: '4. Validators',
  5: '5. API',
  6: '6. Errors of the API',
  7: '7. Authentication',
  8: '8. Hooks, populators, generators',
  9: '9. Change over time',
  10: '10. What the compiler says',
  d: 'Decisions',
};

export const CLAUSES: readonly Clause[] = [
  // ── 1. Lexical rules ──
  {
    id: '1.files',
    says: "the `*.kiln` files below the project's folder are one program",
    tests: ['language/lexical-several-files', '../files/read-sources.test.ts'],
  },
  {
    id: '1.files.order',
    says: 'the order of the files does not matter',
    tests: ['coverage.test.ts', 'language/lexical-several-files'],
  },
  {
    id: '1.comment',
    says: '`//` comments a line, `/* */` a block',
    tests: ['language/lexical-comments', 'rules/unterminated-comment', 'rules/foreign-comment'],
  },
  {
    id: '1.doc',
    says: '`///` belongs to the declaration below it',
    tests: ['language/lexical-doc-comments', 'rules/misplaced-doc-comment'],
  },
  {
    id: '1.doc.description',
    says: 'a doc comment becomes the description of what it belongs to',
    tests: ['language/lexical-doc-comments'],
  },
  {
    id: '1.name',
    says: 'a name is letters, digits and `_`, and does not begin with a digit',
    tests: ['rules/bad-name', 'rules/bad-name.digit'],
  },
  {
    id: '1.name.keyword',
    says: 'every keyword is also a name',
    tests: ['language/lexical-keywords-as-names', 'coverage.test.ts', '../tree-sitter-grammar/corpus.test.ts'],
  },
  { id: '1.name.reserved', says: '`null true false and or not is in` are reserved', tests: ['rules/reserved-word'] },
  {
    id: '1.auth',
    says: '`@auth` is the authenticated record',
    tests: ['language/auth-model', 'rules/auth-not-declared'],
  },
  {
    id: '1.integer',
    says: 'integers',
    tests: ['language/lexical-numbers', 'rules/integer-too-large', 'rules/bad-number'],
  },
  { id: '1.float', says: 'floats are written `1.5`', tests: ['language/lexical-numbers', 'rules/bad-number.exponent'] },
  { id: '1.minus', says: 'a number may have a minus in front', tests: ['language/lexical-numbers'] },
  {
    id: '1.string',
    says: 'strings have JSON escapes',
    tests: ['language/lexical-strings', 'rules/bad-escape', 'rules/unterminated-string', 'rules/foreign-quotes'],
  },
  {
    id: '1.raw',
    says: '`"""` holds raw text over several lines',
    tests: ['language/lexical-strings', 'rules/unterminated-raw-string'],
  },
  { id: '1.constants', says: '`true`, `false`, `null`', tests: ['language/lexical-constants-and-lists'] },
  {
    id: '1.list',
    says: 'lists are written `[a, b]`',
    tests: ['language/lexical-constants-and-lists', 'rules/mixed-list', 'rules/missing-operator.list'],
  },
  {
    id: '1.separators',
    says: 'white space or a comma separates; a comma is optional and may trail',
    tests: ['language/lexical-commas', 'rules/needless-sign'],
  },
  { id: '1.format', says: 'the formatter writes the canonical form', tests: ['format.test.ts'] },

  // ── 2. Models ──
  {
    id: '2.model',
    says: '`model Name [was OldName] { members }`',
    tests: ['language/model-fields', 'language/change-was-and-drop', 'rules/declared-twice'],
  },
  {
    id: '2.model.table',
    says: 'a model is a table, named in snake_case',
    tests: ['language/model-names', 'rules/same-table', 'rules/reserved-table'],
  },
  {
    id: '2.model.column',
    says: 'a column is named in snake_case',
    tests: ['language/model-names', 'rules/same-column'],
  },
  {
    id: '2.field',
    says: 'a field is a column; only `type` is required',
    tests: ['language/field-options', 'rules/missing-type'],
  },
  { id: '2.field.unique', says: '`unique`', tests: ['language/field-options', 'rules/index-of-unique'] },
  { id: '2.field.nullable', says: '`nullable`', tests: ['language/field-options', 'rules/required-field'] },
  {
    id: '2.field.default',
    says: '`default e`',
    tests: ['language/field-defaults', 'rules/wrong-type', 'rules/may-be-null'],
  },
  {
    id: '2.lists.inputs',
    says: 'list types such as `[string]` for extra inputs; `minItems`, `maxItems` and `distinct` look at the list, other validators at each item',
    tests: [
      'language/input-lists',
      'rules/list-argument',
      'rules/list-of-lists',
      'rules/mixed-list-validators',
      'rules/null-item',
      'rules/validator-on-wrong-type.lists',
    ],
  },
  {
    id: '2.field.on-update',
    says: '`on update e`: set at every update that does not set the field itself',
    tests: [
      'language/field-on-update',
      'rules/unknown-name.on-update',
      'rules/code-only-function.on-update',
      'rules/wrong-type.on-update',
      '../runtime/api/on-update.http',
    ],
  },
  {
    id: '2.field.validate',
    says: '`validate { … }`',
    tests: ['language/field-options', 'language/validator-built-in'],
  },
  { id: '2.field.index', says: '`index`', tests: ['language/field-options'] },
  {
    id: '2.field.internal',
    says: '`internal`: never taken from a client unless an `input` names it',
    tests: [
      'language/create-inputs-complete',
      'language/auth-register',
      'rules/unset-field.internal',
      'rules/misplaced-flag.internal',
      '../runtime/api/create-inputs-complete.http',
    ],
  },
  {
    id: '2.field.normalise',
    says: '`normalise { trim, lower }`: applied to inputs, identifiers and logins before they are checked or compared',
    tests: [
      'language/field-normalise',
      'rules/normalise-not-text',
      'rules/empty-normalise',
      '../runtime/api/auth-register.http',
    ],
  },
  { id: '2.field.secret', says: '`secret`', tests: ['language/field-options', 'language/field-secret'] },
  { id: '2.field.backfill', says: '`backfill e`', tests: ['language/change-backfill'] },
  { id: '2.field.was', says: '`was old`', tests: ['language/field-options', 'language/change-was-and-drop'] },
  {
    id: '2.reference',
    says: 'a reference is a foreign key and adds the field `n_id`',
    tests: ['language/reference-on-delete', 'rules/reference-without-target', 'rules/unknown-model'],
  },
  { id: '2.reference.unique', says: 'a reference may be `unique`', tests: ['language/reference-unique-and-nullable'] },
  {
    id: '2.reference.nullable',
    says: 'a reference may be `nullable`',
    tests: ['language/reference-unique-and-nullable'],
  },
  {
    id: '2.reference.on-delete',
    says: '`on delete cascade`, `set null` or `restrict`',
    tests: ['language/reference-on-delete'],
  },
  { id: '2.reference.restrict', says: '`restrict` is the default', tests: ['language/reference-on-delete'] },
  {
    id: '2.reference.set-null',
    says: '`set null` needs `nullable`',
    tests: ['rules/set-null-needs-nullable', 'language/reference-on-delete'],
  },
  {
    id: '2.reference.indexed',
    says: 'the key is indexed without being told',
    tests: ['rules/reference-index', 'language/reference-on-delete'],
  },
  {
    id: '2.reference.backfill',
    says: '`backfill e`, a record or its id, for the rows that exist',
    tests: [
      'language/reference-backfill',
      'migrations/backfill-reference',
      'rules/wrong-type.backfill-of-reference',
      'rules/may-be-null.backfill-of-reference',
    ],
  },
  { id: '2.reference.was', says: '`was old` renames the key too', tests: ['language/reference-unique-and-nullable'] },
  {
    id: '2.reference.secret',
    says: 'a reference takes no `secret` and is not `required`',
    tests: ['rules/reference-secret', 'rules/required-field.reference'],
  },
  {
    id: '2.relation',
    says: 'a relation is the reverse side of a reference',
    tests: [
      'language/relation-many-and-single',
      'rules/incomplete-relation',
      'rules/unknown-through',
      'rules/relation-elsewhere',
      'rules/relation-by-path',
      'rules/relation-alias',
    ],
  },
  { id: '2.relation.many', says: 'it is a collection', tests: ['language/relation-many-and-single'] },
  {
    id: '2.relation.single',
    says: 'over a unique reference it is a single nullable record',
    tests: ['language/relation-many-and-single'],
  },
  {
    id: '2.computed',
    says: 'a computed member is an expression that the database evaluates',
    tests: [
      'language/computed-aggregates',
      'language/computed-nullable',
      'rules/computed-not-a-value',
      'rules/depends-on-itself',
      'rules/expands-too-far',
    ],
  },
  {
    id: '2.computed.use',
    says: 'it can be used in response, filter and order by',
    tests: ['language/computed-in-use'],
  },
  { id: '2.query', says: 'a query is a named selection', tests: ['language/query-properties', 'rules/missing-from'] },
  {
    id: '2.query.from',
    says: 'over relations, references, queries or models',
    tests: ['language/query-sources', 'rules/unknown-source', 'rules/not-records'],
  },
  {
    id: '2.query.alias',
    says: '`from path as a` names the row',
    tests: ['language/query-properties', 'rules/alias-hides-name.query'],
  },
  { id: '2.query.filter', says: '`filter { e }`', tests: ['language/query-properties'] },
  {
    id: '2.query.order',
    says: '`order by { e [asc|desc] }`',
    tests: ['language/query-properties', 'rules/not-sortable'],
  },
  { id: '2.query.limit', says: '`limit N`, `offset N`', tests: ['language/query-properties', 'rules/idle-property'] },
  { id: '2.query.first', says: '`first` is nullable', tests: ['language/query-cardinality'] },
  { id: '2.query.one', says: '`one` is not', tests: ['language/query-cardinality'] },
  { id: '2.query.count', says: '`count` is a number', tests: ['language/query-cardinality', 'rules/idle-property'] },
  {
    id: '2.hook',
    says: 'a hook is a property that custom code computes when it is selected',
    tests: [
      'language/hook-inline-and-source',
      'language/response-default-and-names',
      'rules/hook-in-expression',
      'rules/hook-without-code',
      'rules/hook-with-two-codes',
    ],
  },
  { id: '2.hook.source', says: '`source f from "file"`', tests: ['language/hook-inline-and-source'] },
  { id: '2.hook.inline', says: '`inline "js"`', tests: ['language/hook-inline-and-source', 'rules/bad-inline-code'] },
  { id: '2.hook.arg', says: '`arg a e`', tests: ['language/hook-arguments', 'rules/duplicate-argument'] },
  {
    id: '2.hook.query',
    says: '`arg a query { select { … } }` passes data of the record',
    tests: ['language/hook-arguments'],
  },
  {
    id: '2.unique',
    says: '`unique { a, b }` over several fields or references',
    tests: [
      'language/model-unique-and-index',
      'rules/key-over-one',
      'rules/unknown-key-part',
      'rules/direction-in-unique',
    ],
  },
  {
    id: '2.index',
    says: '`index { a, b desc }` over several fields or references',
    tests: ['language/model-unique-and-index', 'rules/key-over-one.index'],
  },
  {
    id: '2.drop',
    says: '`drop n` lets a member of the release before go',
    tests: ['language/change-was-and-drop', 'rules/still-there'],
  },
  { id: '2.id', says: 'every model has an `id`, an autogenerated integer', tests: ['language/model-id'] },
  { id: '2.id.identifier', says: '`id` is the default identifier', tests: ['language/identify-field'] },
  { id: '2.id.uuid', says: '`field id { type uuid }` makes it a UUID', tests: ['language/model-id'] },
  { id: '2.id.only', says: 'nothing else may be said of `id`', tests: ['rules/id-property', 'rules/id-type'] },
  { id: '2.type.string', says: '`string`', tests: ['language/field-types'] },
  {
    id: '2.type.integer',
    says: '`integer`, within safe JSON integers',
    tests: ['language/field-types', 'language/lexical-numbers', 'rules/integer-too-large'],
  },
  { id: '2.type.float', says: '`float`', tests: ['language/field-types'] },
  { id: '2.type.boolean', says: '`boolean`', tests: ['language/field-types'] },
  {
    id: '2.type.decimal',
    says: '`decimal` is exact, and a string in JSON',
    tests: ['language/field-types', 'language/expression-decimal'],
  },
  {
    id: '2.type.timestamp',
    says: '`timestamp`',
    tests: ['language/field-types', 'language/field-defaults', 'rules/bad-literal.timestamp'],
  },
  {
    id: '2.type.date',
    says: '`date`',
    tests: ['language/field-types', 'language/field-defaults', 'rules/bad-literal'],
  },
  {
    id: '2.type.uuid',
    says: '`uuid`',
    tests: ['language/field-types', 'language/field-defaults', 'rules/bad-literal.uuid'],
  },
  { id: '2.type.json', says: '`json`', tests: ['language/field-types', 'language/lexical-constants-and-lists'] },
  { id: '2.type.unknown', says: 'there are no other types', tests: ['rules/unknown-type', 'rules/model-as-type'] },
  {
    id: '2.enum',
    says: '`enum Status { draft, published }` is a type',
    tests: [
      'language/enum-values',
      'rules/empty-enum',
      'rules/duplicate-enum-value',
      'rules/declared-twice.model-and-enum',
    ],
  },
  {
    id: '2.enum.value',
    says: 'a value is written as a string, and checked',
    tests: ['language/enum-values', 'rules/unknown-enum-value', 'rules/unknown-enum-value.filter'],
  },
  {
    id: '2.secret.response',
    says: 'a secret is never in a response',
    tests: ['language/field-secret', 'rules/secret-read'],
  },
  {
    id: '2.secret.filter',
    says: 'nor in a filter or a sort',
    tests: ['rules/secret-read.filter', 'rules/secret-read.computed', 'rules/secret-read.identify'],
  },
  {
    id: '2.secret.log',
    says: 'nor in a log or an error',
    tests: [
      '../runtime/api/secrets.http',
      '../runtime/operations/observed.test.ts',
      'rules/secret-unique',
      '../runtime/api/unique-secrets.http',
    ],
  },
  {
    id: '2.secret.server',
    says: 'expressions on the server may read it: `set`, `authorize`, hooks',
    tests: ['language/field-secret', 'rules/secret-read.respond'],
  },
  {
    id: '2.member.twice',
    says: 'no two members of one name, `id` and `<reference>_id` included',
    tests: [
      'rules/duplicate-member',
      'rules/duplicate-member.id',
      'rules/duplicate-member.reference-key',
      'rules/duplicate-member.key-first',
    ],
  },

  // ── 3. Expressions ──
  {
    id: '3.precedence',
    says: 'primary, unary, `* / %`, `+ -`, order, `in`, `is`, `and`, `or`',
    tests: ['language/expression-precedence', '../tree-sitter-grammar/corpus.test.ts'],
  },
  { id: '3.associativity', says: 'operators lean to the left', tests: ['language/expression-associativity'] },
  {
    id: '3.hook',
    says: '`hook { }` is an expression where code runs',
    tests: ['language/hook-in-expressions', 'rules/hook-not-here'],
  },
  { id: '3.add', says: '`+` adds numbers', tests: ['language/expression-arithmetic', 'rules/bad-operands'] },
  { id: '3.join', says: '`+` joins strings', tests: ['language/expression-join', 'rules/cannot-join'] },
  { id: '3.divide', says: '`/` gives a float', tests: ['language/expression-arithmetic', 'rules/wrong-type.division'] },
  { id: '3.widen', says: 'integers widen to float', tests: ['language/expression-widening'] },
  {
    id: '3.convert',
    says: 'nothing else converts by itself',
    tests: [
      'rules/wrong-type',
      'rules/wrong-type.string-for-integer',
      'rules/wrong-type.float-for-decimal',
      'rules/bad-operands.decimal-float',
      'rules/cannot-compare',
    ],
  },
  {
    id: '3.join.types',
    says: 'joining accepts integer, float, boolean, uuid, date and timestamp',
    tests: [
      'language/expression-join',
      'rules/cannot-join.decimal',
      'rules/cannot-join.enum',
      'rules/cannot-join.record',
    ],
  },
  { id: '3.is', says: '`is` compares, null included', tests: ['language/expression-equality'] },
  { id: '3.is.null', says: '`x is null` asks for null', tests: ['language/expression-equality'] },
  { id: '3.is.nulls', says: 'two nulls are equal', tests: ['language/expression-equality'] },
  {
    id: '3.is.records',
    says: 'two records compare by id',
    tests: [
      'language/expression-equality',
      'language/expression-records-as-values',
      'rules/cannot-compare.two-models',
      'rules/cannot-compare.record-with-id',
    ],
  },
  {
    id: '3.auth.nothing',
    says: 'with nobody authenticated, `@auth` and every path from it equal nothing',
    tests: ['language/auth-comparisons'],
  },
  {
    id: '3.auth.null',
    says: 'only `@auth is null` and `@auth is not null` ask for it',
    tests: ['language/auth-comparisons'],
  },
  {
    id: '3.null.false',
    says: 'null in a boolean position counts as false',
    tests: ['language/expression-null-is-false'],
  },
  {
    id: '3.order',
    says: '`< <= > >=` compare what has an order',
    tests: ['language/expression-comparison', 'rules/cannot-compare.order', 'rules/cannot-compare.enum-order'],
  },
  {
    id: '3.in',
    says: '`in` and `not in` look into a list or a collection',
    tests: ['language/expression-membership', 'rules/not-a-collection', 'rules/cannot-compare.in'],
  },
  {
    id: '3.path',
    says: 'paths walk references, relations, queries',
    tests: ['language/expression-paths', 'rules/unknown-member', 'rules/no-members', 'rules/unknown-name'],
  },
  {
    id: '3.path.nullable',
    says: 'through a nullable the result is nullable',
    tests: ['language/expression-paths', 'language/computed-nullable', 'rules/may-be-null.path'],
  },
  { id: '3.path.many', says: 'through a collection it is a collection', tests: ['language/expression-paths'] },
  {
    id: '3.function.text',
    says: '`length lower upper trim`',
    tests: ['language/function-text', 'rules/wrong-argument'],
  },
  {
    id: '3.function.parts',
    says: '`contains`, `startsWith`, `endsWith`, for letters of either case',
    tests: ['language/function-parts', 'rules/wrong-argument.contains', '../runtime/api/expressions-slugs.http'],
  },
  {
    id: '3.function.slugify',
    says: '`slugify(text)`, in the server and in Postgres alike',
    tests: ['language/function-parts', '../runtime/api/expressions-slugs.http', '../runtime/database/slugs.test.ts'],
  },
  {
    id: '3.function.stringify',
    says: '`stringify(x)` is text: a string as it is, anything else as JSON',
    tests: ['language/function-text', 'rules/wrong-argument.stringify'],
  },
  {
    id: '3.function.now',
    says: '`now()` is a timestamp, and fits an integer field as milliseconds',
    tests: ['language/function-time', 'rules/wrong-argument-count.now'],
  },
  {
    id: '3.function.now.moment',
    says: 'within one request `now()` is always the same moment',
    tests: ['../runtime/operations/moment.test.ts'],
  },
  { id: '3.function.today', says: '`today()` is a date', tests: ['language/function-time'] },
  { id: '3.function.concat', says: '`concat`', tests: ['language/function-text', 'rules/wrong-argument.concat'] },
  {
    id: '3.function.if',
    says: '`if(c, a, b)`, of which only the chosen value is computed',
    tests: [
      'language/function-if',
      'rules/mixed-arguments.if',
      'rules/not-a-condition.if',
      'rules/wrong-argument.if',
      'rules/wrong-argument-count.if',
      'rules/may-be-null.if',
      'rules/true-when-signed-out.if',
      '../runtime/api/expressions-if.http',
    ],
  },
  {
    id: '3.function.coalesce',
    says: '`coalesce`',
    tests: ['language/function-text', 'rules/mixed-arguments', 'rules/wrong-argument.coalesce'],
  },
  {
    id: '3.function.round',
    says: '`round`, `abs`',
    tests: ['language/function-numbers', 'rules/wrong-argument.round'],
  },
  {
    id: '3.function.aggregates',
    says: '`count sum avg min max exists`',
    tests: [
      'language/computed-aggregates',
      'language/function-aggregates-of-records',
      'rules/wrong-argument.count',
      'rules/wrong-argument.sum',
    ],
  },
  {
    id: '3.function.crypto',
    says: '`cryptoHash cryptoCompare cryptoToken`, where code runs',
    tests: ['language/function-crypto', 'rules/code-only-function'],
  },
  { id: '3.function.unknown', says: 'there are no other functions', tests: ['rules/unknown-function'] },
  {
    id: '3.faker',
    says: 'populators have `faker.<module>.<method>(args)`',
    tests: ['language/populator-faker', 'rules/faker-not-here', 'rules/bad-faker-path'],
  },
  {
    id: '3.faker.known',
    says: 'the compiler knows the modules, the methods and what they return',
    tests: [
      'faker-catalogue.test.ts',
      'rules/unknown-faker-module',
      'rules/unknown-faker-method',
      'rules/wrong-argument.faker',
    ],
  },
  {
    id: '3.types',
    says: 'operators, arguments, defaults and `set` are checked',
    tests: ['rules/bad-operand', 'rules/wrong-argument-count', 'rules/wrong-type', 'rules/wrong-type.record'],
  },
  {
    id: '3.types.condition',
    says: '`filter` and `authorize` are boolean',
    tests: ['rules/not-a-condition', 'rules/not-a-condition.authorize'],
  },
  {
    id: '3.types.null',
    says: 'nullability is checked',
    tests: ['rules/may-be-null', 'rules/may-be-null.set', 'rules/may-be-null.query'],
  },
  {
    id: '3.narrow',
    says: '`x is not null and …` narrows `x` in what follows',
    tests: ['language/narrowing-and-or-not'],
  },
  {
    id: '3.narrow.authorize',
    says: "a passed `authorize` narrows the endpoint's actions",
    tests: ['language/narrowing-authorize', 'rules/may-be-null.auth'],
  },
  {
    id: '3.database',
    says: 'computed, query, filter, order by and response read the row',
    tests: ['language/computed-in-use', 'language/list-filter', 'rules/code-only-function'],
  },
  {
    id: '3.code',
    says: 'set, default of an input, authorize, hook args, respond and validators run in the server',
    tests: ['language/hook-in-expressions', 'language/extra-inputs', 'language/respond-action'],
  },
  {
    id: '3.both',
    says: 'both give the same value for the same input',
    tests: [
      '../runtime/api/expressions-aggregates.http',
      '../runtime/api/expressions-edges.http',
      '../runtime/api/expressions-numbers.http',
      '../runtime/api/expressions-text.http',
      '../runtime/api/expressions-time.http',
      '../runtime/api/expressions-truth.http',
      '../runtime/expressions/expression.test.ts',
    ],
  },

  // ── 4. Validators ──
  {
    id: '4.combine',
    says: 'calls joined by `and`, `or`, `not`, parentheses',
    tests: ['language/validator-combination', 'rules/not-a-validator'],
  },
  { id: '4.min', says: '`min`, `max`', tests: ['language/validator-built-in', 'rules/validator-on-wrong-type.min'] },
  {
    id: '4.length',
    says: '`minLength`, `maxLength`',
    tests: ['language/validator-built-in', 'rules/validator-on-wrong-type'],
  },
  {
    id: '4.pattern',
    says: '`pattern`',
    tests: [
      'language/validator-built-in',
      'rules/bad-pattern',
      'rules/pattern-not-literal',
      'rules/unsupported-pattern',
      '../runtime/expressions/linear-pattern.test.ts',
    ],
  },
  {
    id: '4.length-first',
    says: 'lengths are checked first, and the rest only where they hold',
    tests: ['../runtime/expressions/validation.test.ts', '../runtime/operations/long-inputs.test.ts'],
  },
  { id: '4.form', says: '`isEmail`, `isUrl`, `isUuid`, `alphanumeric`', tests: ['language/validator-built-in'] },
  { id: '4.one-of', says: '`oneOf`', tests: ['language/validator-built-in', 'rules/wrong-argument-count.one-of'] },
  { id: '4.equal', says: '`isEqual`, `isNotEqual`', tests: ['language/validator-built-in'] },
  {
    id: '4.alias',
    says: '`minInt maxInt minFloat maxFloat isEqualInt isEqualFloat isEqualString isEqualBool`',
    tests: ['language/validator-aliases'],
  },
  {
    id: '4.unknown',
    says: "there are no others, except one's own",
    tests: ['rules/unknown-validator', 'rules/built-in-validator'],
  },
  {
    id: '4.own',
    says: '`validator n { arg, assert, error { code } }`',
    tests: [
      'language/validator-own',
      'rules/validator-without-argument',
      'rules/validator-without-assert',
      'rules/validator-without-code',
      'rules/bad-error-code',
    ],
  },
  {
    id: '4.own.value',
    says: "the first argument is the field's value",
    tests: ['language/validator-own', 'rules/validator-on-wrong-type.own'],
  },
  {
    id: '4.own.message',
    says: '`error { code, message }`: the message is what the client reads',
    tests: ['language/validator-own', 'rules/empty-message', '../runtime/api/validators-own.http'],
  },
  { id: '4.own.hook', says: '`assert` may be a hook', tests: ['language/hook-in-expressions'] },

  // ── 5. API ──
  { id: '5.api', says: '`api [Name] { entrypoints }`', tests: ['language/api-names'] },
  { id: '5.api.path', says: 'paths start with `/api`, or `/api/<snake_case name>`', tests: ['language/api-names'] },
  {
    id: '5.entrypoint',
    says: 'at the top the resource is a model',
    tests: ['language/endpoint-kinds', 'rules/unknown-model.entrypoint', 'rules/idle-entrypoint'],
  },
  {
    id: '5.entrypoint.nested',
    says: 'nested, it is a reference or relation of the parent',
    tests: ['language/entrypoint-nested', 'rules/not-a-resource'],
  },
  {
    id: '5.segment',
    says: 'the snake_case of the resource as written, never pluralised',
    tests: ['language/entrypoint-segments'],
  },
  {
    id: '5.segment.path',
    says: '`path "posts"` overrides it',
    tests: ['language/entrypoint-segments', 'rules/empty-path'],
  },
  {
    id: '5.segment.nested',
    says: '`/api/post/:post_slug/comments/:comment_id`',
    tests: ['language/entrypoint-parameters'],
  },
  { id: '5.parameter', says: 'parameter names never collide', tests: ['language/entrypoint-parameters'] },
  {
    id: '5.identify',
    says: 'by a field',
    tests: ['language/identify-field', 'rules/identify-without-path', 'rules/identify-not-a-field'],
  },
  {
    id: '5.identify.path',
    says: 'or by a path across relationships ending in one',
    tests: ['language/identify-path', 'rules/identify-through-field'],
  },
  {
    id: '5.identify.unique',
    says: 'each step is unique',
    tests: ['rules/identify-not-unique', 'rules/identify-not-unique.reference', 'rules/identify-not-unique.relation'],
  },
  {
    id: '5.identify.parent',
    says: 'unique within the parent counts in a nested entrypoint',
    tests: ['language/identify-within-parent', 'rules/identify-not-unique.nested'],
  },
  { id: '5.identify.type', says: "the URL value is matched by the field's type", tests: ['language/identify-field'] },
  {
    id: '5.response.names',
    says: 'names of members',
    tests: ['language/response-default-and-names', 'rules/unknown-member', 'rules/selected-twice'],
  },
  {
    id: '5.response.records',
    says: 'a reference, relation or query gives records with all their fields',
    tests: ['language/response-default-and-names'],
  },
  {
    id: '5.response.nested',
    says: '`name { … }` gives only those',
    tests: ['language/response-nested', 'rules/nothing-to-select'],
  },
  { id: '5.response.alias', says: '`alias: expression` and `alias: path { … }`', tests: ['language/response-aliases'] },
  {
    id: '5.shape',
    says: '`shape Card of Article { … }` names a selection, which `response Card`, `...Card` and `author Person` use',
    tests: ['language/shape-uses', '../runtime/api/shapes.http', 'openapi/constructs.test.ts'],
  },
  {
    id: '5.shape.rules',
    says: 'a shape is of the model that it is used for, sees its members and `@auth` alone, and does not contain itself',
    tests: [
      'rules/unknown-shape',
      'rules/shape-of-other-model',
      'rules/shape-in-itself',
      'rules/shape-too-large',
      'rules/shape-name',
      'rules/unused-shape',
      'rules/secret-read.shape',
      'rules/unknown-name.shape',
      'rules/declared-twice.shape',
    ],
  },
  {
    id: '5.shape.twice',
    says: 'what two spreads select in the same way is there once; where they differ, it is an error',
    tests: ['language/shape-same-twice', 'rules/spread-conflict', 'rules/spread-conflict.written-out'],
  },
  { id: '5.response.where', says: 'on the entrypoint or on one endpoint', tests: ['language/response-on-endpoint'] },
  { id: '5.response.default', says: 'the direct fields of the model', tests: ['language/response-default-and-names'] },
  {
    id: '5.single.required',
    says: 'a non-null reference: get, update, custom one',
    tests: ['language/single-required-reference', 'rules/required-single', 'rules/required-single.delete'],
  },
  {
    id: '5.single.nullable',
    says: 'a nullable reference: create and delete too',
    tests: ['language/single-nullable-reference'],
  },
  {
    id: '5.single.relation',
    says: 'a relation over a unique reference: create and delete too',
    tests: ['language/single-relation'],
  },
  {
    id: '5.single.identifier',
    says: 'no identifier in the path',
    tests: ['language/single-required-reference', 'rules/identify-on-single', 'rules/many-on-single'],
  },
  {
    id: '5.authorize',
    says: 'on an entrypoint it holds for every endpoint below, nested ones included',
    tests: ['language/authorize-combination'],
  },
  {
    id: '5.alias',
    says: 'the alias is the record in get, update, delete, custom one and nested entrypoints',
    tests: ['language/alias-visibility'],
  },
  {
    id: '5.alias.not',
    says: 'not in list, create and custom many',
    tests: [
      'rules/name-out-of-reach',
      'rules/name-out-of-reach.create',
      'rules/name-out-of-reach.custom',
      'rules/name-out-of-reach.filter',
    ],
  },
  {
    id: '5.alias.hide',
    says: 'an alias may not hide another name',
    tests: ['rules/alias-hides-name', 'rules/alias-hides-name.action', 'rules/alias-hides-name.input'],
  },
  { id: '5.list', says: '`GET …/post`: 200, an array', tests: ['language/endpoint-kinds'] },
  {
    id: '5.list.page',
    says: 'with `paginable`: `{ page, pageSize, totalPages, totalCount, data }`',
    tests: ['language/list-paginable'],
  },
  { id: '5.get', says: '`GET …/post/x`: 200, the record', tests: ['language/endpoint-kinds'] },
  { id: '5.create', says: '`POST …/post`: 201, the record', tests: ['language/endpoint-kinds'] },
  {
    id: '5.create.location',
    says: 'a `Location` header where a get endpoint exists',
    tests: ['language/endpoint-location'],
  },
  {
    id: '5.create.alias',
    says: '`create endpoint as a`, `update endpoint as a`',
    tests: ['language/alias-visibility', 'rules/alias-not-here'],
  },
  { id: '5.update', says: '`PATCH …/post/x`: 200, the record after the change', tests: ['language/endpoint-kinds'] },
  {
    id: '5.update.put',
    says: '`method PUT` answers PUT in place of PATCH',
    tests: ['language/endpoint-without-path', 'rules/update-method', '../runtime/api/endpoints-without-path.http'],
  },
  { id: '5.delete', says: '`DELETE …/post/x`: 204', tests: ['language/endpoint-kinds'] },
  {
    id: '5.custom',
    says: '`custom endpoint { method, cardinality, path }`',
    tests: ['language/endpoint-custom', 'rules/incomplete-custom'],
  },
  {
    id: '5.custom.short',
    says: '`M one|many "p" { … }`',
    tests: ['language/endpoint-custom', 'rules/duplicate-property.custom-endpoint'],
  },
  {
    id: '5.custom.without-path',
    says: 'without a path it stands at the URL of the record or collection',
    tests: [
      'language/endpoint-without-path',
      'rules/same-route.without-path',
      '../runtime/api/endpoints-without-path.http',
    ],
  },
  {
    id: '5.custom.list',
    says: 'a `GET many` without actions may have the properties of a list, and then is one',
    tests: [
      'language/response-of-get-many',
      'language/endpoint-without-path',
      'rules/property-not-here.get-with-actions',
      '../runtime/api/endpoints-without-path.http',
    ],
  },
  { id: '5.custom.answer', says: 'what its actions respond; nothing said: 204', tests: ['language/endpoint-custom'] },
  { id: '5.custom.method', says: 'GET, POST, PUT, PATCH, DELETE', tests: ['language/endpoint-custom'] },
  {
    id: '5.custom.path',
    says: 'a custom path is one segment: outer slashes dropped, the rest URL-encoded, `/` too',
    tests: ['language/endpoint-custom-path', 'rules/empty-path.custom'],
  },
  {
    id: '5.route.literal',
    says: 'a literal segment wins over an identifier',
    tests: ['language/endpoint-custom-path'],
  },
  {
    id: '5.route.once',
    says: 'no two endpoints answer the same request',
    tests: ['rules/same-route', 'rules/same-route.custom', 'rules/endpoint-twice'],
  },
  {
    id: '5.property',
    says: 'each kind of endpoint has its properties',
    tests: ['rules/property-not-here', 'rules/property-not-here.order', 'rules/property-not-here.delete-response'],
  },
  {
    id: '5.inputs',
    says: '`extra inputs { field n { type T, nullable, default e, validate { … } } }`',
    tests: ['language/extra-inputs', 'rules/misplaced-flag', 'rules/missing-type.extra-input', 'rules/ambiguous-name'],
  },
  { id: '5.filter', says: 'lists have a `filter`', tests: ['language/list-filter'] },
  { id: '5.order', says: 'lists have an `order by`', tests: ['language/list-order'] },
  {
    id: '5.paginable',
    says: '`paginable [{ pageSize, max }]`',
    tests: ['language/list-paginable', 'rules/bad-page-size'],
  },
  {
    id: '5.sortable',
    says: '`sortable { created_at, author.name }`: `?sort=-created_at,author.name` before the order of the list',
    tests: [
      'language/list-sortable',
      '../runtime/api/list-sortable.http',
      'rules/empty-list-fields',
      'rules/list-field-path',
      'rules/list-field-path.field',
      'rules/not-a-list-field',
      'rules/not-a-list-field.computed',
      'rules/not-a-list-field.relation',
      'rules/list-field-without-index',
      'rules/secret-read.sortable',
      'rules/not-sortable.client',
      'rules/selected-twice.sortable',
      'rules/unknown-member.sortable',
      'rules/input-twice.sort',
      'rules/property-not-here.sortable',
    ],
  },
  {
    id: '5.limit',
    says: '`limit N` in a list that is not paginable',
    tests: [
      'language/list-limit',
      'rules/bad-list-limit',
      'rules/bad-list-limit.none',
      'rules/limit-beside-pages',
      'rules/property-not-here.limit',
    ],
  },
  {
    id: '5.limit.cut',
    says: 'a list that is not paginable answers at most `LIST_LIMIT` records and says in a header that it was cut',
    tests: ['../runtime/api/list-limit.http', '../runtime/operations/long-lists.test.ts'],
  },
  { id: '5.pageable', says: '`pageable` is an accepted alias', tests: ['language/list-paginable'] },
  { id: '5.order.id', says: 'lists are ordered by id where nothing else is said', tests: ['language/list-order'] },
  { id: '5.order.tie', says: 'id breaks every tie', tests: ['language/list-order'] },
  { id: '5.page.default', says: 'the default pageSize is 20, the largest 100', tests: ['language/list-paginable'] },
  {
    id: '5.page.range',
    says: '`page` starts at 1; out of range is a 400',
    tests: ['../runtime/api/pagination.http', '../runtime/api/list-nested-pages.http'],
  },
  {
    id: '5.page.count',
    says: '`totalCount` counts what the filter lets through',
    tests: ['../runtime/api/pagination.http', '../runtime/api/list-nested-pages.http'],
  },
  { id: '5.actions.order', says: 'actions run in order', tests: ['language/action-visibility'] },
  {
    id: '5.actions.parallel',
    says: 'rules hold in parallel: SERIALIZABLE and repeats, or a 409 with a hook',
    tests: ['serializable.test.ts', '../runtime/operations/rules.test.ts'],
  },
  {
    id: '5.actions.transaction',
    says: 'in one transaction, committed before the response; an error rolls everything back',
    tests: [
      '../runtime/api/actions-rollback.http',
      '../runtime/api/hooks-in-actions.http',
      '../runtime/operations/hooks.test.ts',
    ],
  },
  {
    id: '5.create.model',
    says: '`create Model [as a] { … }`',
    tests: ['language/create-others', 'rules/unknown-model.create'],
  },
  {
    id: '5.create.relation',
    says: '`create alias.relation { … }`',
    tests: ['language/create-others', 'rules/create-in-what'],
  },
  {
    id: '5.create.set',
    says: '`set f e`',
    tests: [
      'language/create-others',
      'rules/cannot-set',
      'rules/unknown-field',
      'rules/given-twice',
      'rules/unset-field',
    ],
  },
  {
    id: '5.create.input',
    says: '`input { f { required | default e } }`',
    tests: ['language/create-inputs', 'rules/required-with-default', 'rules/input-of-reference'],
  },
  {
    id: '5.create.input-all',
    says: '`input * [except { f }]`',
    tests: ['language/create-inputs', 'rules/duplicate-property.input-all', 'rules/unknown-field.except'],
  },
  {
    id: '5.create.complete',
    says: 'lists of inputs are complete: beside them only required fields are taken; a field is not in both lists',
    tests: ['language/create-inputs-complete', 'rules/excepted-input', '../runtime/api/create-inputs-complete.http'],
  },
  {
    id: '5.create.reference',
    says: '`reference r { through path }` or `reference r through path`',
    tests: [
      'language/create-request-body',
      'language/create-inputs',
      'rules/unknown-reference',
      'rules/lookup-without-path',
      'rules/identify-not-unique.lookup',
    ],
  },
  {
    id: '5.create.on-conflict',
    says: '`create … or keep` and `or update`: one statement, safe in parallel; 200 where the record was there, 201 where it is new',
    tests: [
      'language/create-on-conflict',
      'rules/no-unique-key',
      'rules/expected-word.on-conflict',
      'rules/key-not-given',
      'rules/nullable-key',
      'rules/foreign-change.or-update',
      '../runtime/api/create-or-keep.http',
      '../runtime/operations/create-or-find.test.ts',
    ],
  },
  {
    id: '5.create.on-conflict.by',
    says: '`or update by { a, b }` names the key where the model has several',
    tests: [
      'language/create-on-conflict',
      'rules/which-key',
      'rules/not-a-key',
      'rules/not-a-key.none',
      'rules/unknown-key-part.by',
      'rules/direction-in-unique.by',
    ],
  },
  {
    id: '5.update.target',
    says: '`update [alias or single path] [as a] { … }`',
    tests: ['language/update-others', 'rules/not-one-record', 'rules/may-be-null.update-target'],
  },
  {
    id: '5.delete.target',
    says: '`delete [alias or path] {}`',
    tests: ['language/delete-actions', 'rules/not-one-record.field'],
  },
  {
    id: '5.delete.collection',
    says: 'a collection is deleted whole',
    tests: ['language/delete-actions', 'language/query-action-from-results'],
  },
  {
    id: '5.query.select',
    says: '`query as a { …, select { … } }`',
    tests: ['language/query-action-select', 'rules/query-without-alias', 'rules/missing-from.action'],
  },
  {
    id: '5.query.cardinality',
    says: '`first`, `one` or `count`',
    tests: ['language/query-action-select', 'language/query-action-from-results'],
  },
  {
    id: '5.query.limit',
    says: '`limit` and `offset` are numbers, or come from inputs and other values of the request; an input that may be null means all',
    tests: [
      'language/query-limit-inputs',
      'rules/negative-limit',
      'rules/wrong-type.limit',
      'rules/may-be-null.limit',
      'rules/unknown-name.limit',
      'rules/hook-not-here.limit',
      '../runtime/api/actions-query-limits.http',
    ],
  },
  {
    id: '5.query.update',
    says: '`update { set f e }`',
    tests: ['language/query-action-update-and-delete', 'rules/given-twice.query-update'],
  },
  { id: '5.query.delete', says: '`delete`', tests: ['language/query-action-update-and-delete', 'rules/two-deeds'] },
  {
    id: '5.execute',
    says: '`execute [as a] { hook { … } }`',
    tests: ['language/execute-action', 'rules/execute-without-hook'],
  },
  {
    id: '5.execute.responds',
    says: '`responds`: the hook writes the response',
    tests: ['language/execute-action', 'rules/responds-twice.execute'],
  },
  {
    id: '5.respond',
    says: '`respond { body e, httpStatus e, httpHeaders { "name" e } }`',
    tests: ['language/respond-action', 'rules/bad-status', 'rules/bad-header-name', 'rules/responds-twice'],
  },
  { id: '5.respond.list', says: 'a list repeats the header', tests: ['language/respond-action'] },
  { id: '5.respond.null', says: 'null removes it', tests: ['language/respond-action'] },
  {
    id: '5.validate',
    says: '`validate with key "k" { … }`',
    tests: ['language/validate-action', 'rules/validator-without-value'],
  },
  {
    id: '5.own.default',
    says: 'a built-in endpoint without `action` has its own one',
    tests: ['language/endpoint-kinds'],
  },
  {
    id: '5.own.one',
    says: "with `action`, exactly one action is the endpoint's own",
    tests: ['rules/no-own-action', 'rules/two-own-actions'],
  },
  {
    id: '5.own.which',
    says: "the one with no target, or with the entrypoint's model or alias",
    tests: ['language/create-own', 'language/update-own', 'rules/action-without-target'],
  },
  { id: '5.visible', says: 'aliases and inputs are visible to later actions', tests: ['language/action-visibility'] },
  { id: '5.snapshot', says: 'values are snapshots', tests: ['language/action-visibility'] },
  {
    id: '5.body.parent',
    says: "the parent's reference is never an input of a nested create",
    tests: ['language/entrypoint-nested', 'rules/parent-is-set'],
  },
  { id: '5.body.set', says: 'what is `set` is not an input', tests: ['language/create-request-body'] },
  {
    id: '5.body.reference',
    says: '`reference r { through p }` is the input `r_p`',
    tests: ['language/create-request-body'],
  },
  {
    id: '5.body.optional',
    says: 'a field with a default, or nullable, is an optional input',
    tests: ['language/create-request-body'],
  },
  { id: '5.body.required', says: 'any other is required', tests: ['language/create-request-body'] },
  { id: '5.body.update', says: 'in an update every field is optional', tests: ['language/update-own'] },
  { id: '5.body.explicit', says: 'inside an explicit `update` nothing is implicit', tests: ['language/update-own'] },
  {
    id: '5.body.root',
    says: "the endpoint's own inputs and the extra inputs are at the root",
    tests: ['language/create-others', 'language/extra-inputs', 'rules/input-twice'],
  },
  {
    id: '5.body.group',
    says: 'every other create or update takes its inputs under its alias',
    tests: ['language/create-others', 'language/update-others', 'rules/inputs-need-alias', 'rules/input-twice.group'],
  },
  {
    id: '5.body.unknown',
    says: 'unknown keys are ignored',
    tests: ['../runtime/api/create.http', '../runtime/api/body-errors.http'],
  },

  // ── 6. Errors of the API ──
  {
    id: '6.form',
    says: 'a refusal is `application/problem+json` with type, title, status, code, detail and requestId',
    tests: ['../runtime/http/answers.test.ts', '../docs/examples.test.ts'],
  },
  {
    id: '6.all',
    says: 'all validation errors are told at once',
    tests: ['../runtime/api/body-errors.http', '../runtime/api/validators-built-in.http', '../docs/examples.test.ts'],
  },
  {
    id: '6.order',
    says: 'route, what of authorize needs no record, records, authorize, body and actions are checked in this order',
    tests: [
      '../runtime/api/authorize.http',
      '../runtime/api/authorize-before-records.http',
      '../runtime/api/routes.http',
      '../runtime/api/body-errors.http',
    ],
  },
  {
    id: '6.conflict',
    says: 'a unique value taken by a concurrent request, or a record still referenced, is a 409',
    tests: [
      '../runtime/api/unique.http',
      '../runtime/api/delete-references.http',
      '../runtime/operations/races.test.ts',
    ],
  },
  {
    id: '6.internal',
    says: 'a 500 has no detail, only the request id; the log has the rest',
    tests: ['../runtime/api/hooks-in-actions.http', '../runtime/operations/hooks.test.ts'],
  },
  {
    id: '6.unavailable',
    says: 'a database that cannot be reached is a 503 with `Retry-After`',
    tests: ['../runtime/operations/database-loss.test.ts'],
  },
  {
    id: '6.hook',
    says: 'a hook answers with a status of its own by throwing `{ status, message }`',
    tests: ['../runtime/api/hooks-in-actions.http', '../runtime/operations/hooks.test.ts'],
  },

  // ── 7. Authentication ──
  {
    id: '7.model',
    says: '`auth { model User }` names the model behind `@auth`',
    tests: ['language/auth-model', 'rules/auth-without-model', 'rules/unknown-model.auth', 'rules/declared-twice.auth'],
  },
  {
    id: '7.login',
    says: '`login` is a unique string field',
    tests: [
      'language/auth-login',
      'rules/login-not-unique',
      'rules/wrong-login-type',
      'rules/nullable-login',
      'rules/half-a-login',
    ],
  },
  {
    id: '7.password',
    says: '`password` is a `secret` string field',
    tests: ['language/auth-login', 'rules/password-not-secret', 'rules/wrong-login-type.password'],
  },
  { id: '7.routes', says: 'register, login, logout and me are routes of their own', tests: ['rules/same-route.login'] },
  {
    id: '7.register',
    says: 'register takes the login, `password` and required fields; more by `register { input { … } }`; never the subject',
    tests: [
      'language/auth-login',
      'language/auth-register',
      'rules/password-taken',
      'rules/register-input',
      'rules/register-lacks-field',
      '../runtime/api/auth-register.http',
    ],
  },
  {
    id: '7.register.off',
    says: '`register off` leaves the route out',
    tests: ['language/auth-register-off', 'rules/register-without-login', '../runtime/api/auth-register-off.http'],
  },
  {
    id: '7.self-granted',
    says: 'a field that a rule reads through `@auth` and that anybody can set is an error',
    tests: [
      'rules/self-granted',
      'rules/self-granted.tenant',
      'rules/self-granted.endpoint',
      'rules/self-granted.own-record',
      'rules/self-granted.other-names',
      'rules/self-granted.hook-query',
    ],
  },
  {
    id: '7.open-write',
    says: 'an endpoint that writes without `authorize` is a warning; `authorize { true }` says that it is meant',
    tests: ['rules/open-write'],
  },
  {
    id: '7.foreign-record',
    says: 'a reference to the `auth` model that a client sends and nothing checks is a warning',
    tests: ['rules/foreign-record', 'rules/foreign-record.ways', 'rules/foreign-record.owner'],
  },
  {
    id: '7.foreign-change',
    says: 'an endpoint where everybody who is signed in may change any user is a warning',
    tests: ['rules/foreign-change'],
  },
  {
    id: '7.whole-caller',
    says: 'a hook that decides by the whole caller, of whom clients set fields, is a warning',
    tests: ['rules/whole-caller'],
  },
  {
    id: '7.true-when-signed-out',
    says: 'an `authorize` that is also true when nobody is signed in, such as `not @auth.banned`, is a warning',
    tests: ['rules/true-when-signed-out'],
  },
  { id: '7.me', says: 'me answers with the record', tests: ['language/auth-login'] },
  {
    id: '7.tokens',
    says: 'tokens are opaque, random, stored as hashes, and expire',
    tests: ['../runtime/operations/accounts.test.ts', '../runtime/api/auth-password.http'],
  },
  {
    id: '7.scrypt',
    says: 'passwords are hashed with scrypt; login takes the same time for everyone',
    tests: ['../runtime/operations/accounts.test.ts', '../runtime/values/password.test.ts'],
  },
  {
    id: '7.jwt',
    says: 'a JWT of an outside provider is accepted where it is configured',
    tests: ['../runtime/operations/accounts.test.ts', '../runtime/api/auth-jwt.http'],
  },
  {
    id: '7.subject',
    says: '`subject f` is what its `sub` is matched against',
    tests: [
      'language/auth-subject',
      'language/auth-subject-uuid',
      'rules/login-not-unique.subject',
      'rules/wrong-login-type.subject',
    ],
  },

  // ── 8. Hooks, populators, generators ──
  {
    id: '8.hook.folder',
    says: 'modules lie in `hooks/`, or in the folder of a `runtime`',
    tests: [
      'language/hook-inline-and-source',
      'language/hook-runtimes',
      'rules/hook-outside-folder',
      'rules/runtime-without-path',
      'rules/unknown-runtime',
    ],
  },
  {
    id: '8.hook.default',
    says: '`default` says which runtime is meant where none is named',
    tests: ['language/hook-runtimes', 'rules/two-default-runtimes'],
  },
  {
    id: '8.hook.inline',
    says: '`inline` is one JavaScript expression over the args',
    tests: ['language/hook-inline-and-source', 'rules/bad-inline-code', 'rules/runtime-of-inline'],
  },
  {
    id: '8.hook.call',
    says: '`fn(args, context)` is called, and its result awaited',
    tests: [
      '../runtime/api/hooks-in-actions.http',
      '../runtime/api/hooks-in-responses.http',
      '../runtime/operations/hooks.test.ts',
    ],
  },
  {
    id: '8.hook.file',
    says: 'the compiler checks that the file and the export exist',
    tests: ['rules/hook-file-missing', 'rules/hook-export-missing'],
  },
  { id: '8.hook.types', says: 'types of the args are emitted', tests: ['../pipeline/hooks-types.test.ts'] },
  {
    id: '8.populator',
    says: '`populator Name { populate Model [as a] { … } }`',
    tests: ['language/populator-several', 'language/populator-repeat', 'rules/unknown-model.populate'],
  },
  {
    id: '8.populator.repeat',
    says: '`repeat [as i] N` or `{ start A, end B }`',
    tests: ['language/populator-repeat', 'rules/repeat-without-end', 'rules/backward-repeat', 'rules/repeat-of-single'],
  },
  {
    id: '8.populator.current',
    says: '`i.current` counts from 1, or from A; `i.total` is known',
    tests: ['language/populator-repeat', 'rules/bad-iterator'],
  },
  {
    id: '8.populator.set',
    says: '`set f e`',
    tests: ['language/populator-nested', 'rules/given-twice.populator', 'rules/populator-path'],
  },
  {
    id: '8.populator.nested',
    says: 'a nested populate runs for each parent and sets the reference itself',
    tests: ['language/populator-nested', 'rules/not-a-relation', 'rules/parent-is-set.populator'],
  },
  {
    id: '8.populator.rest',
    says: 'what is not `set` takes its default, else a generated value, unique where it must be',
    tests: ['../runtime/populate/generated-values.test.ts'],
  },
  {
    id: '8.populator.seed',
    says: 'the same seed gives the same rows',
    tests: ['../runtime/populate/examples.test.ts'],
  },
  {
    id: '8.generator.client',
    says: '`generator client { target ts|js, output "dir" }`',
    tests: [
      'language/generator-kinds',
      'rules/unknown-target',
      'rules/generator-without-output',
      'rules/path-outside-project.client',
      'rules/same-output',
    ],
  },
  {
    id: '8.generator.apidocs',
    says: '`generator apidocs { basePath "/p" }`',
    tests: [
      'language/generator-kinds',
      'language/generator-apidocs-default',
      'rules/bad-base-path',
      'rules/generator-property',
    ],
  },
  { id: '8.generator.alias', says: '`generate` is an accepted alias', tests: ['language/generator-kinds'] },
  {
    id: '8.artifacts',
    says: 'the OpenAPI document and a TypeScript client are always among the artifacts',
    tests: ['../pipeline/cli.test.ts'],
  },

  // ── 9. Change over time ──
  {
    id: '9.was',
    says: '`was` renames and keeps the data',
    tests: ['language/change-was-and-drop', 'language/change-enum', 'rules/gone-twice', 'rules/renamed-to-itself'],
  },
  { id: '9.was.stays', says: 'it may stay after its release', tests: ['migrations/was-may-stay'] },
  {
    id: '9.drop',
    says: '`drop` in the model, `drop model` at the top level',
    tests: ['language/change-was-and-drop', 'rules/still-there.drop', 'rules/still-there.drop-model'],
  },
  {
    id: '9.gone',
    says: 'what disappears without `was` or `drop` is an error that shows both ways out',
    tests: ['migrations/problem.disappeared', 'migrations/problem.ambiguous'],
  },
  { id: '9.type', says: 'so is a change of type that could lose data', tests: ['migrations/problem.types'] },
  {
    id: '9.backfill',
    says: 'a `backfill` is an expression over the record, for the rows that exist',
    tests: ['language/change-backfill'],
  },
  {
    id: '9.required',
    says: 'a new required field needs a `default` or a `backfill`, a new required reference a `backfill`',
    tests: ['migrations/problem.required'],
  },

  // ── 10. What the compiler says ──
  { id: '10.code', says: 'every error has a stable kebab-case code', tests: ['rules.test.ts'] },
  { id: '10.span', says: 'and a span', tests: ['render.test.ts', 'rules/unknown-model'] },
  {
    id: '10.names',
    says: "a sentence that quotes the author's own names",
    tests: ['rules/unknown-model', 'rules/duplicate-member'],
  },
  {
    id: '10.note',
    says: 'a note on the other place where there is one',
    tests: ['rules/declared-twice', 'rules/same-route'],
  },
  {
    id: '10.way-out',
    says: 'a way out',
    tests: ['rules/set-null-needs-nullable', 'rules/may-be-null', 'twenty-mistakes.test.ts'],
  },
  {
    id: '10.near',
    says: 'near names are suggested',
    tests: [
      'rules/unknown-member',
      'rules/unknown-field',
      'rules/unknown-enum-value',
      'rules/unknown-model.without-near',
    ],
  },
  { id: '10.all', says: 'all errors of a phase at once', tests: ['twenty-mistakes.test.ts', 'rules/unset-field.two'] },
  {
    id: '10.no-follow-up',
    says: 'no follow-ups of an earlier one',
    tests: ['rules/unknown-model.used', 'rules/unknown-type.used', 'rules/unknown-through.used', 'mutations.test.ts'],
  },
  { id: '10.no-crash', says: 'no crash on any input', tests: ['mutations.test.ts', 'syntax-problems.test.ts'] },
  {
    id: '10.json',
    says: '`--json` prints the same, with edits that a tool can apply',
    tests: ['render.test.ts', '../pipeline/cli.test.ts'],
  },

  // ── Decisions ──
  {
    id: 'd.words.enum',
    says: 'in an enum `drop x` and `y was z` speak about the release before',
    tests: ['language/change-enum', 'language/lexical-keywords-as-names'],
  },
  { id: 'd.words.raw', says: 'raw text is taken as it stands', tests: ['language/lexical-strings'] },
  {
    id: 'd.words.storable',
    says: 'no text contains `\\u0000` or half of a surrogate pair',
    tests: [
      'rules/unstorable-text',
      'rules/unstorable-text.half',
      'rules/unstorable-text.everywhere',
      'postgres-limits.test.ts',
    ],
  },
  {
    id: 'd.words.doc',
    says: 'a doc comment above what cannot be described is a warning',
    tests: ['rules/misplaced-doc-comment', 'rules/misplaced-doc-comment.index'],
  },
  {
    id: 'd.types.literal',
    says: 'a number or text written out takes the type that is expected, digit by digit',
    tests: ['language/lexical-numbers', 'language/field-defaults', 'language/expression-decimal'],
  },
  {
    id: 'd.types.years',
    says: 'years go from 0001 to 9999, in UTC too; an offset is at most 15:59',
    tests: ['rules/bad-literal.year', 'rules/bad-literal.offset', 'postgres-limits.test.ts'],
  },
  {
    id: 'd.types.large',
    says: 'a float is one that a double can hold; a decimal has at most 131,072 digits before the point and 16,383 behind it',
    tests: ['rules/number-too-large', 'postgres-limits.test.ts'],
  },
  {
    id: 'd.types.overflow',
    says: 'a result that is out of range is null in a response, false in a filter and last in an order; in code it is a 422',
    tests: ['../runtime/operations/overflow.test.ts'],
  },
  {
    id: 'd.types.decimal',
    says: 'a decimal and a float never mix; `/` gives a float, for decimals too',
    tests: ['language/expression-arithmetic', 'rules/bad-operands.decimal-float'],
  },
  {
    id: 'd.types.division',
    says: 'what is divided by zero is null; dividing by a written zero is an error',
    tests: ['language/expression-division', 'rules/division-by-zero'],
  },
  {
    id: 'd.types.nobody',
    says: 'a test against null takes what is read from nobody for null, and narrows',
    tests: ['language/auth-null', 'language/auth-known', '../runtime/api/authorize.http'],
  },
  {
    id: 'd.types.round',
    says: '`round(x)` gives an integer for a float; `round(x, 2)` keeps the type',
    tests: ['language/function-numbers'],
  },
  {
    id: 'd.types.null',
    says: '`+` with a null is null; `concat` takes null for an empty string',
    tests: ['language/expression-join', 'language/function-text'],
  },
  {
    id: 'd.types.aggregates',
    says: '`sum` of nothing is 0; `avg`, `min` and `max` of nothing are null',
    tests: ['language/computed-aggregates'],
  },
  {
    id: 'd.types.anonymous',
    says: 'with nobody authenticated, what is counted of `@auth` is nothing',
    tests: ['language/auth-counts'],
  },
  {
    id: 'd.names.row',
    says: 'where there is a row, a name is first a member of it',
    tests: ['language/list-filter', 'language/entrypoint-nested'],
  },
  {
    id: 'd.names.query',
    says: 'in a query, names are members of what is queried; with an alias they are read through it, and a bare name is never one',
    tests: [
      'language/query-properties',
      'language/query-action-select',
      'language/query-action-update-and-delete',
      'rules/unknown-name.aliased-row',
    ],
  },
  {
    id: 'd.names.model',
    says: 'in `from`, a name that is both an alias and a model is an error',
    tests: ['rules/model-or-alias'],
  },
  {
    id: 'd.names.inputs',
    says: "in actions, the inputs of the endpoint's own action are names, from that action on",
    tests: ['language/create-own', 'language/action-visibility'],
  },
  {
    id: 'd.names.authorize',
    says: '`authorize` sees records and `@auth`, not inputs',
    tests: ['language/authorize-combination'],
  },
  {
    id: 'd.names.auth',
    says: 'members of models may ask for `@auth`; defaults, backfills, validators of fields and populators may not',
    tests: ['language/auth-in-models'],
  },
  { id: 'd.models.id', says: '`field id { type integer }` may be written', tests: ['language/model-id'] },
  {
    id: 'd.models.names',
    says: 'a name in the database has at most 63 bytes; a longer one is cut, and ends in a fingerprint',
    tests: ['language/model-long-names', 'emit-sql-names.test.ts'],
  },
  {
    id: 'd.models.enum-type',
    says: 'an enum that is called like a type of Postgres has `_enum` added to its name there',
    tests: ['language/enum-type', 'emit-sql-names.test.ts'],
  },
  {
    id: 'd.models.reserved',
    says: 'names that Postgres has for itself are refused, as columns and as the beginning of tables and enums',
    tests: [
      'rules/reserved-column',
      'rules/reserved-column.case',
      'rules/reserved-table.postgres',
      'rules/reserved-table.enum',
      'postgres-limits.test.ts',
    ],
  },
  {
    id: 'd.models.columns',
    says: 'a model has at most 1,600 columns, counting `id`',
    tests: ['rules/too-many-columns', 'postgres-limits.test.ts'],
  },
  {
    id: 'd.models.parts',
    says: 'a `unique` or an `index` has at most 32 parts',
    tests: ['rules/key-over-many', 'rules/key-over-many.index', 'postgres-limits.test.ts'],
  },
  {
    id: 'd.models.value',
    says: 'a value of an enum has at most 63 characters',
    tests: ['rules/long-enum-value', 'postgres-limits.test.ts'],
  },
  {
    id: 'd.models.one-column',
    says: 'a reference and its key are one column, so `unique { author, author_id }` lists it twice',
    tests: ['rules/selected-twice.reference-key', 'postgres-limits.test.ts'],
  },
  {
    id: 'd.models.hook',
    says: "a model's hook can be selected in a response, and nothing else waits for it",
    tests: ['language/response-nested', 'rules/hook-in-expression.set'],
  },
  {
    id: 'd.api.several',
    says: 'several `api` blocks make one API',
    tests: ['language/api-names', 'language/endpoint-location'],
  },
  { id: 'd.api.ids', says: 'every endpoint has an id of its own', tests: ['language/api-ids'] },
  {
    id: 'd.api.inputs',
    says: 'extra inputs of GET and DELETE are query parameters',
    tests: ['language/extra-inputs', 'rules/json-in-query', 'rules/inputs-without-body'],
  },
  {
    id: 'd.api.before',
    says: 'a list or get endpoint may have actions: they run before the records are read',
    tests: ['language/endpoint-with-actions-before-reading'],
  },
  {
    id: 'd.api.custom',
    says: 'a custom endpoint over one with a `response` answers with its record',
    tests: ['language/response-on-endpoint', 'rules/response-without-record'],
  },
  {
    id: 'd.api.docs',
    says: 'doc comments of apis and entrypoints are kept',
    tests: ['language/api-docs'],
  },
  {
    id: 'd.api.parent',
    says: "the parent's key is no input of a nested update, unless it is named",
    tests: ['language/request-nested-update'],
  },
  {
    id: 'd.api.doubt',
    says: 'a name that could be a member and an alias or an input is an error',
    tests: [
      'rules/ambiguous-name',
      'rules/ambiguous-name.query-alias',
      'rules/ambiguous-name.entrypoint-alias',
      'rules/ambiguous-name.response',
      'rules/ambiguous-name.order-by',
      'rules/ambiguous-name.own-input',
      'rules/ambiguous-name.nested',
      'rules/ambiguous-name.hook-argument',
    ],
  },
  { id: 'd.api.page', says: 'a pageSize above 100 raises the largest page', tests: ['language/list-paginable'] },
  {
    id: 'd.answers.register',
    says: '`register` answers 201 with what `me` shows',
    tests: ['../runtime/api/auth-password.http', '../docs/examples.test.ts'],
  },
  {
    id: 'd.answers.token',
    says: 'a bad token is a 401 at every endpoint, after a missing record',
    tests: ['../runtime/api/auth-password.http', '../runtime/operations/accounts.test.ts'],
  },
  {
    id: 'd.answers.parameter',
    says: 'a query parameter that cannot be read is a 400, one that a validator refuses a 422',
    tests: ['../runtime/api/filter-inputs.http', '../runtime/api/extra-inputs.http'],
  },
  {
    id: 'd.answers.second',
    says: 'a second create in a single entrypoint is a 409',
    tests: ['../runtime/api/single-relation.http', '../runtime/api/single-nullable-reference.http'],
  },
  {
    id: 'd.answers.one',
    says: '`query … one` that finds no record is a 404',
    tests: ['../runtime/api/actions-query.http'],
  },
  {
    id: 'd.answers.head',
    says: '`HEAD` runs the GET; a slash at the end of a path is accepted',
    tests: ['../runtime/api/routes.http'],
  },
  {
    id: 'd.answers.code',
    says: 'a value of custom code that does not fit is a 500; `undefined` counts as null',
    tests: ['../runtime/api/hooks-in-actions.http', '../runtime/api/hooks-in-responses.http'],
  },
  {
    id: 'd.answers.timestamp',
    says: 'a timestamp keeps at most six digits of a second',
    tests: ['../runtime/api/types-round-trip.http', '../runtime/values/timestamp.test.ts'],
  },
  {
    id: 'd.answers.text',
    says: '`stringify` of json and floats as text are as Postgres prints them',
    tests: ['../runtime/api/expressions-text.http', '../runtime/values/float.test.ts'],
  },
  {
    id: 'd.answers.case',
    says: '`upper` and `lower` follow Unicode',
    tests: ['../runtime/api/expressions-text.http', '../runtime/values/text.test.ts'],
  },
  {
    id: 'd.answers.order',
    says: 'a path that ends in a query gives its records in the order of the query',
    tests: ['../runtime/api/response-queries.http'],
  },
  {
    id: 'd.actions.no-alias',
    says: "a create without an alias that is not the endpoint's own takes no inputs",
    tests: ['language/create-others', 'rules/inputs-need-alias', 'rules/unset-field'],
  },
  {
    id: 'd.actions.auth',
    says: 'an update or a delete may name `@auth`, once it is known to be there',
    tests: ['language/update-others'],
  },
  {
    id: 'd.actions.number',
    says: 'a query that updates or deletes gives the number of records',
    tests: ['language/query-action-update-and-delete'],
  },
  {
    id: 'd.actions.key',
    says: '`set author post.author` stores the id; `set author_id 4` stores an id',
    tests: ['language/create-others', 'language/auth-counts'],
  },
  {
    id: 'd.actions.single',
    says: 'over a nullable reference, create points it at the record and delete clears it',
    tests: ['language/single-nullable-reference'],
  },
  {
    id: 'd.hooks.file',
    says: '`from "price"` finds `.ts`, `.js`, `.mts` or `.mjs`',
    tests: ['language/hook-inline-and-source', 'language/hook-only-runtime'],
  },
  {
    id: 'd.populators.faker',
    says: 'what faker gives fits decimals and dates where it comes near enough',
    tests: ['language/populator-faker-decimals'],
  },
  {
    id: 'd.populators.set',
    says: '`set` sees the fields and references of the records around it, the iterators, and faker',
    tests: ['language/populator-nested', 'language/populator-faker'],
  },
];
