/**
 * No completion is an error: at many places of the examples each of them is put in, and the compiler says nothing about
 * the word itself. What it says about types is another matter, since an expression may go on.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { type CompletionItem, CompletionItemKind, type TextEdit } from 'vscode-languageserver/node';
import { checkDeclaration } from '../../compiler/check/check-declaration.ts';
import type { Context } from '../../compiler/check/context.ts';
import { readSource } from '../../compiler/compile.ts';
import { type Diagnostic, severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { Diagnostics } from '../../compiler/diagnostics/diagnostics.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { expectedBehind } from '../../compiler/syntax/recogniser.ts';
import { type Token, tokenize } from '../../compiler/syntax/tokens.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { completionsAt } from '../../language-server/features/completion.ts';
import { KilnFile } from '../../language-server/project/kiln-file.ts';
import { Project } from '../../language-server/project/project.ts';
import { ROOT } from '../support/document-parts.ts';

const EXAMPLES = ['blog', 'shop', 'bookings', 'helpdesk', 'projects'];

/** Of all places, one in so many is tried; with KILN_COMPLETION_SWEEP=1, all of them. */
const SWEEP = process.env.KILN_COMPLETION_SWEEP;
const NAMES_ONE_IN = Number(SWEEP ?? 37);
const WORDS_ONE_IN = Number(SWEEP ?? 31);

/** About the name or the word itself, whatever its type is. */
const MISFITS: ReadonlySet<string> = new Set([
  'unknown-name',
  'unknown-member',
  'unknown-field',
  'unknown-reference',
  'unknown-model',
  'unknown-type',
  'unknown-validator',
  'unknown-function',
  'unknown-shape',
  'unknown-key-part',
  'unknown-word',
  'reserved-word',
  'name-out-of-reach',
  'ambiguous-name',
  'input-too-early',
  'input-without-name',
  'bad-iterator',
  'cannot-set',
  'secret-read',
  'hook-in-expression',
  'populator-path',
  'code-only-function',
  'selected-twice',
  'given-twice',
  'parent-is-set',
  'not-a-list-field',
  'list-field-path',
  'identify-not-a-field',
  'identify-through-field',
  'create-in-what',
  'duplicate-property',
  'property-not-here',
  'misplaced-flag',
  'required-field',
  'direction-in-unique',
  'when-in-populator',
  'generator-property',
  'hook-with-two-codes',
  'not-called',
  'faker-not-here',
]);

interface Place {
  readonly example: string;
  readonly project: Project;
  readonly file: KilnFile;
  /** Of the section that is edited. */
  readonly index: number;
  readonly token: Token;
  readonly next: Token;
}

describe('language server: what completion puts in', () => {
  let places: readonly Place[];
  let tried = 0;

  before(async () => {
    await loadGrammar();
    places = EXAMPLES.flatMap(placesIn);
  });

  it('is right as a name, in place of another', () => {
    const wrong = sampled(places.filter(isName), NAMES_ONE_IN).flatMap((place) =>
      fewOf(
        itemsAt(place.project, place.file, place).filter(({ kind }) => kind !== CompletionItemKind.Keyword),
      ).flatMap((item) => problemsWith(place, place.token.start, place.token.end, wholeText(item))),
    );
    expect(wrong).to.deep.equal([]);
    expect(tried).to.be.greaterThan(100);
  });

  it('is right as a word, at the end of a block', () => {
    tried = 0;
    const wrong = sampled(
      places.filter(({ token }) => token.text === '}'),
      WORDS_ONE_IN,
    ).flatMap((place) => {
      const { project, file, index, token } = place;
      const at = file.startOf(index) + token.start;
      const spaced = new KilnFile(file.path, file.uri, `${file.text.slice(0, at)} ${file.text.slice(at)}`);
      const before = (spaced.sections[index]?.text ?? '').slice(0, token.start + 1);
      return itemsAt(project, spaced, { index, token: { ...token, start: token.start + 1 } }).flatMap((item) => {
        if (item.kind !== CompletionItemKind.Keyword || !beginsForm(item)) return [];
        return problemsWith(place, token.start, token.start, ` ${wholeForm(before, item)} `);
      });
    });
    expect(wrong).to.deep.equal([]);
    expect(tried).to.be.greaterThan(100);
  });

  /** The last of a path, and not what something else follows from. */
  function isName({ token, next }: Place): boolean {
    return token.kind === 'word' && !['.', '(', '{', ':'].includes(next.text) && next.text !== 'as';
  }

  function problemsWith({ project, example, file, index }: Place, start: number, end: number, text: string) {
    if (text.endsWith('.')) return [];
    tried += 1;
    const section = file.sections[index]?.text ?? '';
    const edited = section.slice(0, start) + text + section.slice(end);
    const found = problemsOf(project.context as Context, edited).filter(
      ({ code, span, facts }) =>
        MISFITS.has(code) && !isPlaceholder(facts) && span.start <= start + text.length && span.end >= start,
    );
    const around = section.slice(Math.max(0, start - 60), start).replace(/\s+/g, ' ');
    return found.slice(0, 1).map(({ code }) => `${code}: ${example} …${around}[${text.trim()}]`);
  }
});

