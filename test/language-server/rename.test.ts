/** Whatever is renamed, from wherever: the program is the same but for the name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { TextEdit } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { compile } from '../../compiler/compile.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { occurrencesIn } from '../../language-server/features/occurrences.ts';
import { RenameRefusal, renaming } from '../../language-server/features/rename.ts';
import { KilnFile } from '../../language-server/project/kiln-file.ts';
import { Project } from '../../language-server/project/project.ts';
import { isSlow, itInBoth } from '../support/slow.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const NEW_NAME = 'zq9';

describe('language server: every name of an example', () => {
  before(() => loadGrammar());

  for (const example of [isSlow ? 'helpdesk' : 'blog']) {
    itInBoth(`is renamed in all of ${example}, and nothing else is`, async () => {
      const sources = sourcesIn(join(EXAMPLES, example));
      const before = meaningOf(sources, '');
      const project = projectOf(sources);
      const places = placesOfNames(project);
      expect(places).to.have.length.greaterThan(50);
      for (const { path, offset, name } of places) {
        const renamed = await renamedSources(project, sources, path, offset);
        if (renamed) expect(meaningOf(renamed, name) === before, `${path}: ${name}`).to.equal(true);
      }
    });
  }

  it('is renamed in a webhook: its aliases stay out of what is stored', async () => {
    const text = `model Hook { field url { type string }, field key { type string, secret } }
      model Order { field total { type integer } }
      webhook "order.created" {
        on create of Order as order when order.total > 0
        to Hook as hook { url hook.url, secret hook.key, when hook.url is not "" }
        body { total }
        gone { delete hook {} }
      }`;
    const sources = [{ path: 'main.kiln', text }];
    const project = projectOf(sources);
    for (const [alias, many] of [
      ['order', 2],
      ['hook', 5],
    ] as const)
      for (const place of [`as ${alias}`, ` ${alias}.`]) {
        const offset = text.indexOf(place) + place.indexOf(alias);
        const [renamed] = (await renamedSources(project, sources, 'main.kiln', offset)) ?? [];
        expect(renamed?.text.split(NEW_NAME), place).to.have.length(many + 1);
        expect(compile([renamed as SourceFile]).definition?.jobs).to.have.length(2);
      }
  });
});

/**
 * The words of what is compiled and how often each occurs, with the old name for the new one. Columns are in small letters,
 * and models are sorted.
 */
function meaningOf(sources: readonly SourceFile[], oldName: string): string {
  const { definition, diagnostics } = compile(sources);
  expect(diagnostics.map(({ code }) => code)).to.deep.equal([]);
  const text = JSON.stringify(definition).toLowerCase().replaceAll('_', '');
  const words = oldName === '' ? text : text.replaceAll(NEW_NAME, oldName.toLowerCase().replaceAll('_', ''));
  const counts = new Map<string, number>();
  for (const word of words.split(/\W+/)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .map(([word, count]) => `${word} ${count}`)
    .sort()
    .join('\n');
}

interface NamePlace {
  readonly path: string;
  readonly offset: number;
  readonly name: string;
}

/** The last one of each name, which mostly is a use. */
function placesOfNames(project: Project): readonly NamePlace[] {
  const found = new Map<string, NamePlace>();
  for (const file of project.files) {
    for (const [index, section] of file.sections.entries()) {
      for (const { occurrence, range } of occurrencesIn(project, { file, index, section }, () => true)) {
        const offset = file.offsetAt(range.start);
        const name = file.text.slice(offset, file.offsetAt(range.end));
        if (occurrence.key && !occurrence.suffix) found.set(occurrence.key, { path: file.path, offset, name });
      }
    }
  }
  return [...found.values()];
}

/** By a project that has answered nothing since its check. */
async function renamedSources(
  project: Project,
  sources: readonly SourceFile[],
  path: string,
  offset: number,
): Promise<readonly SourceFile[] | undefined> {
  for (const _ of project.check());
  const file = project.file(path) as KilnFile;
  try {
    const { edit } = await renaming(project, file, file.positionAt(offset), NEW_NAME);
    const { changes = {} } = edit;
    return sources.map((source) => ({ ...source, text: applied(source, changes[source.path] ?? []) }));
  } catch (error) {
    expect(error).to.be.instanceOf(RenameRefusal);
    expect((error as Error).message).to.contain('`id` is what every model has');
    return undefined;
  }
}

function applied({ path, text }: SourceFile, edits: TextEdit[]): string {
  return TextDocument.applyEdits(TextDocument.create(path, 'kiln', 1, text), edits);
}

function projectOf(sources: readonly SourceFile[]): Project {
  const project = new Project(undefined, () => undefined);
  for (const { path, text } of sources) project.add(new KilnFile(path, path, text));
  for (const _ of project.check());
  return project;
}

function sourcesIn(folder: string): readonly SourceFile[] {
  const names = readdirSync(folder).filter((name) => /\w\.kiln$/.test(name));
  return names.sort().map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}
