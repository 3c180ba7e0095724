/** What the three scripts share: where the room's files are, how a program is found and run, how a script ends. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const room = fileURLToPath(new URL('../', import.meta.url));

/** Each of these is made from the one before it. */
export const GRAMMAR = 'grammar.js';
export const PARSER_C = 'src/parser.c';
export const WASM = 'tree-sitter-kiln.wasm';

/** The addon is another file on each machine. What it is known by is what it was built from. */
export const ADDON = 'build/kiln.node';
const ADDON_SOURCES = [PARSER_C, ...['binding.c', 'core.c', 'language.c'].map((file) => `bindings/node/${file}`)];

export function fingerprintOf(file) {
  const hash = createHash('sha256');
  for (const source of file === ADDON ? ADDON_SOURCES : [file]) hash.update(readFileSync(`${room}${source}`));
  return hash.digest('hex');
}

export function readFingerprints() {
  try {
    return JSON.parse(readFileSync(new URL('../fingerprint.json', import.meta.url), 'utf8'));
  } catch {
    return {};
  }
}

/** A file that is not named loses its fingerprint: it is older than those that are, and has to be made again. */
export function writeFingerprints(files) {
  writeAddonFingerprint(Object.fromEntries(files.map((file) => [file, fingerprintOf(file)])));
}

/** That of the addon says what it has to be built from. It is written whether or not this machine can build one. */
export function writeAddonFingerprint(others = readFingerprints()) {
  const fingerprints = { ...others, [ADDON]: fingerprintOf(ADDON) };
  writeFileSync(`${room}fingerprint.json`, `${JSON.stringify(fingerprints, null, 2)}\n`);
}

/** The first of the candidates that answers to `--version`. */
export function findProgram(candidates) {
  return candidates.find((name) => name && spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

export function run(program, args) {
  const { status, error } = spawnSync(program, args, { cwd: room, stdio: 'inherit' });
  if (status !== 0) giveUp(`${program} ${args[0]} failed${error ? `: ${error.message}` : ''}.`);
}

export function giveUp(...lines) {
  console.error(lines.join('\n'));
  process.exit(1);
}
