import { join } from 'node:path';
import { expect } from 'chai';
import { analyse } from '../../compiler/compile.ts';
import { compatible, edited } from '../../compiler/diagnostics/apply-edits.ts';
import { type Diagnostic, severityOf, wordsOf } from '../../compiler/diagnostics/diagnostic.ts';
import { fixSources } from '../../compiler/fix-sources.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { type CaseFile, caseFiles, isUpdating } from '../support/case-file.ts';
import { AROUND, type Mistake, mistakeFiles, updateMistakes } from './mistakes/mistakes.ts';

type Analysis = ReturnType<typeof analyse>;

/** What the compiler makes of one mistake. */
interface Seen {
  readonly mistake: Mistake;
  /** The texts that are marked, each with where it begins. */
  readonly marked: readonly string[];
  readonly expected: readonly string[];
  readonly fixed: string | undefined;
  readonly says: string;
  /** Whether every message has an edit, a label or a help that says what to write. */
  readonly isHelpful: boolean;
  /** Messages whose own edits do not help. */
  readonly failing: readonly string[];
}

/** Shares of all mistakes. */
const LEAST = { mistakes: 150, inPlace: 1, helpful: 0.95, fixed: 0.75 };

describe('mistakes that people bring from other languages', () => {
  before(() => loadGrammar());
  const files = mistakeFiles();
  const all: Seen[] = [];

  for (const { origin, mistakes, path } of files) {
    it(`${origin}: ${mistakes.length} are answered as they are in the file`, () => {
      const seen = mistakes.map(seenOf);
      all.push(...seen);
      const answered = seen.map(({ mistake, fixed, says }) => ({ ...mistake, fixed, says }));
      if (isUpdating) updateMistakes(path, answered);
      else expect(answered).to.deep.equal(mistakes);
    });
  }

  it('are at least 150', () => {
    expect(all.length).to.be.at.least(LEAST.mistakes);
  });

  it('are marked where they are', () => {
    const astray = all.filter((one) => !isInPlace(one)).map(titleAndMarks);
    expect(1 - astray.length / all.length, astray.join('\n')).to.be.at.least(LEAST.inPlace);
  });

  it('never get an edit that fails', () => {
    const failing = all.flatMap((one) => one.failing.map((said) => `${one.mistake.title}: ${said}`));
    expect(failing).to.deep.equal([]);
  });

  it('are told what to do', () => {
    const unhelped = all.filter(({ isHelpful }) => !isHelpful).map(({ mistake }) => mistake.title);
    expect(1 - unhelped.length / all.length, unhelped.join('\n')).to.be.at.least(LEAST.helpful);
  });

  it('are fixed by their own edits', () => {
    const unfixed = all.filter(({ fixed }) => fixed === undefined).map(({ mistake }) => mistake.title);
    expect(1 - unfixed.length / all.length, unfixed.join('\n')).to.be.at.least(LEAST.fixed);
  });
});

/** Right, but there is more to find once it is fixed. */
const UNCOVERING = ['unknown-model.used'];

describe('the edits of all rules of the language', () => {
  before(() => loadGrammar());

  it('leave fewer errors than there were', () => {
    const failing = caseFiles(join(import.meta.dirname, 'rules')).filter((one) => !editsHelp(one));
    expect(failing.map(({ name }) => name)).to.deep.equal(UNCOVERING);
  });
});

function editsHelp({ sources, files }: CaseFile): boolean {
  const errorsOf = (texts: readonly SourceFile[]) => {
    const others = new Map(texts.map(({ path, text }) => [path, text]));
    const own = texts.slice(0, sources.length);
    return errorsIn(analyse(own, (path) => others.get(path)));
  };
  const isOther = ({ path }: SourceFile) => sources.every((source) => source.path !== path);
  const texts = [...sources, ...[...files].map(([path, text]) => ({ path, text })).filter(isOther)];
  const errors = errorsOf(texts);
  return errors.every((error) => {
    const { edits = [] } = wordsOf(error);
    return edits.length === 0 || errorsOf(edited(texts, edits)).length < errors.length;
  });
}

function seenOf(mistake: Mistake): Seen {
  const around = AROUND[mistake.place];
  if (around === undefined) throw new Error(`${mistake.title}: no such place: ${mistake.place}`);
  const [ahead = '', behind = ''] = around.split('…');
  const text = ahead + mistake.source.replace(/[«»]/g, '') + behind;
  const before = analysed(text);
  const errors = errorsIn(before);
  const mended = fixSources([{ path: 'main.kiln', text }]).sources[0]?.text ?? '';
  const isMended = errorsIn(analysed(mended)).length === 0;
  return {
    mistake,
    marked: errors.map(({ span }) => `${span.start - ahead.length}: ${text.slice(span.start, span.end)}`),
    expected: marksIn(mistake.source),
    fixed: isMended ? withoutAround(mended, ahead, behind) : undefined,
    says: errors.map(said).join('\n'),
    isHelpful: errors.every(tellsWhatToDo),
    failing: errors.filter((error) => !helps(text, before, error)).map(said),
  };
}

/** What stands between, or the lines that are different where the fix is not between. */
function withoutAround(text: string, before: string, behind: string): string {
  const [head, tail] = [before.trimEnd(), behind.trimStart()];
  const isBetween = text.startsWith(head) && text.endsWith(tail);
  if (isBetween) return text.slice(head.length, text.length - tail.length).trim();
  const known = new Set(`${before}${behind}`.split('\n'));
  return text
    .split('\n')
    .filter((line) => !known.has(line))
    .join('\n');
}

function analysed(text: string): Analysis {
  return analyse([{ path: 'main.kiln', text }]);
}

function errorsIn({ diagnostics }: Analysis): readonly Diagnostic[] {
  return diagnostics.filter((one) => severityOf(one) === 'error');
}

function marksIn(source: string): readonly string[] {
  let signs = 0;
  return [...source.matchAll(/«([^»]*)»/g)].map((match) => {
    const start = match.index - signs;
    signs += 2;
    return `${start}: ${match[1]}`;
  });
}

function isInPlace({ marked, expected }: Seen): boolean {
  return marked.join('\n') === expected.join('\n');
}

function titleAndMarks({ mistake, marked, expected }: Seen): string {
  return `${mistake.title}: ${JSON.stringify(marked)} in place of ${JSON.stringify(expected)}`;
}

function said(error: Diagnostic): string {
  const { message, label, help } = wordsOf(error);
  const plain = (text: string) => text.replace(/\u0001[^\u0003]*\u0003/g, 'main.kiln');
  return [
    `${error.code}: ${plain(message)}`,
    ...(label ? [`  ^ ${plain(label)}`] : []),
    ...(help ? [`  help: ${plain(help)}`] : []),
  ].join('\n');
}

function tellsWhatToDo(error: Diagnostic): boolean {
  const { edits = [], label = '', help = '' } = wordsOf(error);
  return edits.length > 0 || /`[^`]+`/.test(label) || /`[^`]+`/.test(help) || /^(remove|leave)/.test(label);
}

/** Whether its edits, and no others, leave fewer errors, or a text whose rules can be checked. */
function helps(text: string, before: Analysis, error: Diagnostic): boolean {
  const { edits = [] } = wordsOf(error);
  if (edits.length === 0) return true;
  const sources = [{ path: 'main.kiln', text }];
  const after = analyse(edited(sources, compatible([edits]).flat()));
  return after.isComplete && !before.isComplete
    ? errorsIn(analysed(edited(sources, edits)[0]?.text ?? '')).length === 0
    : after.diagnostics.length < before.diagnostics.length;
}
