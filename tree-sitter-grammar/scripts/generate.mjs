/** grammar.js → src/parser.c, src/grammar.json, src/node-types.json. */
import { findProgram, GRAMMAR, giveUp, PARSER_C, run, writeFingerprints } from './room.mjs';

// The newest that both engines read; newer versions of the command write ABI 15 unless they are told.
const ABI = '14';

const treeSitter = findProgram([process.env.TREE_SITTER ?? 'tree-sitter']);
if (!treeSitter) {
  giveUp(
    'generate: the tree-sitter command was not found.',
    "Install it (npm install -g tree-sitter-cli, cargo install tree-sitter-cli, or your system's package),",
    'or name the program: TREE_SITTER=/path/to/tree-sitter node scripts/generate.mjs',
  );
}

run(treeSitter, ['generate', '--abi', ABI]);
writeFingerprints([GRAMMAR, PARSER_C]);
console.log('generate: src/parser.c is new. Next: node scripts/build-wasm.mjs');
