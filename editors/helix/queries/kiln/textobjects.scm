; What can be selected as a whole: declarations as classes, endpoints and validators as functions, members as entries.

(model body: (_) @class.inside) @class.around
(enum body: (_) @class.inside) @class.around
(entrypoint body: (_) @class.inside) @class.around

(endpoint body: (_) @function.inside) @function.around
(custom_endpoint body: (_) @function.inside) @function.around
(validator body: (_) @function.inside) @function.around
(hook body: (_) @function.inside) @function.around

[(field) (reference) (relation) (computed) (query) (enum_value) (selected) (set) (input_field)] @entry.around

(arguments (_) @parameter.inside)

(comment) @comment.inside
(comment)+ @comment.around
(doc_comment) @comment.inside
(doc_comment)+ @comment.around
