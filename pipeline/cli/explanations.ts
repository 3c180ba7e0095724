/**
 * What `kiln explain` says: the pages of compiler/diagnostics/explanations, one for each code. A page has a text, an
 * example whose fix is shown as a difference, and what Kiln says about the example. Tests compile both sides.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts by path: `main.kiln`, and the code of hooks. */
type Files = Readonly<Record<string, string>>;

export interface Explanation {
  /** The path of its page. */
  readonly page: string;
  /** What the code means, and why Kiln insists. */
  readonly text: string;
  /** The source of the previous release, if the code is about a change. */
  readonly before: string | undefined;
  /** Empty if no source is known to cause the code. */
  readonly example: Files;
  readonly fix: Files;
}

/** Both are two folders deep: this file in the sources, and the bundle in a package. */
const FOLDER = join(import.meta.dirname, '../../compiler/diagnostics/explanations');

/** By folder, in the order in which a newcomer meets them. */
const TITLES = {
  syntax: 'Text that cannot be read',
  names: 'Names',
  models: 'Models, members and enums',
  expressions: 'Expressions and values',
  code: 'Validators, hooks and runtimes',
  'hook-files': 'The files of hooks',
  shapes: 'Shapes',
  api: 'Entrypoints, endpoints and authentication',
  actions: 'Actions and populators',
  changes: 'Changes from one release to the next',
};

export interface ExplanationGroup {
  readonly title: string;
  readonly explanations: ReadonlyMap<string, Explanation>;
}

export function readExplanations(): readonly ExplanationGroup[] {
  return Object.entries(TITLES).map(([folder, title]) => {
    const pages = readdirSync(join(FOLDER, folder)).sort();
    const explanations = pages.map(
      (file) => [file.replace(/\.md$/, ''), readPage(join(FOLDER, folder, file))] as const,
    );
    return { title, explanations: new Map(explanations) };
  });
}

/** The caption is the path of a file, or marks the previous release. What Kiln says is in a block without a language. */
const BLOCK = /(?:^([^\n]+):\n\n)?^```(\w+)\n(.*?)^```$/gms;
const PREVIOUS = 'Previous release';

function readPage(page: string): Explanation {
  const markdown = readFileSync(page, 'utf8');
  const [, text = ''] = markdown.trimEnd().split('\n\n');
  const blocks = [...markdown.matchAll(BLOCK)].map(([, caption = '`main.kiln`', language = '', lines = '']) => ({
    path: caption.replaceAll('`', ''),
    language,
    lines: lines.replace(/^(.*)\{1\.\.(\d+)\}(.*\n)/gm, numbered),
  }));
  const filesWithout = (sign: '+' | '-') =>
    blocks
      .filter(({ path }) => path !== PREVIOUS)
      .map(({ path, language, lines }) => [path, language === 'diff' ? sideWithout(sign, lines) : lines]);
  return {
    page,
    text,
    before: blocks.find(({ path }) => path === PREVIOUS)?.lines,
    example: Object.fromEntries(filesWithout('+')),
    fix: Object.fromEntries(filesWithout('-')),
  };
}

/** A line with `{1..1600}` stands for as many lines. */
function numbered(_line: string, before: string, count: string, after: string): string {
  return Array.from({ length: Number(count) }, (_, index) => `${before}${index + 1}${after}`).join('');
}

/** One side of a difference: its lines without those that only the other side has. */
function sideWithout(sign: '+' | '-', difference: string): string {
  const lines = difference.split('\n').filter((line) => !line.startsWith(sign));
  return lines.map((line) => line.slice(1)).join('\n');
}
