/** The client of an application as files: TypeScript as it is, or JavaScript with the declarations of its types. */
import { basename, resolve } from 'node:path';
import type { Definition, Generator } from '../../compiler/definition/definition.ts';
import { type ClientText, clientFromDefinition } from '../../compiler/emit/client/client-from-definition.ts';
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';

type ClientTarget = Extract<Generator, { kind: 'client' }>['target'];

interface ClientFile {
  readonly name: string;
  readonly content: string;
}

/** `document` may be any of the definition: its version is no part of the contract, and stands nowhere in a client. */
export function clientOf(definition: Definition, document: OpenApiDocument): ClientText {
  return clientFromDefinition(definition, document, { contract: document['x-kiln-contract'] });
}

/** It is called like the folder of the project. */
export function clientOfProject(projectFolder: string, definition: Definition): ClientText {
  const title = basename(resolve(projectFolder));
  return clientOf(definition, openApiFromDefinition(definition, { title, version: '0.0.0' }));
}

export async function clientFiles(client: ClientText, target: ClientTarget): Promise<readonly ClientFile[]> {
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
