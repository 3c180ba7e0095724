/**
 * Writes the clients that the sources ask for with `generator client` into their folders of the project. A file that is
 * right already is left alone, so that nothing that watches it wakes. Nothing is written outside of the project, and no
 * file that somebody else has written is replaced.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Definition, Generator } from '../../compiler/definition/definition.ts';
import {
  type ClientText,
  clientFromDefinition,
  isMadeByKiln,
} from '../../compiler/emit/client/client-from-definition.ts';
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { systemReason } from '../../files/system-reason.ts';
import { makeFolder, writeWhole } from '../../files/write-file.ts';

export interface WrittenClients {
  /** Files that have changed, as paths from the folder of the project. */
  readonly written: readonly string[];
  /** A sentence for each file that could not be written. */
  readonly refusals: readonly string[];
}

/** `known` is the client, where it has been made already. */
export async function writeClients(
  projectFolder: string,
  definition: Definition,
  known?: ClientText,
): Promise<WrittenClients> {
  const generators = definition.generators.filter((generator) => generator.kind === 'client');
  if (generators.length === 0) return { written: [], refusals: [] };
  const client = known ?? clientOfProject(projectFolder, definition);
  const written: string[] = [];
  const refusals: string[] = [];
  for (const { target, output } of generators) {
    for (const { name, content } of await clientFiles(client, target)) {
      const path = join(output, name);
      const outcome = writeChanged(projectFolder, path, content);
      if (outcome === 'written') written.push(path);
      else if (outcome !== 'unchanged') refusals.push(outcome.refusal);
    }
  }
  return { written, refusals };
}

type Outcome = 'written' | 'unchanged' | { readonly refusal: string };

function writeChanged(projectFolder: string, path: string, content: string): Outcome {
  const file = join(projectFolder, path);
  try {
    if (!isInside(projectFolder, file))
      return { refusal: `\`${path}\` leads out of the project, so it is not written` };
    const present = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    if (present === content) return 'unchanged';
    if (present !== undefined && present !== '' && !isMadeByKiln(present)) return { refusal: notOurs(path) };
  } catch (error) {
    return { refusal: `\`${path}\` cannot be written: ${systemReason(error)}` };
  }
  const refusal = makeFolder(dirname(file)) ?? writeWhole(file, content);
  return refusal === undefined ? 'written' : { refusal };
}

function notOurs(path: string): string {
  return `\`${path}\` is not a file that Kiln has written, so it is kept; move it away, or name another folder as the \`output\` of the client`;
}

/** Links count as what they lead to, those in the middle of the path too. */
function isInside(projectFolder: string, file: string): boolean {
  const fromProject = relative(realpathSync(projectFolder), realPathOf(file));
  return fromProject !== '..' && !fromProject.startsWith(`..${sep}`);
}

/** Resolves the part of the path that exists. A link to nowhere is not followed: it fails. */
function realPathOf(path: string): string {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere ? realpathSync(path) : join(realPathOf(dirname(path)), 'new');
}

// ── Client files ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The client of an application as files: TypeScript as it is, or JavaScript with the declarations of its types.

/** `document` may be any of the definition: its version is no part of the contract, and stands nowhere in a client. */
export function clientOf(definition: Definition, document: OpenApiDocument): ClientText {
  return clientFromDefinition(definition, document, { contract: document['x-kiln-contract'] });
}

/** It is called like the folder of the project. */
function clientOfProject(projectFolder: string, definition: Definition): ClientText {
  const title = basename(resolve(projectFolder));
  return clientOf(definition, openApiFromDefinition(definition, { title, version: '0.0.0' }));
}

export async function clientFiles(client: ClientText, target: Extract<Generator, { kind: 'client' }>['target']) {
  if (target === 'ts') return [{ name: 'client.ts', content: client.typescript }];
  return [
    { name: 'client.js', content: `${client.heading}${await javascriptFrom(client.typescript)}` },
    { name: 'client.d.ts', content: client.declarations },
  ];
}

async function javascriptFrom(typescript: string): Promise<string> {
  const { transformSync } = await import('esbuild');
  return transformSync(typescript, { loader: 'ts', format: 'esm', target: 'es2022', charset: 'utf8' }).code;
}
