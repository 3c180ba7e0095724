/** src/parser.c → tree-sitter-kiln.wasm, the module that web-tree-sitter loads. */
import { existsSync, mkdirSync } from 'node:fs';
import {
  findProgram,
  fingerprintOf,
  GRAMMAR,
  giveUp,
  PARSER_C,
  readFingerprints,
  room,
  run,
  WASM,
  writeFingerprints,
} from './room.mjs';

const OBJECT = 'build/parser.wasm.o';

function programFromEnv(variable, names) {
  const chosen = process.env[variable];
  const program = findProgram(chosen ? [chosen] : names);
  if (!program) {
    giveUp(
      `build-wasm: none of ${chosen ?? names.join(', ')} was found.`,
      'On Debian: apt install clang-16 lld-16 wasi-libc.',
      `Elsewhere, name the program: ${variable}=/path/to/it node scripts/build-wasm.mjs`,
    );
  }
  return program;
}

function headers() {
  const folder = process.env.WASI_INCLUDE ?? '/usr/include/wasm32-wasi';
  if (!existsSync(folder)) {
    giveUp(
      `build-wasm: there are no C headers for WebAssembly in ${folder}.`,
      'On Debian: apt install wasi-libc. Elsewhere, name the folder: WASI_INCLUDE=/path/to/include',
    );
  }
  return folder;
}

function refuseAStaleParser() {
  const known = readFingerprints();
  if ([GRAMMAR, PARSER_C].some((file) => known[file] !== fingerprintOf(file))) {
    giveUp('build-wasm: src/parser.c was not made from this grammar.js. First: node scripts/generate.mjs');
  }
}

refuseAStaleParser();
const clang = programFromEnv('CLANG', ['clang-16', 'clang']);
const linker = programFromEnv('WASM_LD', ['wasm-ld-16', 'wasm-ld']);
mkdirSync(`${room}build`, { recursive: true });
run(clang, [
  ...['--target=wasm32-unknown-emscripten', '-fPIC', '-Os', '-isystem', headers()],
  ...['-Isrc', '-c', PARSER_C, '-o', OBJECT],
]);
run(linker, [
  ...['--shared', '--experimental-pic', '--no-entry', '--export=tree_sitter_kiln', '--allow-undefined'],
  ...[OBJECT, '-o', WASM],
]);
writeFingerprints([GRAMMAR, PARSER_C, WASM]);
console.log(`build-wasm: ${WASM} is new.`);
