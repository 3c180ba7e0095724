/** `kiln compile`: writes what comes of the sources into a folder. */
import { basename, dirname, join, resolve } from 'node:path';
import { type Artifact, artifactsFor, definitionText } from '../../compiler/definition/artifacts.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { readSources } from '../../files/read-sources.ts';
import { makeFolder } from '../../files/write-file.ts';
import { clientOf } from '../clients/write-clients.ts';
import { bundleHooks } from '../hooks/bundle-hooks.ts';
import { writeHookTypes } from '../hooks/write-types.ts';
import { writeGenerated } from './compiled-project.ts';
import { compileSources, reportDiagnostics, reportHookProblems, reportProblems } from './project.ts';
import { EXIT, type ExitCode, mustWrite, note, print, Refusal } from './terminal.ts';

export async function compileTo(dir: string, { output }: { readonly output: string }): Promise<ExitCode> {
  const started = performance.now();
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  const { definition, diagnostics, isComplete } = await compileSources(read);
  reportDiagnostics(diagnostics, read, isComplete);
  if (definition === undefined) return EXIT.errors;
  const hooks = await bundleHooks(read.folder, definition);
  if (hooks && 'problems' in hooks) return reportHookProblems(hooks.problems, read.folder);
  const untyped = writeHookTypes(read.folder, definition);
  // They help those who write hooks; the artifacts are whole without them, as where the sources may only be read.
  if (untyped !== undefined) note(`note: no types for the hooks: ${untyped}`);
  const title = basename(resolve(read.folder));
  const openApi = openApiFromDefinition(definition, { title, version: NO_VERSION });
  const client = clientOf(definition, openApi);
  const artifacts = artifactsFor('output', {
    'definition.json': definitionText(definition),
    'openapi.json': openApiText(openApi),
    'client/client.ts': client.typescript,
    'schema.sql': schemaSql(schemaFromDefinition(definition)),
    'hooks/hooks.mjs': hooks?.text,
  });
  writeArtifacts(artifacts, output, started);
  return (await writeGenerated(read.folder, definition, client)) ? EXIT.ok : EXIT.usage;
}

/** The version until there are releases, which have versions. */
const NO_VERSION = '0.0.0';

function writeArtifacts(artifacts: readonly Artifact[], folder: string, started: number): void {
  mustMake(folder);
  for (const { name, content } of artifacts) {
    const path = join(folder, name);
    mustMake(dirname(path));
    mustWrite(path, content);
  }
  const files = artifacts.map(({ name, content }) => `${name} (${sizeOf(content)})`);
  print(`Wrote ${files.join(', ')} to ${folder} in ${Math.round(performance.now() - started)} ms`);
}

function mustMake(folder: string): void {
  const refusal = makeFolder(folder);
  if (refusal !== undefined) throw new Refusal(refusal);
}

function sizeOf(content: string): string {
  const bytes = Buffer.byteLength(content);
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
