; Made from tree-sitter-grammar/queries/highlights.scm: change that file, then run `npm run editor:queries`.

; Colours for Kiln. Of two patterns for one token the later one wins; that is so only for the steps of paths, where an
; editor that takes the first one still shows them well, as properties. `npm run editor:queries` writes the lists below the
; comments `keywords`, `types` and `functions`.

; ── Comments and literals ────────────────────────────────────────────────────────────────────────────────────────────

(comment) @comment
(doc_comment) @comment.doc

[(string) (raw_string)] @string
(integer) @number
(float) @number
[(true) (false)] @boolean
(null) @constant

; ── Words of the language ────────────────────────────────────────────────────────────────────────────────────────────

[
  ; keywords
  "accept" "action" "after" "api" "arg" "as" "assert" "auth" "authorize" "backfill" "basePath" "body" "by" "call"
  "cardinality" "catch" "code" "computed" "create" "cron" "cursor" "custom" "default" "delete" (discard) "drop" "end"
  "endpoint" "entrypoint" "enum" "error" "every" "except" "execute" "extra" "failure" "field" "filter" "filterable"
  "for" "from" "generate" "generator" "get" "gone" "group" "headers" "hook" "httpHeaders" "httpStatus" "identify"
  "inline" "input" "inputs" "invite" "job" "keep" "key" "language" "limit" "list" (live) "login" "mail" "max" "maxItems"
  "message" "method" "minItems" "model" "normalise" "of" "offset" "on" "once" "only" "order" "output" "page" "pageSize"
  "pageable" "paginable" "password" "path" "per" "populate" "populator" (prefix) "query" (recursive) "reference"
  "refuse" "register" "relation" "repeat" "reset" "respond" (responds) "response" "retry" "returns" "rule" "run"
  "runtime" "schedule" "searchable" "select" "send" "set" "setting" "shape" "signed" "sortable" "source" "stale" "start"
  "status" "subject" "target" "through" "timeout" "to" "total" "type" "under" "up" "update" "url" "validate" "validator"
  "verify" (versioned) "was" "webhook" "when" "with"
] @keyword

(unique_over "unique" @keyword)
(index_over "index" @keyword)
(signing_secret "secret" @keyword)
(receiver_secret "secret" @keyword)
(line ["one" "at" "a" "time"] @keyword)
(every "at" @keyword)
(every unit: (identifier) @variable)

[(flag) (setting_secret) (normaliser) (direction) (cardinality) (endpoint_cardinality) (page_total_kind) (off) (may_be_null) (nullable_input) (missed)] @keyword
(delete_rule ["cascade" "restrict" "null"] @keyword)

[(http_method) (update_method) (generator_kind)] @constant
(target_language value: (identifier) @constant)

