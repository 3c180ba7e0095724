/** What the server says about a program is what `kiln check` says, however it got there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { analyse } from '../../compiler/compile.ts';
import { placedWords } from '../../compiler/diagnostics/diagnostic.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { FileText, SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { diagnosticsOf } from '../../language-server/features/diagnostics.ts';
import type { Time } from '../../language-server/features/places.ts';
import { KilnFile } from '../../language-server/project/kiln-file.ts';
import { Project } from '../../language-server/project/project.ts';
import { caseFiles } from '../support/case-file.ts';
import { isSlow, itInBoth } from '../support/slow.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const RULES = join(ROOT, 'test/compiler/rules');
const LANGUAGE = join(ROOT, 'test/compiler/language');
/** Of edits of each example. */
const ROUNDS = isSlow ? 60 : 20;
const EXAMPLES = ['blog', 'bookings', 'helpdesk', 'projects', 'shop'].map((name) => join(ROOT, 'examples', name));

describe('language server: the same as `kiln check`', () => {
  before(() => loadGrammar());

  it('for every case of the language and its rules', () => {
    const cases = [...caseFiles(RULES), ...caseFiles(LANGUAGE)];
    expect(cases).to.have.length.greaterThan(600);
    const differing = cases.filter(({ sources, files }) => {
      const fileText = (path: string) => files.get(path);
      const project = projectOf(sources, fileText);
      // Where a text cannot be read, the server goes on with the others; a command does not.
      const { said, isWhole } = saidByCheck(sources, fileText);
      return said !== saidByServer(project, isWhole ? undefined : 'now');
    });
    expect(differing.map(({ name }) => name)).to.deep.equal([]);
  });

  itInBoth('for the examples, after edits in any order', () => {
    for (const folder of EXAMPLES) {
      const sources = sourcesIn(folder);
      const project = projectOf(sources);
      const random = randomFrom(7);
      for (let round = 0; round < ROUNDS; round += 1) {
        const file = project.files[random(sources.length)] as KilnFile;
        const before = file.text;
        scramble(file, random);
        if (round % 3 === 0) for (const _ of project.check());
        if (round % 2 === 0) file.replace(file.uri, before, 1);
      }
      for (const { path, text } of sources) project.file(path)?.replace(path, text, 2);
      project.touch();
      for (const _ of project.check());
      expect(project.files.map(({ text }) => text).join()).to.equal(sources.map(({ text }) => text).join());
      expect(saidByServer(project)).to.equal(saidByCheck(sources).said);
    }
  });

  it('for sections cut anew after each edit, and cut once from the whole', () => {
    const [source] = sourcesIn(EXAMPLES[0] as string) as [SourceFile];
    const file = new KilnFile(source.path, source.path, source.text);
    const random = randomFrom(3);
    for (let round = 0; round < 300; round += 1) {
      scramble(file, random);
      const anew = new KilnFile(source.path, source.path, file.text);
      expect(file.sections.map(({ text }) => text)).to.deep.equal(anew.sections.map(({ text }) => text));
      const ids = file.sections.map(({ id }) => id);
      expect(ids).to.deep.equal([...new Set(ids)].sort());
      if (round % 20 === 0) file.replace(source.path, source.text, 1);
    }
  });
});

function projectOf(sources: readonly SourceFile[], fileText: FileText = () => undefined): Project {
  const project = new Project(undefined, fileText);
  for (const { path, text } of sources) project.add(new KilnFile(path, path, text));
  for (const _ of project.check());
  return project;
}

function saidByServer(project: Project, time?: Time): string {
  return project.files
    .flatMap((file) =>
      diagnosticsOf(project, file)
        .filter((found) => !time || found.time === time)
        .map(({ shown, words }) => {
          const { line, character } = shown.range.start;
          return `${file.path}:${line}:${character} ${shown.code} ${words.message} ${words.label}`;
        }),
    )
    .sort()
    .join('\n');
}

function saidByCheck(sources: readonly SourceFile[], fileText?: FileText): { said: string; isWhole: boolean } {
  const map = new SourceMap(sources);
  const fileOf = (path: string) =>
    new KilnFile(path, path, sources.find((source) => source.path === path)?.text ?? fileText?.(path) ?? '');
  const { diagnostics, isComplete } = analyse(sources, fileText);
  const lines = diagnostics.map((diagnostic) => {
    const { message, label } = placedWords(diagnostic, map);
    const { line, character } = fileOf(diagnostic.span.file).positionAt(diagnostic.span.start);
    return `${diagnostic.span.file}:${line}:${character} ${diagnostic.code} ${message} ${label}`;
  });
  return { said: lines.sort().join('\n'), isWhole: isComplete };
}

function sourcesIn(folder: string): readonly SourceFile[] {
  const names = readdirSync(folder).filter((name) => /\w\.kiln$/.test(name));
  return names.sort().map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

const PIECES = [
  '{',
  '}',
  '"',
  '"""',
  '/*',
  '*/',
  '//',
  '///',
  '\n',
  '\nmodel X {\n',
  ' ',
  'x',
  '.',
  '\ndrop model Y\n',
  '\r\n',
];

function scramble(file: KilnFile, random: (below: number) => number): void {
  const start = random(file.text.length + 1);
  const end = Math.min(file.text.length, start + (random(3) === 0 ? random(40) : 0));
  const range = { start: file.positionAt(start), end: file.positionAt(end) };
  file.apply({ range, text: PIECES[random(PIECES.length)] as string }, 1);
}

/** The same numbers each time. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
