; Made from tree-sitter-grammar/queries/folds.scm: change that file, then run `npm run editor:queries`.

; Whatever has braces of its own, and text over several lines.

[
  (model_body)
  (enum_body)
  (field_body)
  (reference_body)
  (relation_body)
  (query_body)
  (hook_body)
  (validator_body)
  (validator_arg_body)
  (api_body)
  (entrypoint_body)
  (endpoint_body)
  (selection)
  (action_body)
  (write_body)
  (input_field_body)
  (generator_body)
  (populate_body)
  (repeat_range)
] @fold

[
  (computed)
  (unique_over)
  (index_over)
  (normalise)
  (validate)
  (assert)
  (error)
  (identify)
  (authorize)
  (filter)
  (order_by)
  (paginable)
  (extra_inputs)
  (input)
  (input_all)
  (conflict_key)
  (reference_input)
  (arg_query)
  (query_action)
  (query_update)
  (execute_action)
  (respond_action)
  (http_headers)
  (validate_action)
  (auth)
  (auth_register)
  (runtime)
  (populator)
] @fold

[
  (list)
  (arguments)
  (parenthesized)
  (raw_string)
  (comment)
] @fold
