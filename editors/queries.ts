/**
 * The queries of the tree-sitter grammar in the words of each editor. All editors see the same patterns; only the names of
 * the captures differ. `npm run editor:queries` writes them, and a test fails while one is stale.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const EDITORS = import.meta.dirname;
const QUERIES = join(EDITORS, '../tree-sitter-grammar/queries');

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

/** Where a query goes, which one it is, and how its captures are called there. */
const TARGETS: readonly (readonly [string, string, Names])[] = [
  ...['highlights', 'folds', 'indents', 'locals'].map(
    (name) => [`neovim/queries/kiln/${name}.scm`, name, AS_THEY_ARE] as const,
  ),
  ['helix/queries/kiln/highlights.scm', 'highlights', HELIX],
  ['zed/languages/kiln/highlights.scm', 'highlights', ZED],
];

/** The text of each file, by its path. */
export function editorQueries(): ReadonlyMap<string, string> {
  return new Map(TARGETS.map(([path, name, names]) => [join(EDITORS, path), queryText(name, names)]));
}

function queryText(name: string, names: Names): string {
  const text = readFileSync(join(QUERIES, `${name}.scm`), 'utf8');
  const head = `; Made from tree-sitter-grammar/queries/${name}.scm: change that file, then run \`npm run editor:queries\`.\n\n`;
  return (
    head + text.replace(/@([a-z.]*[a-z])/g, (capture, written: string) => `@${names[written] ?? capture.slice(1)}`)
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of editorQueries()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
