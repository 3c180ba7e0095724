/**
 * The Kiln language, top-down: declarations, models, expressions, validators, the API, actions, populators.
 *
 * Keywords are contextual: a word is a keyword only where the grammar asks for one, so every keyword is also a name.
 * Where a keyword and a name may stand in the same place, the rule `_path_name` or `_target_name` lists the words.
 * Commas between members are optional everywhere; `block` says so once.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const PREC = {
  or: 1,
  and: 2,
  is: 3,
  in: 4,
  compare: 5,
  add: 6,
  multiply: 7,
  unary: 8,
  call: 9,
};

/** @param {RuleOrLiteral} rule */
const block = (rule) => seq('{', repeat(seq(rule, optional(','))), '}');

/** @param {RuleOrLiteral} rule */
const list = (rule) => seq(rule, repeat(seq(',', rule)), optional(','));

/**
 * All that a negated class stands for. tree-sitter drops `ſ` and the sign of the kelvin, which fold to `s` and `k`, from
 * every class that has these letters; so they are added again.
 *
 * @param {RegExp} negated
 */
const all = (negated) => choice(negated, /[\u017F\u212A]/);

module.exports = grammar({
  name: 'kiln',

  word: ($) => $.identifier,

  extras: ($) => [/\s/, $.comment, $.doc_comment],

  conflicts: ($) => [
    [$._target_name, $.alias],
    [$.enum_value],
    [$._enum_name, $.drop_value],
    [$.hook_block, $._path_name],
    [$.method],
  ],

  supertypes: ($) => [$.expression],

  rules: {
    source_file: ($) => repeat($._declaration),

    _declaration: ($) =>
      choice(
        $.model,
        $.enum,
        $.drop_model,
        $.drop_job,
        $.validator,
        $.shape,
        $.rule,
        $.setting,
        $.job,
        $.reaction,
        $.schedule,
        $.mail,
        $.webhook,
        $.api,
        $.auth,
        $.runtime,
        $.populator,
        $.generator,
      ),

    // ── Models ────────────────────────────────────────────────────────────────────────────────────────────────────

    model: ($) => seq('model', field('name', $.identifier), optional($.was), field('body', $.model_body)),

    model_body: ($) => block($._model_member),

    _model_member: ($) =>
      choice(
        $.field,
        $.reference,
        $.relation,
        $.computed,
        $.query,
        $.hook,
        $.unique_over,
        $.index_over,
        $.drop_member,
      ),

    was: ($) => seq('was', field('name', $.identifier)),

    drop_model: ($) => seq('drop', 'model', field('name', $.identifier)),

    drop_job: ($) => seq('drop', 'job', field('name', $.identifier), optional(block($.discard))),

    discard: (_) => 'discard',

    drop_member: ($) => seq('drop', field('name', $.identifier)),

    enum: ($) => seq('enum', field('name', $.identifier), optional($.was), field('body', $.enum_body)),

    enum_body: ($) => block(choice($.enum_value, $.drop_value)),

    // Where `a was b` could be three values, it is one: whatever stands before it, comments included.
    enum_value: ($) => choice(prec.dynamic(1, seq(field('name', $._enum_name), $.was)), field('name', $._enum_name)),

    drop_value: ($) => prec.dynamic(1, seq('drop', field('name', $._enum_name))),

    _enum_name: ($) => choice($.identifier, alias(choice('was', 'drop'), $.identifier)),

    field: ($) => seq('field', field('name', $.identifier), field('body', $.field_body)),

    field_body: ($) =>
      block(choice($.type, $.flag, $.default, $.on_update, $.validate, $.normalise, $.accept, $.file_max, $.backfill, $.was)),

    type: ($) => seq('type', field('name', $._type_name)),

    _type_name: ($) => choice($.identifier, $.sized_type, $.list_type),

    sized_type: ($) => seq(field('name', $.identifier), '(', field('digits', $.integer), ',', field('places', $.integer), ')'),

    list_type: ($) => seq('[', field('item', choice($.identifier, $.sized_type)), ']'),

    flag: (_) => choice('unique', 'nullable', 'index', 'internal', 'secret', 'required'),

    default: ($) => seq('default', field('value', $.expression)),

    on_update: ($) => seq('on', 'update', field('value', $.expression)),

    normalise: ($) => seq('normalise', block($.normaliser)),

    normaliser: (_) => choice('trim', 'lower'),

    accept: ($) => seq('accept', block($.media_type)),

    media_type: ($) => field('text', $._string),

    file_max: ($) => seq('max', field('size', $._string)),

    backfill: ($) => seq('backfill', field('value', $.expression)),

    reference: ($) => seq('reference', field('name', $.identifier), field('body', $.reference_body)),

    reference_body: ($) => block(choice($.to, $.flag, $.on_delete, $.backfill, $.was)),

    to: ($) => seq('to', field('model', $.identifier)),

    on_delete: ($) => seq('on', 'delete', field('rule', $.delete_rule)),

    delete_rule: (_) => choice('cascade', seq('set', 'null'), 'restrict'),

    relation: ($) => seq('relation', field('name', $.identifier), field('body', $.relation_body)),

    relation_body: ($) => block(choice($.from, $.through)),

    from: ($) => seq('from', field('path', $.path), optional($.alias)),

    through: ($) => seq('through', field('path', $.path)),

    computed: ($) => seq('computed', field('name', $.identifier), '{', field('value', $.expression), '}'),

    query: ($) => seq('query', field('name', $.identifier), field('body', $.query_body)),

    query_body: ($) => block($._query_property),

    _query_property: ($) => choice($._query_source, $.limit, $.offset),

    _query_source: ($) => choice($.from, $.recursive, $.filter, $.order_by, $.cardinality),

    recursive: (_) => 'recursive',

    filter: ($) => seq('filter', '{', field('value', $.expression), '}'),

    order_by: ($) => seq('order', 'by', block($.order_item)),

    order_item: ($) => seq(field('value', $.expression), optional(field('direction', $.direction))),

    direction: (_) => choice('asc', 'desc'),

    limit: ($) => seq('limit', field('value', $.integer)),

    offset: ($) => seq('offset', field('value', $.integer)),

    cardinality: (_) => choice('first', 'one', 'count'),

    hook: ($) => seq('hook', field('name', $.identifier), field('body', $.hook_body)),

    hook_body: ($) => block(choice($.arg, $.source, $.inline, $.hook_runtime, $.returns)),

    arg: ($) => seq('arg', field('name', $.identifier), field('value', choice($.expression, $.arg_query))),

    arg_query: ($) => seq('query', block(choice($._query_property, $.select))),

    source: ($) => seq('source', field('export', $.identifier), 'from', field('file', $._string)),

    inline: ($) => seq('inline', field('code', $._string)),

    hook_runtime: ($) => seq('runtime', field('name', $.identifier)),

    returns: ($) => seq('returns', choice(field('type', $._type_name), field('members', $.result)), optional($.may_be_null)),

    result: ($) => block($.result_member),

    result_member: ($) =>
      seq(field('name', $.identifier), ':', field('type', $._type_name), optional($.may_be_null)),

    may_be_null: (_) => 'nullable',

    unique_over: ($) => seq('unique', block($.key_part)),

    index_over: ($) => seq('index', block($.key_part)),

    key_part: ($) => seq(field('name', $.identifier), optional(field('direction', $.direction))),

    // ── Expressions ───────────────────────────────────────────────────────────────────────────────────────────────

    expression: ($) =>
      choice(
        $.binary,
        $.unary,
        $.call,
        $.path,
        $.auth_path,
        $.hook_block,
        $.list,
        $.object,
        $.parenthesized,
        $.integer,
        $.float,
        $.string,
        $.raw_string,
        $.true,
        $.false,
        $.null,
      ),

    binary: ($) =>
      choice(
        ...[
          [PREC.or, 'or'],
          [PREC.and, 'and'],
          [PREC.is, 'is'],
          [PREC.is, $.is_not],
          [PREC.in, 'in'],
          [PREC.in, $.not_in],
          [PREC.compare, choice('<', '<=', '>', '>=')],
          [PREC.add, choice('+', '-')],
          [PREC.multiply, choice('*', '/', '%')],
        ].map(([precedence, operator]) =>
          prec.left(
            precedence,
            seq(field('left', $.expression), field('operator', operator), field('right', $.expression)),
          ),
        ),
      ),

    // Above `unary`, or the `not` of `a is not b` would be taken for the beginning of `not b`.
    is_not: (_) => prec(PREC.unary + 1, seq('is', 'not')),

    not_in: (_) => seq('not', 'in'),

    unary: ($) => prec(PREC.unary, seq(field('operator', choice('not', '-')), field('operand', $.expression))),

    call: ($) => prec(PREC.call, seq(field('function', choice($.path, $.auth_path)), field('arguments', $.arguments))),

    arguments: ($) => seq('(', optional(list($.expression)), ')'),

    path: ($) => seq(field('step', $._path_name), repeat(seq('.', field('step', $.identifier)))),

    auth_path: ($) => seq(field('root', $.at_word), repeat(seq('.', field('step', $.identifier)))),

    // Only `@auth` means something, but `@author` must not be taken for `@auth or`.
    at_word: (_) => /@[A-Za-z_][A-Za-z0-9_]*/,

    // `hook` and `query` begin a block in some places where a path may stand too.
    _path_name: ($) => choice($.identifier, alias(choice('hook', 'query', 'language'), $.identifier)),

    hook_block: ($) => seq('hook', field('body', $.hook_body)),

    list: ($) => seq('[', optional(list($.expression)), ']'),

    object: ($) => block($.object_member),

    object_member: ($) =>
      seq(field('name', choice($.identifier, $._string)), ':', field('value', $.expression)),

    parenthesized: ($) => seq('(', field('value', $.expression), ')'),

    // ── Validators ────────────────────────────────────────────────────────────────────────────────────────────────

    validate: ($) => seq('validate', '{', field('value', $.expression), '}'),

    validator: ($) =>
      seq('validator', field('name', $.identifier), choice(field('body', $.validator_body), seq('{', field('rule', $.expression), '}'))),

    validator_body: ($) => block(choice($.validator_arg, $.assert, $.error)),

    validator_arg: ($) => seq('arg', field('name', $.identifier), field('body', $.validator_arg_body)),

    validator_arg_body: ($) => block(choice($.type, $.flag)),

    assert: ($) => seq('assert', '{', field('value', $.expression), '}'),

    error: ($) => seq('error', block(choice($.code, $.message))),

    code: ($) => seq('code', field('value', $._string)),

    message: ($) => seq('message', field('value', $._string)),

    // ── The API ───────────────────────────────────────────────────────────────────────────────────────────────────

    api: ($) => seq('api', optional(field('name', $.identifier)), field('body', $.api_body)),

    api_body: ($) => block($.entrypoint),

    entrypoint: ($) =>
      seq(
        'entrypoint',
        field('resource', choice($.identifier, $.at_word)),
        optional($.alias),
        field('body', $.entrypoint_body),
      ),

    entrypoint_body: ($) =>
      block(
        choice(
          $.identify,
          $.response,
          $.authorize,
          $.only,
          $.segment,
          $.inputs_under,
          $.versioned,
          $.endpoint,
          $.custom_endpoint,
          $.entrypoint,
        ),
      ),

    alias: ($) => seq('as', field('name', $._target_name)),

    identify: ($) => seq('identify', block($.through)),

    authorize: ($) => seq('authorize', '{', field('value', $.expression), '}'),

    only: ($) => seq('only', '{', field('value', $.expression), '}'),

    segment: ($) => seq('path', field('value', $._string)),

    response: ($) => seq('response', $._whole_selection),

    shape: ($) =>
      seq('shape', field('name', $.identifier), 'of', field('model', $.identifier), field('selection', $.selection)),

    rule: ($) =>
      seq(
        'rule',
        field('name', $.identifier),
        field('parameters', $.rule_parameters),
        '{',
        field('value', $.expression),
        '}',
      ),

    rule_parameters: ($) => seq('(', list($.rule_parameter), ')'),

    rule_parameter: ($) => seq(field('name', $.identifier), 'of', field('model', $.identifier)),

    setting: ($) => seq('setting', field('name', $.identifier), field('body', $.setting_body)),

    setting_body: ($) => block(choice($.type, $.default, $.setting_secret)),

    setting_secret: (_) => 'secret',

    selection: ($) => block(choice($.spread, $.selected)),

    spread: ($) => seq('...', field('name', $.identifier)),

    selected: ($) =>
      choice(
        seq(field('name', $.identifier), optional($._part)),
        seq(field('alias', $.identifier), ':', field('value', $.expression), optional($._part)),
      ),

    _whole_selection: ($) => choice(field('selection', $.selection), field('shape', $.identifier)),

    _part: ($) => choice(field('selection', $.selection), field('shape', alias($._shape_name, $.identifier))),

    // Behind a name another name may stand, without a comma: the capital letter says that it is a shape.
    _shape_name: (_) => token(prec(1, /[A-Z][A-Za-z0-9_]*/)),

    endpoint: ($) =>
      seq(field('kind', $.endpoint_kind), 'endpoint', optional($.alias), field('body', $.endpoint_body)),

    endpoint_kind: (_) => choice('list', 'get', 'create', 'update', 'delete', 'custom'),

    custom_endpoint: ($) =>
      seq(
        field('method', $.http_method),
        field('cardinality', $.endpoint_cardinality),
        optional(field('path', $._string)),
        field('body', $.endpoint_body),
      ),

    http_method: (_) => choice('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),

    endpoint_cardinality: (_) => choice('one', 'many'),

    endpoint_body: ($) =>
      block(
        choice(
          $.response,
          $.authorize,
          $.extra_inputs,
          $.action,
          $.filter,
          $.order_by,
          $.filterable,
          $.sortable,
          $.searchable,
          $.paginable,
          $.limit,
          $.method,
          $.endpoint_cardinality_property,
          $.segment,
          $.answer_status,
          $.answer_headers,
          $.inputs_under,
          $.signed_by,
          $.live,
          $.stale,
        ),
      ),

    // The scheme is a name, so that the compiler can say which there are.
    signed_by: ($) => seq('signed', 'by', field('scheme', $.identifier), block($.signing_secret)),

    signing_secret: ($) => seq('secret', field('setting', $.identifier)),

    method: ($) => seq('method', field('value', $.http_method), optional(seq(',', field('other', $.update_method)))),

    update_method: (_) => choice('PUT', 'PATCH'),

    versioned: (_) => 'versioned',

    live: (_) => 'live',

    stale: ($) => seq('stale', field('value', $.expression)),

    inputs_under: ($) => seq('inputs', 'under', field('value', $._string)),

    answer_status: ($) => seq('status', field('value', $.integer)),

    answer_headers: ($) => seq('headers', block($.http_header)),

    endpoint_cardinality_property: ($) => seq('cardinality', field('value', $.endpoint_cardinality)),

    paginable: ($) =>
      seq(choice('paginable', 'pageable'), optional(block(choice(
        $.page_size,
        $.page_max,
        $.page_total,
        $.page_cursor,
        $.page_number_name,
        $.page_size_name,
        $.page_after_name,
        $.page_response,
      )))),

    filterable: ($) => seq('filterable', block($.list_field)),

    sortable: ($) => seq('sortable', block($.list_field)),

    searchable: ($) => seq('searchable', block(choice($.list_field, $.search_language, $.prefix))),

    search_language: ($) => seq('language', field('value', $._string)),

    prefix: (_) => 'prefix',

    list_field: ($) => field('path', $.path),

    page_size: ($) => seq('pageSize', field('value', $.integer)),

    page_max: ($) => seq('max', field('value', $.integer)),

    page_total: ($) => seq('total', field('value', $.page_total_kind)),

    page_total_kind: (_) => choice('off', 'estimated'),

    page_number_name: ($) => seq('page', 'as', field('value', $._string)),

    page_size_name: ($) => seq('pageSize', 'as', field('value', $._string)),

    page_after_name: ($) => seq('after', 'as', field('value', $._string)),

    page_response: ($) => seq('response', block($.page_member)),

    page_member: ($) => seq(field('name', $.identifier), ':', field('value', $.identifier)),

    page_cursor: (_) => seq('by', 'cursor'),

    extra_inputs: ($) => seq('extra', 'inputs', block(choice($.field, $.record_input, $.list_input))),

    record_input: ($) => seq('reference', field('name', $.identifier), field('body', $.record_input_body)),

    record_input_body: ($) => block(choice($.to, $.through, $.nullable_input)),

    list_input: ($) => seq('list', field('name', $.identifier), field('body', $.list_input_body)),

    list_input_body: ($) => block(choice($.min_items, $.max_items, $.nullable_input, $.field, $.record_input)),

    nullable_input: (_) => 'nullable',

    min_items: ($) => seq('minItems', field('value', $.integer)),

    max_items: ($) => seq('maxItems', field('value', $.integer)),

    // ── Actions ───────────────────────────────────────────────────────────────────────────────────────────────────

    action: ($) => seq('action', field('body', $.action_body)),

    action_body: ($) =>
      block(
        choice(
          $.create_action,
          $.update_action,
          $.delete_action,
          $.query_action,
          $.for_action,
          $.execute_action,
          $.call_action,
          $.run_action,
          $.respond_action,
          $.validate_action,
          $.refuse_action,
        ),
      ),

    create_action: ($) =>
      seq(
        'create',
        optional(field('target', $.target)),
        optional($.on_conflict),
        optional($.alias),
        field('body', $.write_body),
      ),

    on_conflict: ($) => seq('or', field('does', $.conflict_deed), optional($.conflict_key)),

    conflict_deed: (_) => choice('keep', 'update'),

    conflict_key: ($) => seq('by', block($.key_part)),

    update_action: ($) =>
      seq('update', optional(field('target', $._existing_target)), optional($.alias), field('body', $.write_body)),

    delete_action: ($) => seq('delete', optional(field('target', $._existing_target)), '{', '}'),

    target: ($) => seq(field('step', $._target_name), repeat(seq('.', field('step', $.identifier)))),

    // The authenticated record is there already, so it can be changed but not created.
    _existing_target: ($) => choice($.target, $.auth_path),

    _target_name: ($) => choice($.identifier, alias('as', $.identifier)),

    write_body: ($) => block(choice($.set, $.input, $.input_all, $.reference_input)),

    set: ($) =>
      seq(
        'set',
        field('name', $.identifier),
        field('value', $.expression),
        optional(seq('when', field('condition', $.expression))),
      ),

    input: ($) => seq('input', block($.input_field)),

    input_field: ($) =>
      seq(
        field('name', $.identifier),
        optional($.alias),
        optional(field('body', $.input_field_body)),
      ),

    input_field_body: ($) => block(choice($.flag, $.default)),

    input_all: ($) => seq('input', '*', optional(seq('except', block(field('except', $.identifier))))),

    reference_input: ($) =>
      seq('reference', field('name', $.identifier), choice(block($.lookup), $.lookup)),

    lookup: ($) => seq('through', field('path', $.path), optional($.or_create)),

    or_create: (_) => seq('or', 'create'),

    query_action: ($) =>
      seq(
        'query',
        optional($.alias),
        block(choice($._query_source, $.group_by, $.limit_by, $.offset_by, $.select, $.query_update, $.query_delete)),
      ),

    group_by: ($) => seq('group', 'by', field('selection', $.selection)),

    // Only an action has inputs, from which they may come.
    limit_by: ($) => seq('limit', field('value', $.expression)),

    offset_by: ($) => seq('offset', field('value', $.expression)),

    select: ($) => seq('select', $._whole_selection),

    query_update: ($) => seq('update', block($.set)),

    query_delete: (_) => seq('delete', optional(seq('{', '}'))),

    for_action: ($) =>
      seq('for', field('name', $.identifier), 'in', field('list', $.expression), field('body', $.action_body)),

    execute_action: ($) => seq('execute', optional($.alias), block(choice($.hook_block, $.responds))),

    responds: (_) => 'responds',

    // A hook between two transactions.
    call_action: ($) => seq('call', optional($.alias), block(choice($.hook_block, $.call_failure, $.call_timeout))),

    call_failure: ($) => seq('on', 'failure', field('body', $.action_body)),

    call_timeout: ($) => seq('timeout', field('value', $.expression)),

    // `send` is the `run` of a mail.
    run_action: ($) =>
      seq(
        field('verb', $.run_verb),
        field('job', $.identifier),
        field('body', $.run_body),
        optional(seq('after', field('after', $.expression))),
        optional(seq('once', 'per', field('once', $.expression))),
      ),

    run_verb: (_) => choice('run', 'send'),

    run_body: ($) => block($.run_argument),

    run_argument: ($) => seq(field('name', $.identifier), ':', field('value', $.expression)),

    respond_action: ($) => seq('respond', block(choice($.respond_body, $.http_status, $.http_headers))),

    respond_body: ($) => seq('body', field('value', $.expression)),

    http_status: ($) => seq('httpStatus', field('value', $.expression)),

    http_headers: ($) => seq('httpHeaders', block($.http_header)),

    http_header: ($) => seq(field('name', $._string), field('value', $.expression)),

    validate_action: ($) =>
      seq('validate', 'with', 'key', field('key', $._string), '{', field('value', $.expression), '}'),

    refuse_action: ($) =>
      seq(
        'refuse',
        field('code', $._string),
        optional(seq('when', field('condition', $.expression))),
        optional(field('body', $.refuse_action_body)),
      ),

    refuse_action_body: ($) => block(choice($.refuse_message, $.refuse_status, $.refuse_key)),

    refuse_message: ($) => seq('message', field('value', $.expression)),

    refuse_status: ($) => seq('status', field('value', $.integer)),

    refuse_key: ($) => seq('key', field('value', $.path)),

    // ── Jobs and reactions ────────────────────────────────────────────────────────────────────────────────────────

    job: ($) => seq('job', field('name', $.identifier), optional($.was), field('body', $.job_body)),

    job_body: ($) =>
      block(choice($.job_input, $.retry, $.call_timeout, $.line, $.action, $.call_failure)),

    job_input: ($) => seq('input', field('name', $.identifier), field('body', $.job_input_body)),

    job_input_body: ($) => block(choice($.to, $.type, $.default, $.nullable_input)),

    retry: ($) => seq('retry', field('value', $.integer)),

    line: ($) => seq('one', 'at', 'a', 'time', 'per', field('value', $.expression)),

    reaction: ($) =>
      seq(
        'on',
        field('event', $.reaction_event),
        'of',
        field('model', $.identifier),
        $.alias,
        optional(seq('when', field('condition', $.expression))),
        field('body', $.reaction_body),
      ),

    reaction_event: (_) => choice('create', 'update', 'delete'),

    reaction_body: ($) => block($.run_action),

    // ── Schedules ─────────────────────────────────────────────────────────────────────────────────────────────────

    schedule: ($) =>
      seq(
        'schedule',
        field('name', $.identifier),
        field('times', choice($.every, $.cron)),
        optional(seq('in', field('zone', $._string))),
        field('body', $.schedule_body),
      ),

    // The words for days and units are names, so that the compiler can say which there are.
    every: ($) =>
      seq(
        'every',
        optional(field('count', $.integer)),
        $._units,
        optional(seq('on', field('day', $.integer))),
        optional(seq('at', field('time', $._string))),
      ),

    _units: ($) => seq(field('unit', $.identifier), repeat(seq('and', field('unit', $.identifier)))),

    cron: ($) => seq('cron', field('pattern', $._string)),

    schedule_body: ($) => block(choice($.catch_up, $.run_action)),

    catch_up: ($) => seq('catch', 'up', field('value', $.missed)),

    missed: (_) => choice('last', 'all', 'none'),

    // ── Mail and webhooks ─────────────────────────────────────────────────────────────────────────────────────────

    mail: ($) => seq('mail', field('name', $.identifier), optional($.was), field('body', $.mail_body)),

    mail_body: ($) => block(choice($.job_input, $.mail_to, $.mail_subject, $.mail_file)),

    mail_to: ($) => seq('to', field('value', $.expression)),

    mail_subject: ($) => seq('subject', field('value', $.expression)),

    mail_file: ($) => seq('body', field('value', $._string)),

    webhook: ($) => seq('webhook', field('name', $._string), field('body', $.webhook_body)),

    webhook_body: ($) => block(choice($.webhook_event, $.webhook_receivers, $.webhook_payload, $.webhook_gone)),

    webhook_event: ($) =>
      seq(
        'on',
        field('event', $.reaction_event),
        'of',
        field('model', $.identifier),
        $.alias,
        optional(seq('when', field('condition', $.expression))),
      ),

    // Without a list, one receiver that settings name.
    webhook_receivers: ($) =>
      seq('to', optional(seq(field('list', $.path), $.alias)), field('body', $.webhook_receiver_body)),

    webhook_receiver_body: ($) => block(choice($.receiver_url, $.receiver_secret, $.receiver_when)),

    receiver_url: ($) => seq('url', field('value', $.expression)),

    receiver_secret: ($) => seq('secret', field('value', $.expression)),

    receiver_when: ($) => seq('when', field('value', $.expression)),

    webhook_payload: ($) => seq('body', $._whole_selection),

    webhook_gone: ($) => seq('gone', field('body', $.action_body)),

    // ── Authentication, runtimes, generators ──────────────────────────────────────────────────────────────────────

    auth: ($) =>
      seq(
        'auth',
        block(
          choice(
            $.auth_model,
            $.auth_login,
            $.auth_password,
            $.auth_subject,
            $.auth_register,
            $.auth_verify,
            $.auth_reset,
            $.auth_invite,
          ),
        ),
      ),

    auth_model: ($) => seq('model', field('name', $.identifier)),

    auth_login: ($) => seq('login', field('name', $.identifier)),

    auth_password: ($) => seq('password', field('name', $.identifier)),

    auth_subject: ($) => seq('subject', field('name', $.identifier)),

    auth_register: ($) => seq('register', choice($.off, block($.input))),

    off: (_) => 'off',

    auth_verify: ($) => seq('verify', 'with', field('name', $.identifier)),

    auth_reset: ($) => seq('reset', 'with', field('name', $.identifier)),

    auth_invite: ($) => seq('invite', 'with', field('name', $.identifier)),

    runtime: ($) =>
      seq('runtime', field('name', $.identifier), block(choice($.runtime_default, $.source_path))),

    runtime_default: (_) => 'default',

    source_path: ($) => seq('source', 'path', field('value', $._string)),

    generator: ($) =>
      seq(
        choice('generator', 'generate'),
        field('kind', $.generator_kind),
        field('body', $.generator_body),
      ),

    generator_kind: (_) => choice('client', 'apidocs'),

    generator_body: ($) => block(choice($.target_language, $.output, $.base_path)),

    target_language: ($) => seq('target', field('value', $.identifier)),

    output: ($) => seq('output', field('value', $._string)),

    base_path: ($) => seq('basePath', field('value', $._string)),

    // ── Populators ────────────────────────────────────────────────────────────────────────────────────────────────

    populator: ($) => seq('populator', field('name', $.identifier), block($.populate)),

    populate: ($) =>
      seq('populate', field('resource', $.identifier), optional($.alias), field('body', $.populate_body)),

    populate_body: ($) => block(choice($.repeat, $.set, $.populate)),

    repeat: ($) =>
      seq('repeat', optional($.alias), choice(field('count', $.integer), $.repeat_range)),

    repeat_range: ($) => block(choice($.range_start, $.range_end)),

    range_start: ($) => seq('start', field('value', $.integer)),

    range_end: ($) => seq('end', field('value', $.integer)),

    // ── Words and literals ────────────────────────────────────────────────────────────────────────────────────────

    identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*/,

    integer: (_) => /[0-9]+/,

    float: (_) => /[0-9]+\.[0-9]+/,

    _string: ($) => choice($.string, $.raw_string),

    string: (_) => token(seq('"', repeat(choice(all(/[^"\\\n]/), seq('\\', all(/[^\n]/)))), '"')),

    raw_string: (_) => token(seq('"""', repeat(seq(optional(choice('"', '""')), all(/[^"]/))), '"""')),

    true: (_) => 'true',

    false: (_) => 'false',

    null: (_) => 'null',

    doc_comment: (_) => token(prec(1, seq('///', repeat(all(/[^\r\n]/))))),

    comment: (_) =>
      token(
        choice(
          seq('//', repeat(all(/[^\r\n]/))),
          seq('/*', repeat(all(/[^*]/)), /\*+/, repeat(seq(all(/[^/*]/), repeat(all(/[^*]/)), /\*+/)), '/'),
        ),
      ),
  },
});
