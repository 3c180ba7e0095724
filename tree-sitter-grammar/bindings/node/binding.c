// The parser as a Node addon, in plain C so that a C compiler and the N-API headers are all it takes.
//
// `parse(text, roles)` gives the tree as numbers in one Int32Array, so that JavaScript makes one call for a file and not
// several for each node, and no tree waits for the garbage collector. compiler/syntax/flat-tree.ts describes the numbers.
#include <node_api.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>
// All in one, so that the compiler can put the small functions of the core where they are called.
#include "core.c"

#ifndef KILN_FINGERPRINT
#define KILN_FINGERPRINT ""
#endif
#ifndef KILN_CORE
#define KILN_CORE ""
#endif

// In language.c.
const TSLanguage *kiln_language(void);

// The tag by which the npm package `tree-sitter` knows a language from any other external pointer.
static const napi_type_tag LANGUAGE_TAG = {0x8AF2E5212AD58ABFULL, 0xD5006CAD83ABBA16ULL};

// The same numbers as in compiler/syntax/flat-tree.ts.
enum { LAYOUT = 1, HEAD = 2, PER_NODE = 5 };
enum { DROPPED = 0, KEPT_AS_FIELD = 1, KEPT = 2, KEPT_LEAF = 3 };

// ── Growing lists ───────────────────────────────────────────────────────────────────────────────────────────────────

typedef struct {
  int32_t *items;
  size_t length;
  size_t capacity;
} Numbers;

// Room for `count` more at the end; NULL where there is no memory.
static int32_t *extend(Numbers *numbers, size_t count) {
  size_t needed = numbers->length + count;
  if (needed > numbers->capacity) {
    size_t capacity = needed * 2;
    int32_t *items = realloc(numbers->items, capacity * sizeof(int32_t));
    if (!items) return NULL;
    numbers->items = items;
    numbers->capacity = capacity;
  }
  int32_t *end = numbers->items + numbers->length;
  numbers->length = needed;
  return end;
}

// ── Walking ─────────────────────────────────────────────────────────────────────────────────────────────────────────

typedef struct {
  TSTreeCursor cursor;
  const uint8_t *roles;
  size_t role_count;
  bool has_errors;
  // Complete nodes, children before their parents.
  Numbers done;
  // The nodes from the root to where the cursor is, each with the number of its complete children.
  Numbers open;
  size_t depth;
} Walk;

// Punctuation and keywords go, unless the parser had to assume one.
static bool is_kept(const Walk *walk, TSNode node, TSFieldId field) {
  TSSymbol symbol = ts_node_symbol(node);
  // The symbol of what could not be read is beyond all others.
  uint8_t role = symbol < walk->role_count ? walk->roles[symbol] : KEPT;
  if (role >= KEPT || (role == KEPT_AS_FIELD && field != 0)) return true;
  return walk->has_errors && ts_node_is_missing(node);
}

static bool open_node(Walk *walk, TSNode node, TSFieldId field) {
  int32_t *entry = extend(&walk->open, PER_NODE);
  if (!entry) return false;
  entry[0] = ts_node_symbol(node);
  entry[1] = field;
  // The text has two bytes a unit.
  entry[2] = (int32_t)(ts_node_start_byte(node) / 2);
  entry[3] = (int32_t)(ts_node_end_byte(node) / 2);
  entry[4] = 0;
  size_t depth = walk->open.length / PER_NODE;
  if (depth > walk->depth) walk->depth = depth;
  return true;
}

static bool close_node(Walk *walk) {
  int32_t *entry = extend(&walk->done, PER_NODE);
  if (!entry) return false;
  walk->open.length -= PER_NODE;
  memcpy(entry, walk->open.items + walk->open.length, PER_NODE * sizeof(int32_t));
  if (walk->open.length > 0) walk->open.items[walk->open.length - 1] += 1;
  return true;
}

// Without recursion, for no text may be nested too deeply for it. False where there is no memory.
static bool walk_tree(Walk *walk) {
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(&walk->cursor);
    TSFieldId field = ts_tree_cursor_current_field_id(&walk->cursor);
    if (is_kept(walk, node, field)) {
      if (!open_node(walk, node, field)) return false;
      if (ts_tree_cursor_goto_first_child(&walk->cursor)) continue;
      if (!close_node(walk)) return false;
    }
    while (walk->open.length > 0 && !ts_tree_cursor_goto_next_sibling(&walk->cursor)) {
      ts_tree_cursor_goto_parent(&walk->cursor);
      if (!close_node(walk)) return false;
    }
    if (walk->open.length == 0) return true;
  }
}

// ── Parsing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

static bool write_tree(const TSTree *tree, const uint8_t *roles, size_t role_count, Numbers *result) {
  TSNode root = ts_tree_root_node(tree);
  Walk walk = {.roles = roles, .role_count = role_count, .has_errors = ts_node_has_error(root)};
  bool is_written = extend(&walk.done, HEAD) != NULL;
  if (is_written) {
    walk.cursor = ts_tree_cursor_new(root);
    is_written = walk_tree(&walk);
  }
  if (is_written) {
    walk.done.items[0] = walk.has_errors;
    walk.done.items[1] = (int32_t)walk.depth;
  }
  free(walk.open.items);
  *result = walk.done;
  return is_written;
}

// NULL where there is no memory. Neither the parser nor the tree is deleted: `memory_empty` frees both.
static TSTree *tree_of(const char16_t *units, size_t length) {
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, kiln_language())) return NULL;
  return ts_parser_parse_string_encoding(parser, NULL, (const char *)units, (uint32_t)(length * 2), TSInputEncodingUTF16LE);
}

