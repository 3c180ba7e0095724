/**
 * src/parser.c, bindings/node and tree-sitter's core → build/kiln.node, for the native engine. The core is the source
 * text in the npm package `tree-sitter`. Needs a C compiler and nothing from the network. With --quiet-if-impossible a
 * machine without a compiler is no failure: the WebAssembly engine does the work.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ADDON, findProgram, fingerprintOf, giveUp, readFingerprints, room, writeAddonFingerprint } from './room.mjs';

// binding.c includes core.c, and that one the core; language.c includes src/parser.c.
const BINDING = ['bindings/node/binding.c', 'bindings/node/language.c'];
const mayBeImpossible = process.argv.includes('--quiet-if-impossible');

function impossible(...lines) {
  if (mayBeImpossible) process.exit(0);
  giveUp(...lines);
}

const require = createRequire(import.meta.url);

function headers() {
  return required('node-api-headers', () => require('node-api-headers').include_dir);
}

/** The package's version, and the folder of its C library. */
function core() {
  const file = required('tree-sitter', () => require.resolve('tree-sitter/package.json'));
  return { version: require(file).version, folder: join(dirname(file), 'vendor', 'tree-sitter', 'lib') };
}

function required(name, find) {
  try {
    return find();
  } catch {
    return impossible(`build-native: the package ${name} is not installed. Run npm install first.`);
  }
}

// macOS resolves Node's symbols when the addon is loaded, and has to be told so; Linux does it unasked.
const linkFlags = process.platform === 'darwin' ? ['-bundle', '-undefined', 'dynamic_lookup'] : ['-shared'];

function compile(compiler, output) {
  const { version, folder } = core();
  const args = [
    ...['-O2', '-fPIC', '-std=c11', '-fvisibility=hidden', '-Isrc', '-isystem', headers()],
    // The npm package has the same library inside; neither shall find the functions of the other.
    ...['-DTREE_SITTER_HIDE_SYMBOLS', '-DTREE_SITTER_HIDDEN_SYMBOLS', '-D_POSIX_C_SOURCE=200112L', '-D_DEFAULT_SOURCE'],
    // The library sees one cursor as two types.
    '-fno-strict-aliasing',
    ...[`-I${join(folder, 'include')}`, `-I${join(folder, 'src')}`],
    ...[`-DKILN_FINGERPRINT="${fingerprintOf(ADDON)}"`, `-DKILN_CORE="${version}"`],
    ...[...linkFlags, ...BINDING, '-o', output],
  ];
  return spawnSync(compiler, args, { cwd: room, stdio: mayBeImpossible ? 'ignore' : 'inherit' }).status === 0;
}

function build(compiler) {
  mkdirSync(`${room}build`, { recursive: true });
  const unfinished = `${ADDON}.${process.pid}`;
  if (!compile(compiler, unfinished)) impossible('build-native: the compiler refused; its message is above.');
  // Renamed into place, because a running process may have the old file mapped.
  renameSync(`${room}${unfinished}`, `${room}${ADDON}`);
}

// Not where it is right, for others may be reading the file.
if (readFingerprints()[ADDON] !== fingerprintOf(ADDON)) writeAddonFingerprint();
const compiler = process.platform === 'win32' ? undefined : findProgram([process.env.CC ?? 'cc']);
if (!compiler)
  impossible('build-native: no C compiler for Linux or macOS was found. Install one, or name it: CC=/path/to/cc');
try {
  build(compiler);
  // Not on standard output, which is JSON for `npm pack --json`.
  console.error(`build-native: ${ADDON} is new.`);
} catch (error) {
  impossible(`build-native: ${error.message}`);
}
