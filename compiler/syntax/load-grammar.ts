/** Loads the parser of the Kiln grammar, which is WebAssembly. It is the one file of the compiler that touches the disk. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Grammar {
  /** The names of node types by their numbers. */
  readonly typeNames: readonly string[];
  /** The names of fields by their numbers, which begin at 1. */
  readonly fieldNames: readonly (string | undefined)[];
  /** The tree in the numbers of parse-text.ts. They are overwritten by the next call. */
  parse(text: string): Int32Array;
  /** The whole tree as tree-sitter itself writes it, for tests. */
  sExpression(text: string): string;
}

/** The part of it that is needed: the types of Node 20 do not have it. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<{ readonly exports: unknown }>;
  readonly Module: { imports(module: object): readonly { readonly name: string }[] };
};

/** The functions of tree-sitter-grammar/parse.c. Texts and numbers are addresses. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  text_memory(bytes: number): number;
  parse(text: number, bytes: number): number;
  s_expression(text: number, bytes: number): number;
  type_name(type: number): number;
  field_name(field: number): number;
}

const PARSER = 'tree-sitter-grammar/kiln-parser.wasm';

let loading: Promise<Grammar> | undefined;
let loaded: Grammar | undefined;

/** Loads the grammar. It must have been awaited once before the first `parseText`. */
export function loadGrammar(): Promise<Grammar> {
  loading ??= startedGrammar().then((grammar) => {
    loaded = grammar;
    return grammar;
  });
  return loading;
}

export function loadedGrammar(): Grammar {
  if (!loaded) throw new Error('parseText was called before loadGrammar() was awaited');
  return loaded;
}

async function startedGrammar(): Promise<Grammar> {
  const module = await WebAssembly.compile(readFileSync(parserFile()));
  // The C library imports the clock and standard error, which the parser does not use.
  const unused = WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0]);
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: Object.fromEntries(unused) });
  const wasm = instance.exports as Exports;
  wasm._initialize();
  return {
    typeNames: [...namesFrom(wasm, wasm.type_name, 0)],
    fieldNames: [undefined, ...namesFrom(wasm, wasm.field_name, 1)],
    parse: (text) => numbersAt(wasm, wasm.parse(...withText(wasm, text))),
    sExpression: (text) => textAt(wasm, wasm.s_expression(...withText(wasm, text))),
  };
}

/** Copies the text into the memory of the parser. Returns its address and its length in bytes. */
function withText(wasm: Exports, text: string): [number, number] {
  const bytes = text.length * 2;
  const at = wasm.text_memory(bytes);
  Buffer.from(wasm.memory.buffer, at, bytes).write(text, 'utf16le');
  return [at, bytes];
}

/** Reads a list of numbers; the first one is their count. */
function numbersAt({ memory: { buffer } }: Exports, at: number): Int32Array {
  const [length] = new Int32Array(buffer, at, 1);
  return new Int32Array(buffer, at, length);
}

/** Reads a text of C, which ends with a zero. */
function textAt({ memory: { buffer } }: Exports, at: number): string {
  const bytes = Buffer.from(buffer, at);
  return bytes.toString('utf8', 0, bytes.indexOf(0));
}

function* namesFrom(wasm: Exports, nameOf: (id: number) => number, first: number): Generator<string> {
  for (let id = first; ; id++) {
    const at = nameOf(id);
    if (at === 0) return;
    yield textAt(wasm, at);
  }
}

/** Finds the parser by walking up, because this file runs from `compiler/syntax` and, bundled, from `dist`. */
function parserFile(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; ; folder = dirname(folder)) {
    const file = join(folder, PARSER);
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) throw new Error(`${PARSER} was not found in ${here} or any folder above it`);
  }
}
