/** `kiln compile`: writes what comes of the sources into a folder. */
import { join } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { definitionText } from '../../compiler/definition/definition-text.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/emit/sql/tables.ts';
import { readSources } from '../files/read-sources.ts';
import { makeFolder, writeWhole } from '../files/write-file.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { compileSources, reportDiagnostics, reportProblems } from './project.ts';
import { complain, print } from './terminal.ts';

export async function compileTo(dir: string, output: string): Promise<ExitCode> {
  const started = performance.now();
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  const { definition, diagnostics, isComplete } = await compileSources(read);
  reportDiagnostics(diagnostics, read, isComplete);
  if (definition === undefined) return EXIT.errors;
  return writeArtifacts(artifactsOf(definition), output, started);
}

interface Artifact {
  readonly file: string;
  readonly content: string;
}

function artifactsOf(definition: Definition): readonly Artifact[] {
  return [
    { file: 'definition.json', content: definitionText(definition) },
    { file: 'schema.sql', content: schemaSql(schemaFromDefinition(definition)) },
  ];
}

function writeArtifacts(artifacts: readonly Artifact[], folder: string, started: number): ExitCode {
  const refusal = makeFolder(folder) ?? firstRefusal(artifacts, folder);
  if (refusal) {
    complain(refusal);
    return EXIT.usage;
  }
  const files = artifacts.map(({ file, content }) => `${file} (${sizeOf(content)})`);
  print(`Wrote ${files.join(', ')} to ${folder} in ${Math.round(performance.now() - started)} ms`);
  return EXIT.ok;
}

function firstRefusal(artifacts: readonly Artifact[], folder: string): string | undefined {
  for (const { file, content } of artifacts) {
    const refusal = writeWhole(join(folder, file), content);
    if (refusal) return refusal;
  }
  return undefined;
}

function sizeOf(content: string): string {
  const bytes = Buffer.byteLength(content);
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
