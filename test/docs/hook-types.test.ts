import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { hookTypes } from '../../pipeline/hooks/write-types.ts';
import { definitionOf } from '../support/document-compile.ts';
import { partsFromText, ROOT, readDocument } from '../support/document-parts.ts';
import { type DocumentProgram, examplesFromParts } from '../support/document-programs.ts';
import { EXECUTED } from './executed.ts';

const OPTIONS =
  '--strict --noEmit --target es2022 --module esnext --moduleResolution bundler --allowImportingTsExtensions';

describe('the hooks in the documents', () => {
  let folder = '';
  before(async () => {
    await loadGrammar();
    folder = mkdtempSync(join(tmpdir(), 'kiln-documents-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('have the types that Kiln writes for them', () => {
    const programs = EXECUTED.flatMap((document) => examplesFromParts(partsFromText(readDocument(document))).programs);
    const files = programs.flatMap((program, at) => writeHooks(program, join(folder, String(at))));
    expect(files).to.have.length.greaterThan(3);
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const { stdout, status } = spawnSync(tsc, [...OPTIONS.split(' '), '--types', '', ...files], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout).to.equal('');
    expect(status).to.equal(0);
  });
});

/** Gives the files of hooks, by their paths; none for a program without. */
function writeHooks({ files }: DocumentProgram, folder: string): readonly string[] {
  const hooks = [...files].filter(([path]) => path.endsWith('.ts'));
  if (hooks.length === 0) return [];
  write(join(folder, '.kiln/hooks.d.ts'), hookTypes(definitionOf(files)) ?? '');
  return hooks.map(([path, text]) => write(join(folder, path), text));
}

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
