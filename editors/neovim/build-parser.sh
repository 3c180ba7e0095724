#!/bin/sh
# Builds the parser for Neovim from the grammar beside this folder. It needs a C compiler and nothing else.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$here/parser"
"${CC:-cc}" -O2 -shared -fPIC -I "$here/../../tree-sitter-grammar/src" \
  "$here/../../tree-sitter-grammar/src/parser.c" -o "$here/parser/kiln.so"
