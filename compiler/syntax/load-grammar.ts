/**
 * Loads the parser of the Kiln grammar, and is the one file of the compiler that touches the disk. There are two engines:
 * the native one, where its addon has been built, and WebAssembly, which runs everywhere. Both give the same trees.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type WasmParser from 'web-tree-sitter';
import { LAYOUT, ROLE, type TypeTable } from './flat-tree.ts';
import { LEAF_TYPES, OPERATORS } from './kept-types.ts';
import { numbersFromCursor } from './walk-cursor.ts';

type Engine = 'native' | 'wasm';

export interface Grammar extends TypeTable {
  readonly engine: Engine;
  /** The tree in the numbers of flat-tree.ts. */
  parse(text: string): Int32Array;
  /** The whole tree as tree-sitter itself writes it, for tests. */
  sExpression(text: string): string;
}

const GRAMMAR_FOLDER = 'tree-sitter-grammar';
const GRAMMAR_WASM = 'tree-sitter-kiln.wasm';
const ADDON = 'build/kiln.node';

const require = createRequire(import.meta.url);
let loading: Promise<Grammar> | undefined;
let loaded: Grammar | undefined;

/** Must have been awaited once before the first `parseText`. KILN_PARSER=native|wasm chooses the engine. */
export function loadGrammar(): Promise<Grammar> {
  loading ??= chosenGrammar(process.env.KILN_PARSER).then((grammar) => {
    loaded = grammar;
    return grammar;
  });
  return loading;
}

export function loadedGrammar(): Grammar {
  if (!loaded) throw new Error('parseText was called before loadGrammar() was awaited');
  return loaded;
}

async function chosenGrammar(choice: string | undefined): Promise<Grammar> {
  if (choice === 'wasm') return loadWasmGrammar();
  if (choice === 'native') return demandedNativeGrammar();
  if (choice) throw new Error(`KILN_PARSER is \`${choice}\`, but can only be \`native\` or \`wasm\``);
  return nativeGrammarIfPossible() ?? loadWasmGrammar();
}

function demandedNativeGrammar(): Grammar {
  try {
    return loadNativeGrammar();
  } catch (cause) {
    const reason = (cause as Error).message.split('\n')[0];
    throw new Error(`KILN_PARSER is \`native\`, but the native engine does not load: ${reason}`, { cause });
  }
}

function nativeGrammarIfPossible(): Grammar | undefined {
  try {
    return loadNativeGrammar();
  } catch {
    return undefined;
  }
}

// ── Native ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Addon extends TypeTable {
  /** Of src/parser.c and bindings/node, from which it was built. */
  readonly fingerprint: string;
  /** The version of the package `tree-sitter` whose core is in it. */
  readonly core: string;
  readonly layout: number;
  readonly namedTypes: readonly boolean[];
  parse(text: string, roles: Uint8Array): Int32Array;
  sExpression(text: string): string;
}

// Versions of tree-sitter's core recover from errors in different ways. Those in the package tree-sitter 0.22 and in
// web-tree-sitter 0.24 do it alike; the two packages number their versions differently.
const NATIVE_VERSION = /^0\.22\./;

/** Throws where the addon is missing, or was built from something else. */
export function loadNativeGrammar(): Grammar {
  const addon = require(join(grammarFolder(), ADDON)) as Addon;
  refuseStaleAddon(addon);
  refuseOtherVersion(addon.core);
  const { typeNames, fieldNames, sExpression } = addon;
  const roles = rolesOf(typeNames, (id) => addon.namedTypes[id] === true);
  return { engine: 'native', typeNames, fieldNames, sExpression, parse: (text) => addon.parse(text, roles) };
}

/** Named nodes are kept, and the operators. */
function rolesOf(typeNames: TypeTable['typeNames'], isNamed: (id: number) => boolean): Uint8Array {
  return Uint8Array.from(typeNames, (name, id) => {
    if (name === null) return ROLE.dropped;
    if (isNamed(id)) return LEAF_TYPES.has(name) ? ROLE.keptLeaf : ROLE.kept;
    return OPERATORS.has(name) ? ROLE.keptAsField : ROLE.dropped;
  });
}