static void *failure(napi_env env, const char *message) {
  napi_throw_error(env, NULL, message);
  return NULL;
}

// The tree of a JavaScript text. NULL where an error has been thrown.
static TSTree *parsed(napi_env env, napi_value text) {
  size_t length = 0;
  if (napi_get_value_string_utf16(env, text, NULL, 0, &length) != napi_ok) return failure(env, "only a text can be parsed");
  if (length > INT32_MAX / 2) return failure(env, "the text is too long");
  char16_t *units = malloc((length + 1) * sizeof(char16_t));
  if (!units) return failure(env, "there is not enough memory for the text");
  napi_get_value_string_utf16(env, text, units, length + 1, &length);
  TSTree *tree = tree_of(units, length);
  free(units);
  return tree ? tree : failure(env, "there is not enough memory for the tree");
}

static napi_value numbers_to_js(napi_env env, const Numbers *numbers) {
  void *data = NULL;
  napi_value buffer = NULL;
  napi_value result = NULL;
  if (napi_create_arraybuffer(env, numbers->length * sizeof(int32_t), &data, &buffer) != napi_ok)
    return failure(env, "there is not enough memory for the numbers of the tree");
  memcpy(data, numbers->items, numbers->length * sizeof(int32_t));
  napi_create_typedarray(env, napi_int32_array, numbers->length, buffer, 0, &result);
  return result;
}

static napi_value parse(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  napi_typedarray_type type;
  size_t role_count = 0;
  void *roles = NULL;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (napi_get_typedarray_info(env, arguments[1], &type, &role_count, &roles, NULL, NULL) != napi_ok || type != napi_uint8_array)
    return failure(env, "the roles of the types must be a Uint8Array");
  TSTree *tree = parsed(env, arguments[0]);
  if (!tree) return NULL;
  Numbers numbers = {0};
  bool is_written = write_tree(tree, roles, role_count, &numbers);
  memory_empty();
  napi_value result = is_written ? numbers_to_js(env, &numbers) : failure(env, "there is not enough memory for the tree");
  free(numbers.items);
  return result;
}

static napi_value s_expression(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  TSTree *tree = parsed(env, argument);
  if (!tree) return NULL;
  char *written = ts_node_string(ts_tree_root_node(tree));
  napi_value result = NULL;
  napi_create_string_utf8(env, written, NAPI_AUTO_LENGTH, &result);
  memory_empty();
  return result;
}

// ── What JavaScript sees ────────────────────────────────────────────────────────────────────────────────────────────

static napi_value text(napi_env env, const char *value) {
  napi_value result = NULL;
  if (value) napi_create_string_utf8(env, value, NAPI_AUTO_LENGTH, &result);
  else napi_get_null(env, &result);
  return result;
}

static napi_value number(napi_env env, int32_t value) {
  napi_value result = NULL;
  napi_create_int32(env, value, &result);
  return result;
}

static napi_value language(napi_env env) {
  napi_value result = NULL;
  napi_create_external(env, (void *)kiln_language(), NULL, NULL, &result);
  napi_type_tag_object(env, result, &LANGUAGE_TAG);
  return result;
}

// The names of the types by their numbers.
static napi_value type_names(napi_env env) {
  const TSLanguage *kiln = kiln_language();
  napi_value names = NULL;
  napi_create_array(env, &names);
  for (uint32_t symbol = 0; symbol < ts_language_symbol_count(kiln); symbol++)
    napi_set_element(env, names, symbol, text(env, ts_language_symbol_name(kiln, (TSSymbol)symbol)));
  return names;
}

// Whether each of them is a named one.
static napi_value named_types(napi_env env) {
  const TSLanguage *kiln = kiln_language();
  napi_value named = NULL;
  napi_create_array(env, &named);
  for (uint32_t symbol = 0; symbol < ts_language_symbol_count(kiln); symbol++) {
    napi_value is_named = NULL;
    napi_get_boolean(env, ts_language_symbol_type(kiln, (TSSymbol)symbol) == TSSymbolTypeRegular, &is_named);
    napi_set_element(env, named, symbol, is_named);
  }
  return named;
}

// The names of the fields by their numbers, which begin at one.
static napi_value field_names(napi_env env) {
  const TSLanguage *kiln = kiln_language();
  napi_value names = NULL;
  napi_create_array(env, &names);
  for (uint32_t field = 0; field <= ts_language_field_count(kiln); field++)
    napi_set_element(env, names, field, text(env, field == 0 ? NULL : ts_language_field_name_for_id(kiln, (TSFieldId)field)));
  return names;
}

static napi_value function(napi_env env, napi_callback callback) {
  napi_value result = NULL;
  napi_create_function(env, NULL, 0, callback, NULL, &result);
  return result;
}

NAPI_MODULE_INIT() {
  // A thread may load the addon twice, each time with another `env`; Node ends the process where a hook is added twice.
  napi_add_env_cleanup_hook(env, memory_release, env);
  napi_set_named_property(env, exports, "name", text(env, "kiln"));
  napi_set_named_property(env, exports, "language", language(env));
  napi_set_named_property(env, exports, "fingerprint", text(env, KILN_FINGERPRINT));
  napi_set_named_property(env, exports, "core", text(env, KILN_CORE));
  napi_set_named_property(env, exports, "layout", number(env, LAYOUT));
  napi_set_named_property(env, exports, "typeNames", type_names(env));
  napi_set_named_property(env, exports, "namedTypes", named_types(env));
  napi_set_named_property(env, exports, "fieldNames", field_names(env));
  napi_set_named_property(env, exports, "parse", function(env, parse));
  napi_set_named_property(env, exports, "sExpression", function(env, s_expression));
  return exports;
}
