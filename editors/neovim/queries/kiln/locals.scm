; Made from tree-sitter-grammar/queries/locals.scm: change that file, then run `npm run editor:queries`.

; Which name is which, as far as the syntax alone can tell.

; ── Scopes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

[
  (source_file)
  (model_body)
  (validator_body)
  (query_body)
  (hook_body)
  (arg_query)
  (entrypoint)
  (endpoint)
  (custom_endpoint)
  (populate)
  (job)
  (reaction)
] @local.scope

; ── Definitions ──────────────────────────────────────────────────────────────────────────────────────────────────────

(model name: (identifier) @local.definition)
(shape name: (identifier) @local.definition)
(enum name: (identifier) @local.definition)
(rule name: (identifier) @local.definition)
(rule_parameter name: (identifier) @local.definition)
(setting name: (identifier) @local.definition)
(job name: (identifier) @local.definition)
(job_input name: (identifier) @local.definition)
(validator name: (identifier) @local.definition)
(runtime name: (identifier) @local.definition)

(field name: (identifier) @local.definition)
(record_input name: (identifier) @local.definition)
(list_input name: (identifier) @local.definition)
(reference name: (identifier) @local.definition)
(relation name: (identifier) @local.definition)
(computed name: (identifier) @local.definition)
(query name: (identifier) @local.definition)
(hook name: (identifier) @local.definition)

(arg name: (identifier) @local.definition)
(validator_arg name: (identifier) @local.definition)
(alias name: (identifier) @local.definition)

; ── References ───────────────────────────────────────────────────────────────────────────────────────────────────────

(path . step: (identifier) @local.reference)
(target . step: (identifier) @local.reference)
(type name: (identifier) @local.reference)
(list_type item: (identifier) @local.reference)
(sized_type name: (identifier) @local.reference)
(returns type: (identifier) @local.reference)
(result_member type: (identifier) @local.reference)
(to model: (identifier) @local.reference)
(reaction model: (identifier) @local.reference)
(run_action job: (identifier) @local.reference)
(auth_model name: (identifier) @local.reference)
(entrypoint resource: (identifier) @local.reference)
(populate resource: (identifier) @local.reference)
(hook_runtime name: (identifier) @local.reference)
(key_part name: (identifier) @local.reference)
