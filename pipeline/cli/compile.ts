/** `kiln compile`: writes what comes of the sources into a folder. */
import { join } from 'node:path';
import { definitionText } from '../../compiler/definition/definition-text.ts';
import { readSources } from '../files/read-sources.ts';
import { makeFolder, writeWhole } from '../files/write-file.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { compileSources, reportDiagnostics, reportProblems } from './project.ts';
import { complain, print } from './terminal.ts';

export async function compileTo(dir: string, output: string): Promise<ExitCode> {
  const started = performance.now();
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  const { definition, diagnostics } = await compileSources(read);
  reportDiagnostics(diagnostics, read.sources);
  if (definition === undefined) return EXIT.errors;
  return writeArtifact(join(output, 'definition.json'), output, definitionText(definition), started);
}

function writeArtifact(file: string, folder: string, content: string, started: number): ExitCode {
  const refusal = makeFolder(folder) ?? writeWhole(file, content);
  if (refusal) {
    complain(refusal);
    return EXIT.usage;
  }
  print(`Wrote ${file} (${sizeOf(content)}) in ${Math.round(performance.now() - started)} ms`);
  return EXIT.ok;
}

function sizeOf(content: string): string {
  const bytes = Buffer.byteLength(content);
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
