// tree-sitter's core, made for this addon: it has memory of its own, and its counters are plain numbers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ── Memory ──────────────────────────────────────────────────────────────────────────────────────────────────────────
//
// A parse makes and frees very many small blocks, and none of them is needed after it. So blocks are cut from large
// pieces, one behind the other. A freed block waits in a list for the next one of its size. When the parse is over, the
// pieces are empty again, and nothing has to be freed one by one.

// Small blocks have sizes of a multiple of STEP, larger ones of a power of two. A class is the number of such a size.
enum { STEP = 16, SMALL = 1024, SMALL_CLASSES = SMALL / STEP, CLASSES = SMALL_CLASSES + 64 };

// The first piece has room for the tree of a file of some hundred lines. What a parse needs beyond that comes in pieces
// as large as all before, and only a piece that is not too large is kept for the next parse.
static const size_t FIRST_PIECE = (size_t)1 << 20;
static const size_t LARGEST_KEPT_PIECE = (size_t)1 << 24;

typedef struct Piece {
  struct Piece *before;
  size_t size;
} Piece;

// What is in front of each block: its class while it is in use, the next of its list while it is free.
typedef union Block {
  size_t size_class;
  union Block *next;
} Block;

// Each thread of Node may parse.
static _Thread_local struct {
  Piece *piece;
  char *next;
  char *end;
  Block *freed[CLASSES];
} memory;

static size_t class_of(size_t size) {
  if (size <= SMALL) return (size + STEP - 1) / STEP;
  size_t size_class = SMALL_CLASSES + 1;
  for (size_t largest = SMALL * 2; largest < size; largest *= 2) size_class++;
  return size_class;
}

static size_t size_of(size_t size_class) {
  return size_class <= SMALL_CLASSES ? size_class * STEP : (size_t)SMALL << (size_class - SMALL_CLASSES);
}

static void begin_piece(Piece *piece) {
  memory.piece = piece;
  memory.next = (char *)(piece + 1);
  memory.end = (char *)piece + piece->size;
}

// As the core itself does it.
static void give_up(size_t size) {
  fprintf(stderr, "kiln: not enough memory for %zu bytes of a syntax tree\n", size);
  abort();
}

static void add_piece(size_t needed) {
  size_t size = memory.piece ? memory.piece->size * 2 : FIRST_PIECE;
  while (size < needed + sizeof(Piece)) size *= 2;
  Piece *piece = malloc(size);
  if (!piece) give_up(size);
  *piece = (Piece){.before = memory.piece, .size = size};
  begin_piece(piece);
}

static Block *cut_block(size_t size_class) {
  size_t size = size_of(size_class);
  if ((size_t)(memory.end - memory.next) < size) add_piece(size);
  Block *block = (Block *)memory.next;
  memory.next += size;
  return block;
}

static void *take(size_t size) {
  if (size > SIZE_MAX / 4) give_up(size);
  size_t size_class = class_of(size + sizeof(Block));
  Block *block = memory.freed[size_class];
  if (block) memory.freed[size_class] = block->next;
  else block = cut_block(size_class);
  block->size_class = size_class;
  return block + 1;
}

static void *take_zeroed(size_t count, size_t size) {
  if (size > 0 && count > SIZE_MAX / 4 / size) give_up(size);
  return memset(take(count * size), 0, count * size);
}

static void give_back(void *content) {
  if (!content) return;
  Block *block = (Block *)content - 1;
  size_t size_class = block->size_class;
  block->next = memory.freed[size_class];
  memory.freed[size_class] = block;
}

static void *resize(void *content, size_t size) {
  if (!content) return take(size);
  size_t room = size_of(((Block *)content - 1)->size_class) - sizeof(Block);
  if (size <= room) return content;
  void *larger = memcpy(take(size), content, room);
  give_back(content);
  return larger;
}

static void free_pieces(Piece *piece) {
  while (piece) {
    Piece *before = piece->before;
    free(piece);
    piece = before;
  }
}

// Gives back what is kept for the next parse on this thread.
static void memory_release(void *unused) {
  (void)unused;
  free_pieces(memory.piece);
  memset(&memory, 0, sizeof(memory));
}

// Frees all that the core has got on this thread since the last call, at once.
static void memory_empty(void) {
  Piece *last = memory.piece;
  if (!last || last->size > LARGEST_KEPT_PIECE) return memory_release(NULL);
  free_pieces(last->before);
  last->before = NULL;
  memset(memory.freed, 0, sizeof(memory.freed));
  begin_piece(last);
}

#define ts_malloc take
#define ts_calloc take_zeroed
#define ts_realloc resize
#define ts_free give_back

// ── Counters ────────────────────────────────────────────────────────────────────────────────────────────────────────
//
// The core counts who uses a part of a tree, and does it so that several threads may share a tree. Here a tree lives for
// one call on one thread. These take the place of the core's atomic.h.

#define TREE_SITTER_ATOMIC_H_

static inline size_t atomic_load(const volatile size_t *counter) {
  return *counter;
}

static inline uint32_t atomic_inc(volatile uint32_t *counter) {
  return *counter += 1;
}

static inline uint32_t atomic_dec(volatile uint32_t *counter) {
  return *counter -= 1;
}

// Its own file with all of its files.
#include "lib.c"
