import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { problemsText } from '../../compiler/change/problem-place.ts';
import { problemsBetween } from '../../compiler/change/problems.ts';
import { compile } from '../../compiler/compile.ts';
import { catalogue } from '../../compiler/diagnostics/catalogue/catalogue.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { type Explanation, readExplanations } from '../../pipeline/cli/explain.ts';
import { bundleHooks } from '../../pipeline/hooks/bundle-hooks.ts';
import { hookTypeProblems } from '../../pipeline/hooks/check-types.ts';
import type { HookProblem } from '../../pipeline/hooks/hook-problem.ts';
import { isUpdating } from '../support/case-file.ts';

/** Reported only if the two readers of syntax disagree, which no source is known to cause. */
const WITHOUT_EXAMPLE = ['unreadable-text'];
/** Reported when the files of hooks are bundled, and their types checked. */
const OF_HOOK_FILES: Readonly<Record<HookProblem['code'], true>> = {
  'bad-hook-code': true,
  'hook-export-missing': true,
  'hook-import-missing': true,
  'hook-type-error': true,
};

/** The page of a code is also the first test of its rule. The others are in rules.test.ts. */
describe('the explanations', () => {
  before(() => loadGrammar());
  const explanations = readExplanations().flatMap((group) => [...group.explanations]);

  for (const [code, { page, before: previous, example, fix }] of explanations) {
    if (example['main.kiln'] === undefined) continue;
    it(`${code}: the example gives this code, and its fix gives none`, async () => {
      const { codes, said } = await resultOf(example, previous);
      expect(codes[0]).to.equal(code);
      expect((await resultOf(fix, previous)).codes).to.deep.equal([]);
      if (isUpdating) writeFileSync(page, pageWith(page, said));
      expect(readFileSync(page, 'utf8')).to.equal(pageWith(page, said));
    });
  }

  it('are there for every code', () => {
    const codes = new Set([...Object.keys(catalogue), ...Object.keys(OF_HOOK_FILES)]);
    expect(explanations.map(([code]) => code).sort()).to.deep.equal([...codes].sort());
  });

  it('have an example for every code that a source can cause', () => {
    const without = explanations.filter(([, { example }]) => example['main.kiln'] === undefined);
    expect(without.map(([code]) => code)).to.deep.equal(WITHOUT_EXAMPLE);
  });

  it('have the code as their title', () => {
    const titles = explanations.map(([, { page }]) => readFileSync(page, 'utf8').split('\n')[0]);
    expect(titles).to.deep.equal(explanations.map(([code]) => `# ${code}`));
  });

  it('are two to five sentences', () => {
    const texts = explanations.map(([code, { text }]) => ({ code, text, sentences: sentencesIn(text) }));
    expect(texts.filter(({ sentences }) => sentences < 2 || sentences > 5)).to.deep.equal([]);
    expect(texts.filter(({ text }) => !/[.!]$/.test(text))).to.deep.equal([]);
  });
});

function sentencesIn(text: string): number {
  return text.replaceAll(/`[^`]*`/g, '').split(/[.!](?:\s|$)/).length - 1;
}

/** The page with what Kiln says, in the block without a language at its end. */
function pageWith(page: string, said: string): string {
  const rest = readFileSync(page, 'utf8').replace(/\n```\n(?:(?!```).)*```\n$/s, '');
  return said === '' ? rest : `${rest}\n\`\`\`\n${said}\n\`\`\`\n`;
}

interface Result {
  readonly codes: readonly string[];
  /** Without the line that counts the errors. */
  readonly said: string;
}

/** Of the sources, then of the change from the previous release, then of the files of hooks. */
async function resultOf(files: Explanation['example'], previous: string | undefined): Promise<Result> {
  const sources = [{ path: 'main.kiln', text: files['main.kiln'] as string }];
  const places = new SourceMap(sources, '', (path) => files[path]);
  const { definition, program, diagnostics } = compile(sources, (path) => files[path]);
  if (definition === undefined || program === undefined || diagnostics.length > 0) {
    const said = renderText(diagnostics, places, { colour: false });
    return { codes: diagnostics.map(({ code }) => code), said: withoutCount(said) };
  }
  if (previous === undefined) return { codes: await hookCodes(files, definition), said: '' };
  const before = compile([{ path: 'main.kiln', text: previous }]).definition;
  if (before === undefined) throw new Error('the previous release does not compile');
  const problems = problemsBetween(before, definition);
  const said = problems.length === 0 ? '' : problemsText(problems, program, places, { colour: false });
  return { codes: problems.map(({ code }) => code), said: withoutCount(said) };
}

function withoutCount(said: string): string {
  return said.trimEnd().replace(/\n\n.*$/, '');
}

async function hookCodes(files: Explanation['example'], definition: Parameters<typeof bundleHooks>[1]) {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-explain-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const bundle = await bundleHooks(folder, definition);
    const problems = bundle && 'problems' in bundle ? bundle.problems : await hookTypeProblems(folder, definition);
    return problems.map(({ code }) => code);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
