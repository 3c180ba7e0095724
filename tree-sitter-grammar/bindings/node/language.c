// The language of src/parser.c, with a table that is read faster.
//
// tree-sitter writes most rows of the parse table as lists, which it searches from the beginning for each token. Here each
// row is an array by symbol, as it writes only the longest ones itself: 0.8 MB, and less time for a parse.
//
// That file is included because only it says how large the table is. The table is part of the library, so that it goes
// with it: Node unloads the addon with the last thread that uses it, and loads it again for the next one.
#include "../../src/parser.c"
#include <string.h>

static TSLanguage language;
static uint16_t table[STATE_COUNT][SYMBOL_COUNT];

// A row has groups, each with a value, how many symbols have it, and those symbols.
static void write_row(uint16_t *row, const uint16_t *list) {
  for (uint16_t groups = *list++; groups > 0; groups--) {
    uint16_t value = *list++;
    for (uint16_t symbols = *list++; symbols > 0; symbols--) row[*list++] = value;
  }
}

// When the addon is loaded, before any thread can ask for the language.
__attribute__((constructor)) static void make_language(void) {
  memcpy(table, ts_parse_table, sizeof(ts_parse_table));
  for (uint32_t state = LARGE_STATE_COUNT; state < STATE_COUNT; state++)
    write_row(table[state], ts_small_parse_table + ts_small_parse_table_map[SMALL_STATE(state)]);
  language = *tree_sitter_kiln();
  language.parse_table = &table[0][0];
  language.large_state_count = STATE_COUNT;
}

const TSLanguage *kiln_language(void) {
  return &language;
}
