/**
 * The files of an application in an image: `definition.json`, `releases.json`, `openapi.json` and the code of hooks.
 * Missing or unreadable files are reported in a sentence.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArtifactName } from '../../compiler/definition/artifacts.ts';
import { DEFINITION_VERSION, type Definition } from '../../compiler/definition/definition.ts';
import type { ReleaseChain } from '../../compiler/definition/migration.ts';
import { type HookModules, importHooks } from '../hooks/hook-code.ts';
import { type ImageRelease, imageReleaseOf } from '../query/database-release.ts';

/** The folder of the application in images. `KILN_APP` names another one. */
export function applicationFolder(environment: NodeJS.ProcessEnv): string {
  return environment.KILN_APP ?? '/app';
}

export function loadDefinition(folder: string): Definition {
  const definition = jsonOf<Definition>(fileIn(folder, 'definition.json'));
  const version = (definition as { readonly version: unknown }).version;
  if (version === DEFINITION_VERSION) return definition;
  throw new LoadRefusal(
    `The definition has version ${String(version)}, but this runtime reads version ${DEFINITION_VERSION}.`,
  );
}

export function loadReleases(folder: string): ReleaseChain {
  return jsonOf<ReleaseChain>(fileIn(folder, 'releases.json'));
}

/** A folder that no build has made, as that of a benchmark, has none. */
export function loadRelease(folder: string): ImageRelease | undefined {
  const file = fileIn(folder, 'releases.json');
  return existsSync(file) ? imageReleaseOf(jsonOf(file)) : undefined;
}

export function loadOpenApi(folder: string): string {
  return textOf(fileIn(folder, 'openapi.json'));
}

/** An application without hooks has no such file. */
export async function loadHooks(folder: string): Promise<HookModules> {
  const file = fileIn(folder, 'hooks/hooks.mjs');
  return existsSync(file) ? importHooks(pathToFileURL(file).href) : {};
}

function fileIn(folder: string, name: ArtifactName<'image'>): string {
  return join(folder, name);
}

class LoadRefusal extends Error {
  override readonly name = 'LoadRefusal';
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new LoadRefusal(
      `${file} cannot be read. The image of an application has it; KILN_APP names another folder.`,
      { cause },
    );
  }
}

function jsonOf<T>(file: string): T {
  try {
    return JSON.parse(textOf(file));
  } catch (cause) {
    if (cause instanceof LoadRefusal) throw cause;
    throw new LoadRefusal(`${file} is not JSON.`, { cause });
  }
}
