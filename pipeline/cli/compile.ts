/** `kiln compile`: writes what comes of the sources into a folder. */
import { basename, dirname, join, resolve } from 'node:path';
import { type Artifact, artifactsFor, definitionText } from '../../compiler/definition/artifacts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { ClientText } from '../../compiler/emit/client/client-from-definition.ts';
import { type OpenApiDocument, openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { readSources } from '../../files/read-sources.ts';
import { makeFolder, writeWhole } from '../../files/write-file.ts';
import { clientOf } from '../clients/write-clients.ts';
import { bundleHooks } from '../hooks/bundle-hooks.ts';
import type { HookProblem } from '../hooks/hook-problem.ts';
import { writeHookTypes } from '../hooks/write-types.ts';
import { writeGenerated } from './compiled-project.ts';
import { compileSources, reportDiagnostics, reportHookProblems, reportProblems } from './project.ts';
import { complain, EXIT, type ExitCode, note, print } from './terminal.ts';

export async function compileTo(dir: string, { output }: { readonly output: string }): Promise<ExitCode> {
  const started = performance.now();
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  const { definition, diagnostics, isComplete } = await compileSources(read);
  reportDiagnostics(diagnostics, read, isComplete);
  if (definition === undefined) return EXIT.errors;
  const hooks = await bundleHooks(read.folder, definition);
  if (hooks && 'problems' in hooks) return reportHooks(hooks.problems, read.folder);
  noteMissingTypes(writeHookTypes(read.folder, definition));
  const openApi = openApiFromDefinition(definition, { title: titleOf(read.folder), version: NO_VERSION });
  const client = clientOf(definition, openApi);
  const exit = writeArtifacts(artifactsOf(definition, openApi, client, hooks?.text), output, started);
  if (exit !== EXIT.ok) return exit;
  return (await writeGenerated(read.folder, definition, client)) ? EXIT.ok : EXIT.usage;
}

function reportHooks(problems: readonly HookProblem[], folder: string): ExitCode {
  reportHookProblems(problems, folder);
  return EXIT.errors;
}

/** They help those who write hooks; the artifacts are whole without them, as where the sources may only be read. */
function noteMissingTypes(refusal: string | undefined): void {
  if (refusal !== undefined) note(`note: no types for the hooks: ${refusal}`);
}

/** The name of the folder. */
function titleOf(folder: string): string {
  return basename(resolve(folder));
}

/** The version until there are releases, which have versions. */
const NO_VERSION = '0.0.0';

function artifactsOf(
  definition: Definition,
  openApi: OpenApiDocument,
  client: ClientText,
  hooks: string | undefined,
): readonly Artifact[] {
  return artifactsFor('output', {
    'definition.json': definitionText(definition),
    'openapi.json': openApiText(openApi),
    'client/client.ts': client.typescript,
    'schema.sql': schemaSql(schemaFromDefinition(definition)),
    'hooks/hooks.mjs': hooks,
  });
}

function writeArtifacts(artifacts: readonly Artifact[], folder: string, started: number): ExitCode {
  const refusal = makeFolder(folder) ?? firstRefusal(artifacts, folder);
  if (refusal) {
    complain(refusal);
    return EXIT.usage;
  }
  const files = artifacts.map(({ name, content }) => `${name} (${sizeOf(content)})`);
  print(`Wrote ${files.join(', ')} to ${folder} in ${Math.round(performance.now() - started)} ms`);
  return EXIT.ok;
}

function firstRefusal(artifacts: readonly Artifact[], folder: string): string | undefined {
  for (const { name, content } of artifacts) {
    const path = join(folder, name);
    const refusal = makeFolder(dirname(path)) ?? writeWhole(path, content);
    if (refusal) return refusal;
  }
  return undefined;
}

function sizeOf(content: string): string {
  const bytes = Buffer.byteLength(content);
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
