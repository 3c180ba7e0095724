/** `kiln fmt`: brings each source into the canonical format, or says which ones are not in it. */
import { join } from 'node:path';
import { readSource } from '../../compiler/compile.ts';
import { Diagnostics } from '../../compiler/diagnostics/diagnostics.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import { formatSource } from '../../compiler/format/format-source.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { readSources } from '../../files/read-sources.ts';
import { writeWhole } from '../../files/write-file.ts';
import { reportDiagnostics, reportProblems, startParser } from './project.ts';
import { complain, EXIT, type ExitCode, print } from './terminal.ts';

/** A file that cannot be read or has syntax errors is reported and left alone; the others are formatted all the same. */
export async function fmt(dir: string, options: { readonly check?: boolean }): Promise<ExitCode> {
  const read = readSources(dir);
  const { folder, sources, problems } = read;
  const codes: ExitCode[] = [reportProblems(problems)];
  if (sources.length > 0) {
    await startParser();
    const { changes, diagnostics } = formatted(sources);
    reportDiagnostics(diagnostics.sorted(), read);
    if (diagnostics.hasErrors) codes.push(EXIT.errors);
    codes.push(options.check ? reportChanges(changes) : writeChanges(folder, changes));
    if (changes.length === 0 && codes.every((code) => code === EXIT.ok))
      print(`Checked ${plural(sources.length, 'file')}: all in the canonical format`);
  }
  return Math.max(...codes) as ExitCode;
}

interface Formatted {
  /** The files that are not in the canonical format, as they should be. */
  readonly changes: readonly SourceFile[];
  readonly diagnostics: Diagnostics;
}

function formatted(sources: readonly SourceFile[]): Formatted {
  const diagnostics = new Diagnostics();
  const changes: SourceFile[] = [];
  for (const source of sources) {
    const own = new Diagnostics();
    const file = readSource(source, own);
    if (!file || own.hasErrors) for (const { code, span, facts } of own.sorted()) diagnostics.report(code, span, facts);
    else {
      const text = formatSource(source.text, file.tree);
      if (text !== source.text) changes.push({ path: source.path, text });
    }
  }
  return { changes, diagnostics };
}

function reportChanges(changes: readonly SourceFile[]): ExitCode {
  for (const { path } of changes) print(path);
  if (changes.length === 0) return EXIT.ok;
  const are = changes.length === 1 ? 'is' : 'are';
  complain(`${plural(changes.length, 'file')} ${are} not in the canonical format; \`kiln fmt\` rewrites such files`);
  return EXIT.errors;
}

function writeChanges(folder: string, changes: readonly SourceFile[]): ExitCode {
  let code: ExitCode = EXIT.ok;
  for (const { path, text } of changes) {
    const refusal = writeWhole(join(folder, path), text);
    if (refusal) {
      complain(refusal);
      code = EXIT.usage;
    } else {
      print(path);
    }
  }
  return code;
}