function refuseOtherVersion(version: string): void {
  if (!NATIVE_VERSION.test(version)) throw new Error(`the package tree-sitter is ${version}, but 0.22 is needed`);
}

/** The addon is built on the user's machine, so it may be older than the sources that came with an update. */
function refuseStaleAddon({ fingerprint, layout }: Addon): void {
  const expected = JSON.parse(readFileSync(join(grammarFolder(), 'fingerprint.json'), 'utf8'))[ADDON];
  if (fingerprint !== expected || layout !== LAYOUT)
    throw new Error(`${ADDON} was built from another version of the grammar or its bindings`);
}

// ── WebAssembly ─────────────────────────────────────────────────────────────────────────────────────────────────────

// web-tree-sitter copies at most this many code units of what it is given.
const WASM_CHUNK = 5 * 1024 - 1;

export async function loadWasmGrammar(): Promise<Grammar> {
  const { default: Parser } = await import('web-tree-sitter');
  await startEngine(Parser);
  const parser = new Parser();
  const language = await Parser.Language.load(readFileSync(join(grammarFolder(), GRAMMAR_WASM)));
  parser.setLanguage(language);
  const typeNames = Array.from({ length: language.nodeTypeCount }, (_, id) => language.nodeTypeForId(id));
  const fieldNames = Array.from({ length: language.fieldCount + 1 }, (_, id) => language.fieldNameForId(id));
  const roles = rolesOf(typeNames, (id) => language.nodeTypeIsNamed(id));
  return {
    engine: 'wasm',
    typeNames,
    fieldNames,
    parse: (text) => withTree(parser, text, (tree) => numbersFromTree(tree, roles)),
    sExpression: (text) => withTree(parser, text, ({ rootNode }) => rootNode.toString()),
  };
}

function startEngine(Parser: typeof WasmParser): Promise<void> {
  const wasmBinary = readFileSync(wasmEngineFile());
  return withCommonJsNames(() => Parser.init({ wasmBinary }));
}

/** web-tree-sitter is CommonJS and asks for these names once, at its start. Bundled as an ES module it has neither. */
function withCommonJsNames<T>(start: () => T): T {
  const names = Object.entries({ require, __dirname: grammarFolder() });
  const added = names.filter(([name]) => !(name in globalThis));
  Object.assign(globalThis, Object.fromEntries(added));
  try {
    return start();
  } finally {
    for (const [name] of added) Reflect.deleteProperty(globalThis, name);
  }
}

function withTree<T>(parser: WasmParser, text: string, use: (tree: WasmParser.Tree) => T): T {
  const tree = parser.parse((start) => chunkFrom(text, start));
  try {
    return use(tree);
  } finally {
    tree.delete();
  }
}

function numbersFromTree(tree: WasmParser.Tree, roles: Uint8Array): Int32Array {
  const cursor = tree.walk();
  try {
    return numbersFromCursor(cursor, roles, tree.rootNode.hasError);
  } finally {
    cursor.delete();
  }
}

/** A piece of the text that does not end between the halves of a surrogate pair. */
function chunkFrom(text: string, start: number): string {
  const end = start + WASM_CHUNK;
  return text.slice(start, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** web-tree-sitter's own module: beside the grammar where a bundle brings it along, else in its package. */
function wasmEngineFile(): string {
  const beside = join(grammarFolder(), 'tree-sitter.wasm');
  return existsSync(beside) ? beside : require.resolve('web-tree-sitter/tree-sitter.wasm');
}

// ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Found by walking up, because this file runs from `compiler/syntax` and, bundled, from `dist`. */
function grammarFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; ; folder = dirname(folder)) {
    const candidate = join(folder, GRAMMAR_FOLDER);
    if (existsSync(join(candidate, GRAMMAR_WASM))) return candidate;
    if (folder === dirname(folder)) {
      throw new Error(`${GRAMMAR_FOLDER}/${GRAMMAR_WASM} was not found in ${here} or any folder above it`);
    }
  }
}
