; The outline: declarations, their members, and the endpoints of the API.

(doc_comment) @annotation

(model "model" @context name: (identifier) @name) @item
(enum "enum" @context name: (identifier) @name) @item
(enum_value name: (identifier) @name) @item
(validator "validator" @context name: (identifier) @name) @item
(populator "populator" @context name: (identifier) @name) @item
(runtime "runtime" @context name: (identifier) @name) @item
(auth "auth" @name) @item

(field "field" @context name: (identifier) @name) @item
(reference "reference" @context name: (identifier) @name) @item
(relation "relation" @context name: (identifier) @name) @item
(computed "computed" @context name: (identifier) @name) @item
(query "query" @context name: (identifier) @name) @item
(hook "hook" @context name: (identifier) @name) @item

(api !name "api" @name) @item
(api "api" @context name: (identifier) @name) @item
(entrypoint "entrypoint" @context resource: (identifier) @name) @item
(endpoint kind: (endpoint_kind) @name "endpoint" @context.extra) @item
(custom_endpoint method: (http_method) @context path: (_) @name) @item
(populate "populate" @context resource: (identifier) @name) @item
