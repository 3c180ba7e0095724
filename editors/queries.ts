/**
 * The queries of the tree-sitter grammar in the words of each editor. All editors see the same patterns; only the names of
 * the captures differ. The lists of words in the highlights come from the grammar and from the compiler.
 * The snippets of VS Code offer the types of the compiler. `npm run editor:queries` writes all of them, and a test fails
 * while one is stale.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT_IN_VALIDATORS } from '../compiler/check/validations.ts';
import { SCALAR_NAMES } from '../compiler/definition/scalars.ts';
import { FUNCTIONS } from '../compiler/program/program.ts';

const EDITORS = import.meta.dirname;
const GRAMMAR = join(EDITORS, '../tree-sitter-grammar/src/grammar.json');
const QUERIES = join(EDITORS, '../tree-sitter-grammar/queries');
const HIGHLIGHTS = join(QUERIES, 'highlights.scm');
const SNIPPETS = join(EDITORS, 'vscode/snippets.json');

/** The functions and validators that need no declaration; some of them share a name. */
export const BUILT_IN_FUNCTIONS: readonly string[] = [...new Set<string>([...FUNCTIONS, ...BUILT_IN_VALIDATORS])];

type Names = Readonly<Record<string, string>>;

const HELIX: Names = {
  'comment.documentation': 'comment.line.documentation',
  number: 'constant.numeric.integer',
  'number.float': 'constant.numeric.float',
  boolean: 'constant.builtin.boolean',
  constant: 'type.enum.variant',
  'keyword.modifier': 'keyword.storage.modifier',
  property: 'variable.other.member',
  module: 'namespace',
  'function.call': 'function',
  'function.method.call': 'function.method',
};

const ZED: Names = {
  'comment.documentation': 'comment.doc',
  'number.float': 'number',
  'constant.builtin': 'constant',
  'keyword.modifier': 'keyword',
  module: 'namespace',
  'function.call': 'function',
  'function.method.call': 'function.method',
  'variable.builtin': 'variable.special',
};

const AS_THEY_ARE: Names = {};

/** The file of each query, its name, and the names of its captures there. */
const TARGETS: readonly (readonly [string, string, Names])[] = [
  ...['highlights', 'folds', 'indents', 'locals'].map(
    (name) => [`neovim/queries/kiln/${name}.scm`, name, AS_THEY_ARE] as const,
  ),
  ['helix/queries/kiln/highlights.scm', 'highlights', HELIX],
  ['zed/languages/kiln/highlights.scm', 'highlights', ZED],
];

/** The text of each file, by its path. */
export function editorQueries(): ReadonlyMap<string, string> {
  const copies = TARGETS.map(([path, name, names]) => [join(EDITORS, path), queryText(name, names)] as const);
  return new Map([[HIGHLIGHTS, highlights()], [SNIPPETS, snippets()], ...copies]);
}

function queryText(name: string, names: Names): string {
  const text = name === 'highlights' ? highlights() : readFileSync(join(QUERIES, `${name}.scm`), 'utf8');
  const head = `; Made from tree-sitter-grammar/queries/${name}.scm: change that file, then run \`npm run editor:queries\`.\n\n`;
  return (
    head + text.replace(/@([a-z.]*[a-z])/g, (capture, written: string) => `@${names[written] ?? capture.slice(1)}`)
  );
}

// ── Lists of words ──────────────────────────────────────────────────────────────────────────────────────────────────

/** A comment that names a list, and the words below it. */
const LIST = /^( *); (keywords|types|functions)(?:\n(?: *(?:"\w+"|\(\w+\)))+)+/gm;

function highlights(): string {
  const text = readFileSync(HIGHLIGHTS, 'utf8');
  const lists = {
    keywords: keywordsBeside(text.replace(LIST, '')),
    types: SCALAR_NAMES.map(quoted),
    functions: BUILT_IN_FUNCTIONS.map(quoted),
  };
  return text.replace(
    LIST,
    (_, indent: string, name: keyof typeof lists) => `${indent}; ${name}\n${wrapped(lists[name], indent)}`,
  );
}

/** The words of the grammar for which no other pattern has a colour: neither for the word nor for its whole rule. */
function keywordsBeside(patterns: string): readonly string[] {
  const coloured = new Set([...patterns.matchAll(/"(\w+)"/g)].map(([, word]) => word));
  const rules = new Set([...patterns.matchAll(/\((\w+)\)/g)].map(([, rule]) => rule));
  const grammar: { readonly rules: Readonly<Record<string, { readonly type: string }>> } = JSON.parse(
    readFileSync(GRAMMAR, 'utf8'),
  );
  const found = Object.entries(grammar.rules).map(([rule, content]) => ({ rule, words: wordsIn(content), content }));
  const words = found.flatMap((one) => (rules.has(one.rule) ? [] : one.words));
  // The parser knows a word that is a rule of its own, and is in no other, by the name of the rule alone.
  const ownRule = (word: string): string | undefined => {
    const [only, ...others] = found.filter((one) => one.words.includes(word));
    return others.length === 0 && only?.content.type === 'STRING' ? only.rule : undefined;
  };
  const pattern = (word: string): string => (ownRule(word) ? `(${ownRule(word)})` : quoted(word));
  return [...new Set(words)]
    .filter((word) => !coloured.has(word))
    .sort()
    .map(pattern);
}

function quoted(word: string): string {
  return `"${word}"`;
}

function wordsIn(rule: unknown): readonly string[] {
  if (typeof rule !== 'object' || rule === null) return [];
  if ('type' in rule && rule.type === 'STRING' && 'value' in rule && /^\w+$/.test(String(rule.value)))
    return [String(rule.value)];
  return Object.values(rule).flatMap(wordsIn);
}

const LONGEST_LINE = 120;

function wrapped(patterns: readonly string[], indent: string): string {
  const lines: string[] = [];
  for (const pattern of patterns) {
    const longer = `${lines.at(-1)} ${pattern}`;
    if (lines.length > 0 && longer.length <= LONGEST_LINE) lines[lines.length - 1] = longer;
    else lines.push(`${indent}${pattern}`);
  }
  return lines.join('\n');
}

/** The snippets with every type of a field to choose from. */
function snippets(): string {
  return readFileSync(SNIPPETS, 'utf8').replace(
    /(field \$\{\d:name\} \{ type \$\{\d\|)[\w,]+/g,
    `$1${SCALAR_NAMES.join(',')}`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of editorQueries()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
