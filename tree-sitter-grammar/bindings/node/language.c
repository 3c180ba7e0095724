// The language of src/parser.c, with a table that is read faster.
//
// tree-sitter writes most rows of the parse table as lists, which it searches from the beginning for each token. Here each
// row is an array by symbol, as it writes only the longest ones itself: 0.8 MB, and less time for a parse.
#include "tree_sitter/parser.h"
#include <stdlib.h>

const TSLanguage *tree_sitter_kiln(void);

static TSLanguage language;

// A row has groups, each with a value, how many symbols have it, and those symbols.
static void write_row(uint16_t *row, const uint16_t *list) {
  for (uint16_t groups = *list++; groups > 0; groups--) {
    uint16_t value = *list++;
    for (uint16_t symbols = *list++; symbols > 0; symbols--) row[*list++] = value;
  }
}

// When the addon is loaded, before any thread can ask for the language.
__attribute__((constructor)) static void make_language(void) {
  language = *tree_sitter_kiln();
  uint16_t *table = calloc((size_t)language.state_count * language.symbol_count, sizeof(uint16_t));
  if (!table) return;
  uint32_t large = language.large_state_count;
  for (size_t entry = 0; entry < (size_t)large * language.symbol_count; entry++) table[entry] = language.parse_table[entry];
  for (uint32_t state = large; state < language.state_count; state++)
    write_row(table + (size_t)state * language.symbol_count, language.small_parse_table + language.small_parse_table_map[state - large]);
  language.parse_table = table;
  language.large_state_count = language.state_count;
}

const TSLanguage *kiln_language(void) {
  return &language;
}