function placesIn(example: string): readonly Place[] {
  const folder = join(ROOT, 'examples', example);
  const project = new Project(folder, fileTextIn(folder));
  for (const { path, text } of readSources(folder).sources)
    project.add(new KilnFile(path, `file:///${example}/${path}`, text));
  for (const _ of project.check());
  return project.files.flatMap((file) =>
    file.sections.flatMap(({ text }, index) => {
      const { tokens } = tokenize(text);
      return tokens
        .slice(0, -1)
        .map((token, at) => ({ example, project, file, index, token, next: tokens[at + 1] as Token }));
    }),
  );
}

function sampled<T>(all: readonly T[], oneIn: number): readonly T[] {
  return all.filter((_, index) => index % oneIn === 0);
}

/** At most so many at one place, from all parts of the list. */
const MOST_ITEMS = SWEEP === undefined ? 8 : Number.POSITIVE_INFINITY;

function fewOf(items: readonly CompletionItem[]): readonly CompletionItem[] {
  const step = Math.max(1, items.length / MOST_ITEMS);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

function itemsAt(project: Project, file: KilnFile, { index, token }: Pick<Place, 'index' | 'token'>) {
  return completionsAt(project, file, file.positionAt(file.startOf(index) + token.start), false);
}

/** A function with its parentheses: how many arguments it takes is another matter. */
function wholeText({ kind, textEdit }: CompletionItem): string {
  const { newText } = textEdit as TextEdit;
  return kind === CompletionItemKind.Function ? `${newText}()` : newText;
}

/** Words that begin something, not those that continue it. */
function beginsForm({ detail }: CompletionItem): boolean {
  return detail !== undefined;
}

const PLACEHOLDER = 'x';

/** Nothing has this name, which is not the fault of the word before it. */
function isPlaceholder(facts: object): boolean {
  return 'name' in facts && facts.name === PLACEHOLDER;
}

const FILLED: Readonly<Record<string, string>> = {
  name: PLACEHOLDER,
  shape: PLACEHOLDER.toUpperCase(),
  path: PLACEHOLDER,
  record: PLACEHOLDER,
  text: '"x"',
  number: '1',
  value: 'null',
  'value-block': '{ null }',
  block: '{}',
};

/** The word with the least that has to follow it. */
function wholeForm(before: string, { textEdit }: CompletionItem): string {
  const word = (textEdit as TextEdit).newText;
  const { begun } = expectedBehind(`${before}${word} `);
  const first = begun?.next[0];
  if (!begun || !first) return word;
  return `${word} ${'text' in first ? first.text : (FILLED[first.kind] ?? '')} ${begun.least}`;
}

function problemsOf(context: Context, text: string): readonly Diagnostic[] {
  const diagnostics = new Diagnostics();
  const read = readSource({ path: '', text }, diagnostics);
  for (const declaration of read?.ast.declarations ?? [])
    checkDeclaration(context, declaration, diagnostics.report.bind(diagnostics), { meant: () => {}, missed: () => {} });
  return diagnostics.sorted().filter((diagnostic) => severityOf(diagnostic) === 'error');
}
