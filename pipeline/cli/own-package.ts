/**
 * The Kiln that a new project depends on: what `KILN_PACKAGE` names, or this Kiln, packed into the project as `npm pack`
 * would pack it. It is never a version, because Kiln is not in npm's registry, and another package has its name there.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { archiveOf } from '../image/layer.ts';
import type { ProjectFile } from '../new/project-file.ts';
import type { KilnPackage } from '../new/project-files.ts';
import { Refusal } from './refusal.ts';

interface KilnDependency extends KilnPackage {
  readonly files: readonly ProjectFile[];
}

export async function kilnDependency({ KILN_PACKAGE }: NodeJS.ProcessEnv): Promise<KilnDependency> {
  const named = KILN_PACKAGE?.trim();
  const folder = packageFolder();
  const { version, allowScripts: own } = manifestOf(folder);
  // npm builds a Kiln that it fetches with git, which is a script too.
  const allowScripts = { kiln: true, ...own };
  if (named) return { spec: checked(named), allowScripts, files: [] };
  const path = `vendor/kiln-${version}.tgz`;
  return { spec: `file:${path}`, allowScripts, files: [{ path, text: await packed(folder) }] };
}

function checked(spec: string): string {
  if (/[:/]/.test(spec)) return spec;
  throw new Refusal(
    `KILN_PACKAGE is \`${spec}\`, which npm would take from its registry, where \`kiln\` is another package; ` +
      'write a git URL such as `git+https://git.example.com/kiln.git#v1`, or a tarball such as `file:vendor/kiln.tgz`',
  );
}

interface Manifest {
  readonly version: string;
  readonly files: readonly string[];
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** This file is in `pipeline/cli` or, bundled, in `dist/chunks`. */
function packageFolder(from = import.meta.dirname): string {
  return existsSync(join(from, 'package.json')) ? from : packageFolder(dirname(from));
}

async function packed(folder: string): Promise<Uint8Array> {
  const paths = packedPaths(folder, manifestOf(folder).files);
  const files = paths.map((path) => [`package/${path}`, { bytes: readFileSync(join(folder, path)) }] as const);
  return gzipSync(await archiveOf(new Map(files)));
}

/** What npm adds to every package. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

/** By the patterns of `files`: a path, a folder, or a glob with `*` and `**`; those with `!` in front leave out. */
function packedPaths(folder: string, patterns: readonly string[]): readonly string[] {
  const matches = (wanted: readonly string[]) => {
    const expressions = wanted.map(expressionOf);
    return (path: string) => expressions.some((expression) => expression.test(path));
  };
  const isIn = matches([...ALWAYS, ...patterns.filter((pattern) => !pattern.startsWith('!'))]);
  const isOut = matches(patterns.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : [])));
  const tops = new Set([...ALWAYS, ...patterns].map((pattern) => pattern.split('/')[0] ?? ''));
  return pathsIn(folder, tops).filter((path) => isIn(path) && !isOut(path));
}

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  return new RegExp(`^${source}(/|$)`);
}

function pathsIn(folder: string, tops: ReadonlySet<string>): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => tops.has(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(folder, entry.name) : [entry.name]));
}

/** Without hidden files: an example that has been started keeps its database in one. */
function filesBelow(folder: string, top: string): readonly string[] {
  return readdirSync(join(folder, top), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.')) return [];
    const path = `${top}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(folder, path) : [path];
  });
}
