/**
 * Makes what is generated from the grammar. `generate.mjs parser`: grammar.js → src/. `generate.mjs wasm`: src/parser.c →
 * kiln-parser.wasm, which the compiler loads, and tree-sitter-kiln.wasm, which web-tree-sitter loads to test the queries.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./', import.meta.url));
const PARSER = ['grammar.js', 'src/parser.c'];
const WASM = ['parse.c', 'kiln-parser.wasm', 'tree-sitter-kiln.wasm'];

/** A test compares these. Files that are not named have to be made again. */
function writeFingerprints(files) {
  const fingerprint = (file) =>
    createHash('sha256')
      .update(readFileSync(`${folder}${file}`))
      .digest('hex');
  const fingerprints = Object.fromEntries(files.map((file) => [file, fingerprint(file)]));
  writeFileSync(`${folder}fingerprint.json`, `${JSON.stringify(fingerprints, null, 2)}\n`);
}

/** The variable of the environment can name another program. */
function run(variable, program, args) {
  const { status, error } = spawnSync(process.env[variable] ?? program, args, { cwd: folder, stdio: 'inherit' });
  if (status === 0) return;
  console.error(`generate: ${program} failed${error ? `: ${error.message}` : ''}. ${variable}=… names another one.`);
  process.exit(1);
}

function generateParser() {
  // The newest that tree-sitter 0.22 and web-tree-sitter 0.24 read.
  run('TREE_SITTER', 'tree-sitter', ['generate', '--abi', '14']);
  writeFingerprints(PARSER);
}

function buildWasm() {
  const { resolve } = createRequire(import.meta.url);
  const core = join(dirname(resolve('tree-sitter/package.json')), 'vendor/tree-sitter/lib');
  const headers = ['-isystem', process.env.WASI_INCLUDE ?? '/usr/include/wasm32-wasi', '-Isrc'];
  mkdirSync(`${folder}build`, { recursive: true });
  run('CLANG', 'clang-16', [
    // The core knows the byte order of Emscripten, which is that of every WebAssembly.
    ...['--target=wasm32-wasi', '-mexec-model=reactor', '-D__EMSCRIPTEN__', '-fno-strict-aliasing', ...headers],
    // Code that V8 does not optimise has to be inlined here. Copies of memory are instructions, not loops.
    ...['-O3', '-DNDEBUG', '-mbulk-memory'],
    ...[`-I${core}/include`, `-I${core}/src`, 'parse.c', 'src/parser.c'],
    ...['-Wl,--gc-sections,--strip-all,-z,stack-size=1048576', '-o', 'kiln-parser.wasm'],
  ]);
  run('CLANG', 'clang-16', [
    ...['--target=wasm32-unknown-emscripten', '-fPIC', '-Os', ...headers],
    ...['-c', 'src/parser.c', '-o', 'build/parser.o'],
  ]);
  run('WASM_LD', 'wasm-ld-16', [
    ...['--shared', '--experimental-pic', '--no-entry', '--export=tree_sitter_kiln', '--allow-undefined'],
    ...['build/parser.o', '-o', 'tree-sitter-kiln.wasm'],
  ]);
  writeFingerprints([...PARSER, ...WASM]);
}

if (process.argv[2] === 'wasm') buildWasm();
else generateParser();
