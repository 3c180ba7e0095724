/**
 * Loads the parser of the Kiln grammar, and is the one file of the compiler that touches the disk. There are two engines:
 * the native one, where its addon has been built, and WebAssembly, which runs everywhere. Both give the same trees.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type WasmParser from 'web-tree-sitter';

type Engine = 'native' | 'wasm';

/** The part of tree-sitter's cursor that both engines have in common. */
export interface Cursor {
  readonly nodeTypeId: number;
  readonly nodeType: string;
  readonly nodeIsNamed: boolean;
  readonly nodeIsMissing: boolean;
  /** Zero or undefined, by engine, where the node has no field. */
  readonly currentFieldId: number | undefined;
  readonly currentFieldName: string | null | undefined;
  readonly startIndex: number;
  readonly endIndex: number;
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
}

interface ParsedText {
  readonly cursor: Cursor;
  /** True for parts that could not be read, and for parts that had to be assumed. */
  readonly hasErrors: boolean;
  /** Gives the tree's memory back; the cursor is of no use afterwards. */
  free(): void;
}

export interface Grammar {
  readonly engine: Engine;
  parse(text: string): ParsedText;
}

const GRAMMAR_FOLDER = 'tree-sitter-grammar';
const GRAMMAR_WASM = 'tree-sitter-kiln.wasm';

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

interface NativeParser {
  setLanguage(language: unknown): void;
  parse(text: string, oldTree: undefined, options: { bufferSize: number }): NativeTree;
}

interface NativeTree {
  readonly rootNode: { readonly hasError: boolean };
  walk(): Cursor;
}

// Versions of tree-sitter's core recover from errors in different ways. Those in the package tree-sitter 0.22 and in
// web-tree-sitter 0.24 do it alike; the two packages number their versions differently.
const NATIVE_VERSION = /^0\.22\./;

/** Throws where the package `tree-sitter` or the addon is missing, or one of them is of another version. */
export function loadNativeGrammar(): Grammar {
  refuseOtherVersion(require('tree-sitter/package.json').version);
  const addon = require(join(grammarFolder(), 'build', 'kiln.node'));
  refuseStaleAddon(addon.fingerprint);
  const Parser = require('tree-sitter') as new () => NativeParser;
  const parser = new Parser();
  parser.setLanguage(addon);
  return { engine: 'native', parse: (text) => parseNatively(parser, text) };
}

function parseNatively(parser: NativeParser, text: string): ParsedText {
  // Read in one piece: the default buffer of 32 KB could end between the halves of a surrogate pair.
  const tree = parser.parse(text, undefined, { bufferSize: text.length + 1 });
  return { cursor: tree.walk(), hasErrors: tree.rootNode.hasError, free: () => {} };
}

function refuseOtherVersion(version: string): void {
  if (!NATIVE_VERSION.test(version)) throw new Error(`the package tree-sitter is ${version}, but 0.22 is needed`);
}

/** The addon is built on the user's machine, so it may be older than the grammar that came with an update. */
function refuseStaleAddon(fingerprint: string): void {
  const expected = JSON.parse(readFileSync(join(grammarFolder(), 'fingerprint.json'), 'utf8'))['src/parser.c'];
  if (fingerprint !== expected) throw new Error('build/kiln.node was built from another version of the grammar');
}

// ── WebAssembly ─────────────────────────────────────────────────────────────────────────────────────────────────────

// web-tree-sitter copies at most this many code units of what it is given.
const WASM_CHUNK = 5 * 1024 - 1;

export async function loadWasmGrammar(): Promise<Grammar> {
  const { default: Parser } = await import('web-tree-sitter');
  await startEngine(Parser);
  const parser = new Parser();
  parser.setLanguage(await Parser.Language.load(readFileSync(join(grammarFolder(), GRAMMAR_WASM))));
  return { engine: 'wasm', parse: (text) => parseWithWasm(parser, text) };
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

function parseWithWasm(parser: WasmParser, text: string): ParsedText {
  const tree = parser.parse((start) => chunkFrom(text, start));
  const cursor = tree.walk();
  return {
    cursor,
    hasErrors: tree.rootNode.hasError,
    free: () => {
      cursor.delete();
      tree.delete();
    },
  };
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