["and" "or" "not" "is" "in"] @keyword.operator
["+" "-" "*" "/" "%" "<" "<=" ">" ">=" "..."] @operator
["{" "}" "[" "]" "(" ")"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter

; ── Models and types ─────────────────────────────────────────────────────────────────────────────────────────────────

(model name: (identifier) @type)
(model (was name: (identifier) @type))
(enum name: (identifier) @type)
(enum (was name: (identifier) @type))
(drop_model name: (identifier) @type)
(reaction model: (identifier) @type)
(to model: (identifier) @type)
(auth_model name: (identifier) @type)
(shape name: (identifier) @type)
(shape model: (identifier) @type)
(rule_parameter model: (identifier) @type)
(spread name: (identifier) @type)
(selected shape: (identifier) @type)
(response shape: (identifier) @type)
(webhook_payload shape: (identifier) @type)
(webhook_event model: (identifier) @type)
(select shape: (identifier) @type)
(api_body (entrypoint resource: (identifier) @type))
(populator (populate resource: (identifier) @type))

([
  (type name: (identifier) @type.builtin)
  (list_type item: (identifier) @type.builtin)
  (sized_type name: (identifier) @type.builtin)
  (returns type: (identifier) @type.builtin)
  (result_member type: (identifier) @type.builtin)
]
  (#any-of? @type.builtin
    ; types
    "string" "integer" "float" "boolean" "decimal" "timestamp" "date" "uuid" "json" "file"))

([
  (type name: (identifier) @type)
  (list_type item: (identifier) @type)
  (sized_type name: (identifier) @type)
  (returns type: (identifier) @type)
  (result_member type: (identifier) @type)
]
  (#not-any-of? @type
    ; types
    "string" "integer" "float" "boolean" "decimal" "timestamp" "date" "uuid" "json" "file"))

(enum_value name: (identifier) @constant)
(enum_value (was name: (identifier) @constant))
(drop_value name: (identifier) @constant)

; ── Members ──────────────────────────────────────────────────────────────────────────────────────────────────────────

(field name: (identifier) @property)
(record_input name: (identifier) @property)
(page_member (identifier) @property)
(job_input name: (identifier) @property)
(run_argument name: (identifier) @property)
(list_input name: (identifier) @property)
(field_body (was name: (identifier) @property))
(reference name: (identifier) @property)
(reference_body (was name: (identifier) @property))
(relation name: (identifier) @property)
(computed name: (identifier) @property)
(query name: (identifier) @property)
(hook name: (identifier) @property)
(drop_member name: (identifier) @property)
(key_part name: (identifier) @property)
(result_member name: (identifier) @property)

(entrypoint_body (entrypoint resource: (identifier) @property))
(populate_body (populate resource: (identifier) @property))
(selected name: (identifier) @property)
(selected alias: (identifier) @property)
(object_member name: (identifier) @property)
(set name: (identifier) @property)
(input_field name: (identifier) @property)
(input_all except: (identifier) @property)
(reference_input name: (identifier) @property)
(auth_login name: (identifier) @property)
(auth_password name: (identifier) @property)
(auth_subject name: (identifier) @property)

; ── Other names ──────────────────────────────────────────────────────────────────────────────────────────────────────

(api name: (identifier) @namespace)
(populator name: (identifier) @namespace)
(runtime name: (identifier) @namespace)
(hook_runtime name: (identifier) @namespace)

(validator name: (identifier) @function)
(rule name: (identifier) @function)
(job name: (identifier) @function)
(job (was name: (identifier) @function))
(drop_job name: (identifier) @function)
(run_action job: (identifier) @function)
(schedule name: (identifier) @function)
(mail name: (identifier) @function)
(mail (was name: (identifier) @function))
(auth_verify name: (identifier) @function)
(auth_reset name: (identifier) @function)
(auth_invite name: (identifier) @function)
(signed_by scheme: (identifier) @variable)
(signing_secret setting: (identifier) @constant)
(setting name: (identifier) @constant)
(source export: (identifier) @function)
(arg name: (identifier) @variable.parameter)
(validator_arg name: (identifier) @variable.parameter)
(rule_parameter name: (identifier) @variable.parameter)
(alias name: (identifier) @variable)
(for_action name: (identifier) @variable)

; ── Paths, from the general to the particular ────────────────────────────────────────────────────────────────────────

(at_word) @variable.special
(auth_path step: (identifier) @property)

[(path step: (identifier) @property) (target step: (identifier) @property)]

[(path . step: (identifier) @variable) (target . step: (identifier) @variable)]

; Models are written with a capital letter.
([(path . step: (identifier) @type) (target . step: (identifier) @type)]
  (#match? @type "^[A-Z]"))

(call function: (path step: (identifier) @function.method .))

(call function: (path . step: (identifier) @function .))

((call function: (path . step: (identifier) @function.builtin .))
  (#any-of? @function.builtin
    ; functions
    "length" "lower" "upper" "trim" "replace" "substring" "padStart" "slugify" "contains" "startsWith" "endsWith"
    "stringify" "now" "today" "years" "months" "weeks" "days" "hours" "minutes" "seconds" "secondsBetween" "daysBetween"
    "startOf" "concat" "coalesce" "if" "greatest" "least" "round" "ceil" "floor" "abs" "integer" "decimal" "count" "sum"
    "avg" "min" "max" "exists" "cryptoHash" "cryptoCompare" "cryptoToken" "oneOf" "minInt" "maxInt" "minFloat"
    "maxFloat" "minLength" "maxLength" "pattern" "isEmail" "isUrl" "isUuid" "alphanumeric" "isEqual" "isNotEqual"
    "minItems" "maxItems" "distinct" "isEqualInt" "isEqualFloat" "isEqualString" "isEqualBool"))
