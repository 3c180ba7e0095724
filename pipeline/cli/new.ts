/** `kiln new`: a new application that runs, in a folder of its own. It asks nothing. */
import { existsSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { nameFromFolder } from '../new/name-from-folder.ts';
import { projectFiles } from '../new/project-files.ts';
import { applicationOf, type Template } from '../new/templates.ts';
import { folderRefusal, writeProject } from '../new/write-project.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { Refusal } from './refusal.ts';
import { print } from './terminal.ts';

export function newProject(folder: string, { template = 'starter' }: { readonly template?: Template }): ExitCode {
  const application = applicationOf(template);
  if (typeof application === 'string') throw new Refusal(application);
  const refused = folderRefusal(folder);
  if (refused) throw new Refusal(refused);
  const name = nameFromFolder(folder);
  const files = projectFiles(name, application);
  const failure = writeProject(folder, files);
  if (failure) throw new Refusal(failure);
  print(`Wrote ${name}, ${plural(files.length, 'file')}. Next:\n\n${nextCommands(folder)}\n`);
  return EXIT.ok;
}

function nextCommands(folder: string): string {
  const isHere = relative(process.cwd(), resolve(folder)) === '';
  const kiln = ownCommand();
  const lines = [...(isHere ? [] : [`cd ${shellWord(folder)}`]), `${kiln} dev`, 'npm test'];
  const advice =
    kiln === 'kiln' ? [] : ['', '`kiln` is not on your PATH; `npm link` in the folder of Kiln puts it there.'];
  return [...lines.map((line) => `  ${line}`), ...advice].join('\n');
}

/** What calls Kiln from anywhere: by its name where the shell finds it, else by its file. */
function ownCommand(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const isFound = folders.some((folder) => ['kiln', 'kiln.cmd'].some((file) => existsSync(join(folder, file))));
  return isFound ? 'kiln' : `node ${shellWord(resolve(process.argv[1] ?? 'kiln'))}`;
}

function shellWord(text: string): string {
  return /^[\w./~@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
