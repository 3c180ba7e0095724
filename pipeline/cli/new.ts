/** `kiln new`: a new application that runs, in a folder of its own. It asks nothing. */
import { existsSync } from 'node:fs';
import { basename, delimiter, join, relative, resolve } from 'node:path';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { nameFromFolder } from '../new/name-from-folder.ts';
import { projectFiles } from '../new/project-files.ts';
import { applicationOf, type Template } from '../new/templates.ts';
import { folderRefusal, writeProject } from '../new/write-project.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { kilnDependency } from './own-package.ts';
import { Refusal } from './refusal.ts';
import { printText } from './terminal.ts';

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

/** As it is called on the disk; the application in it may have another name, since not every character is allowed there. */
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
