/** `kiln new`: a new application that runs, in a folder of its own. It asks nothing. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import {
  applicationOf,
  folderRefusal,
  type KilnPackage,
  nameFromFolder,
  type ProjectFile,
  projectFiles,
  type Template,
  writeProject,
} from '../new/project-files.ts';
import { EXIT, type ExitCode, printText, Refusal } from './terminal.ts';

interface NewOptions {
  readonly template?: Template;
}

export async function newProject(folder: string, { template = 'starter' }: NewOptions): Promise<ExitCode> {
  const application = applicationOf(template);
  if (typeof application === 'string') throw new Refusal(application);
  const refused = folderRefusal(folder);
  if (refused) throw new Refusal(refused);
  const name = nameFromFolder(folder);
  const kiln = kilnDependency(process.env);
  const files = [...projectFiles(name, application, kiln), ...kiln.files];
  const failure = writeProject(folder, files);
  if (failure) throw new Refusal(failure);
  printText(`Wrote ${folderName(folder)}, ${plural(files.length, 'file')}. Next:\n\n${nextCommands(folder)}\n`);
  return EXIT.ok;
}

/**
 * The name of the folder on the disk; the application in it may have another name, since not every character is allowed
 * there.
 */
function folderName(folder: string): string {
  return basename(resolve(folder));
}

function nextCommands(folder: string): string {
  const isHere = relative(process.cwd(), resolve(folder)) === '';
  const start = isKilnOnPath() ? ['kiln dev'] : ['npm install', 'npm run dev'];
  const lines = [...(isHere ? [] : [`cd ${shellWord(folder)}`]), ...start, 'npm test'];
  return lines.map((line) => `  ${line}`).join('\n');
}

function isKilnOnPath(): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => ['kiln', 'kiln.cmd'].some((file) => existsSync(join(folder, file))));
}

function shellWord(text: string): string {
  return /^[\w./~@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

// ── Own package ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The Kiln that a new project depends on: what `KILN_PACKAGE` names, or the version of this Kiln. A Kiln that runs in its
// own repository may be newer than any version, so it is packed into the project by `npm pack`.

interface KilnDependency extends KilnPackage {
  readonly files: readonly ProjectFile[];
}

function kilnDependency({ KILN_PACKAGE }: NodeJS.ProcessEnv): KilnDependency {
  const named = KILN_PACKAGE?.trim();
  const folder = packageFolder();
  const { version, allowScripts } = manifestOf(folder);
  if (named) return { spec: named, allowScripts, files: [] };
  if (!existsSync(join(folder, 'package-lock.json'))) return { spec: `^${version}`, allowScripts, files: [] };
  const path = `vendor/kiln-lang-${version}.tgz`;
  return { spec: `file:${path}`, allowScripts, files: [{ path, text: packed(folder) }] };
}

interface Manifest {
  readonly version: string;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** This file is in `pipeline/cli` or, bundled, in `dist/chunks`. */
function packageFolder(from = import.meta.dirname): string {
  return existsSync(join(from, 'package.json')) ? from : packageFolder(dirname(from));
}

function packed(folder: string): Uint8Array {
  const target = mkdtempSync(join(tmpdir(), 'kiln-pack-'));
  try {
    // The npm of this Node comes first, and needs no home.
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const env = { ...process.env, PATH, npm_config_cache: join(target, 'cache') };
    const words = ['pack', folder, '--silent', '--ignore-scripts'];
    const name = execFileSync('npm', words, { cwd: target, env, encoding: 'utf8', stdio: 'pipe' });
    return readFileSync(join(target, name.trim()));
  } catch (error) {
    throw new Refusal(`\`npm pack\` cannot pack this Kiln: ${(error as Error).message}`);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}
