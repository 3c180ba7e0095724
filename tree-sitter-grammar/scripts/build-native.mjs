/**
 * src/parser.c and bindings/node/binding.c → build/kiln.node, for the native engine. Needs a C compiler and nothing from
 * the network. With --quiet-if-impossible a machine without a compiler is no failure: the WebAssembly engine does the work.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { findProgram, fingerprintOf, giveUp, PARSER_C, room } from './room.mjs';

const ADDON = 'build/kiln.node';
const mayBeImpossible = process.argv.includes('--quiet-if-impossible');

function impossible(...lines) {
  if (mayBeImpossible) process.exit(0);
  giveUp(...lines);
}

function headers() {
  try {
    return createRequire(import.meta.url)('node-api-headers').include_dir;
  } catch {
    return impossible('build-native: the package node-api-headers is not installed. Run npm install first.');
  }
}

// macOS resolves Node's symbols when the addon is loaded, and has to be told so; Linux does it unasked.
const linkFlags = process.platform === 'darwin' ? ['-bundle', '-undefined', 'dynamic_lookup'] : ['-shared'];

function compile(compiler, output) {
  const args = [
    ...['-O2', '-fPIC', '-std=c11', '-fvisibility=hidden', '-Isrc', '-isystem', headers()],
    `-DKILN_FINGERPRINT="${fingerprintOf(PARSER_C)}"`,
    ...[...linkFlags, PARSER_C, 'bindings/node/binding.c', '-o', output],
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
