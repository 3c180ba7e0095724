/**
 * Finds the `kiln` to run: the one of the setting, or that of the project, or the one on the PATH. The values of the
 * editor are passed in as data.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

export interface Surroundings {
  /** `kiln.server.path`, empty if nobody has set it. */
  readonly setting: string;
  /** The folders that are open, the first one first. */
  readonly folders: readonly string[];
  /** The variable PATH. */
  readonly path: string;
  readonly platform: NodeJS.Platform;
}

export type ServerPath =
  | { readonly kind: 'found'; readonly file: string }
  | { readonly kind: 'missing'; readonly message: string };

export function serverPathFrom(surroundings: Surroundings): ServerPath {
  return surroundings.setting.trim() === '' ? foundOnItsOwn(surroundings) : foundBySetting(surroundings);
}

function foundBySetting({ setting, folders }: Surroundings): ServerPath {
  const candidates = pathsOfSetting(setting.trim(), folders);
  const file = candidates.find(isProgram);
  if (file) return { kind: 'found', file };
  const message = `The setting kiln.server.path says “${setting}”, but there is no program at ${candidates.join(' or ')}.`;
  return { kind: 'missing', message };
}

function pathsOfSetting(setting: string, folders: readonly string[]): readonly string[] {
  const path = setting.replace(/^~(?=[\\/]|$)/, homedir()).replace(/^\$\{workspaceFolder\}[\\/]?/, './');
  if (isAbsolute(path) || folders.length === 0) return [path];
  return folders.map((folder) => resolve(folder, path));
}

function foundOnItsOwn({ folders, path, platform }: Surroundings): ServerPath {
  const names = platform === 'win32' ? ['kiln.cmd', 'kiln.exe'] : ['kiln'];
  const places = [...folders.map((folder) => join(folder, 'node_modules', '.bin')), ...placesOn(path)];
  const file = places.flatMap((place) => names.map((name) => join(place, name))).find(isProgram);
  if (file) return { kind: 'found', file };
  const message =
    'Kiln is not installed: there is no kiln in node_modules/.bin of the project, and none on your PATH. ' +
    'Colours work without it; problems, completion and formatting do not.';
  return { kind: 'missing', message };
}

function placesOn(path: string): readonly string[] {
  return path.split(delimiter).filter((place) => place !== '');
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
