// The parser for WebAssembly, with tree-sitter's core in it.
//
// `parse` gives a tree as numbers, so that JavaScript makes one call for a text: a call for each node would take longer
// than parsing. compiler/syntax/parse-text.ts describes the numbers.
#include <stdlib.h>
#include <tree_sitter/api.h>
// All in one, so that the compiler can inline the small functions of the core.
#include "lib.c"

#define EXPORT(name) __attribute__((export_name(#name))) name

const TSLanguage *tree_sitter_kiln(void);

enum { HEAD = 3, PER_NODE = 5 };

typedef Array(int32_t) Numbers;

// Complete nodes, children before their parents.
static Numbers done = array_new();
// The nodes from the root to the cursor, each with the number of its complete children.
static Numbers open = array_new();

static void open_node(TSNode node, TSFieldId field) {
  // The text has two bytes a unit.
  int32_t start = (int32_t)ts_node_start_byte(node) / 2;
  int32_t end = (int32_t)ts_node_end_byte(node) / 2;
  int32_t numbers[PER_NODE] = {ts_node_symbol(node), field, start, end, 0};
  array_extend(&open, PER_NODE, numbers);
}

static void close_node(void) {
  open.size -= PER_NODE;
  array_extend(&done, PER_NODE, open.contents + open.size);
  if (open.size > 0) *array_back(&open) += 1;
}

// Walks without recursion, because no text may be nested too deeply for it.
static void write_nodes(TSNode root) {
  bool has_errors = ts_node_has_error(root);
  uint32_t depth = 0;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  array_clear(&done);
  array_grow_by(&done, HEAD);
  do {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    TSFieldId field = ts_tree_cursor_current_field_id(&cursor);
    // Punctuation and keywords are left out, unless the parser had to assume one: then the missing word is reported.
    if (ts_node_is_named(node) || field != 0 || (has_errors && ts_node_is_missing(node))) {
      open_node(node, field);
      if (open.size > depth) depth = open.size;
      if (ts_tree_cursor_goto_first_child(&cursor)) continue;
      close_node();
    }
    while (open.size > 0 && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      ts_tree_cursor_goto_parent(&cursor);
      close_node();
    }
  } while (open.size > 0);
  ts_tree_cursor_delete(&cursor);
  done.contents[0] = (int32_t)done.size;
  done.contents[1] = has_errors;
  done.contents[2] = (int32_t)(depth / PER_NODE);
}

static TSTree *tree_of(const char *text, uint32_t bytes) {
  static TSParser *parser;
  if (!parser) {
    parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_kiln());
  }
  return ts_parser_parse_string_encoding(parser, NULL, text, bytes, TSInputEncodingUTF16LE);
}

// Memory for a text of that many bytes.
char *EXPORT(text_memory)(uint32_t bytes) {
  static char *text;
  return text = ts_realloc(text, bytes + 1);
}

int32_t *EXPORT(parse)(const char *text, uint32_t bytes) {
  TSTree *tree = tree_of(text, bytes);
  write_nodes(ts_tree_root_node(tree));
  ts_tree_delete(tree);
  return done.contents;
}

// The whole tree as tree-sitter itself writes it, for tests.
const char *EXPORT(s_expression)(const char *text, uint32_t bytes) {
  static char *written;
  ts_free(written);
  TSTree *tree = tree_of(text, bytes);
  written = ts_node_string(ts_tree_root_node(tree));
  ts_tree_delete(tree);
  return written;
}

// NULL beyond the last one.
const char *EXPORT(type_name)(TSSymbol type) {
  return ts_language_symbol_name(tree_sitter_kiln(), type);
}

// Fields begin at 1. NULL beyond the last one.
const char *EXPORT(field_name)(TSFieldId field) {
  return ts_language_field_name_for_id(tree_sitter_kiln(), field);
}
