import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { changesBetween } from '../../compiler/change/changes-between.ts';
import { placedProblems } from '../../compiler/change/problem-place.ts';
import { analyse, compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { type Example, type Explanation, fixed } from '../../compiler/diagnostics/explanations/explanation.ts';
import { explanationGroups, explanations } from '../../compiler/diagnostics/explanations/explanations.ts';
import type { FileText, SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { bundleHooks } from '../../pipeline/hooks/bundle-hooks.ts';

/** Said only where the two readers of syntax disagree, which no source is known to bring about. */
const WITHOUT_EXAMPLE = ['unreadable-text'];

describe('the explanations', () => {
  before(() => loadGrammar());

  for (const [code, example] of Object.entries<Explanation>(explanations)) {
    if (example.source === null) continue;
    it(`${code}: the example gives this code, and its fix gives none`, async () => {
      expect(example.fix.map(([from]) => timesIn(example, from))).to.deep.equal(example.fix.map(() => 1));
      expect((await codesOf(example))[0]).to.equal(code);
      expect(await codesOf(fixed(example))).to.deep.equal([]);
    });
  }

  it('have an example for every code that a source can bring about', () => {
    const without = Object.entries(explanations).filter(([, { source }]) => source === null);
    expect(without.map(([code]) => code)).to.deep.equal(WITHOUT_EXAMPLE);
  });

  it('are in one group each', () => {
    const grouped = explanationGroups.flatMap(({ explanations: group }) => Object.keys(group));
    expect([...grouped].sort()).to.deep.equal(Object.keys(explanations).sort());
    expect(new Set(grouped).size).to.equal(grouped.length);
  });

  it('are two to five sentences', () => {
    const lengths = Object.entries(explanations).map(([code, { text }]) => ({ code, sentences: sentencesIn(text) }));
    expect(lengths.filter(({ sentences }) => sentences < 2 || sentences > 5)).to.deep.equal([]);
    expect(Object.values(explanations).filter(({ text }) => !/[.!]$/.test(text))).to.deep.equal([]);
  });
});

function timesIn({ source, files = {} }: Example, text: string): number {
  return [source, ...Object.values(files)].reduce((sum, whole) => sum + whole.split(text).length - 1, 0);
}

function sentencesIn(text: string): number {
  return text.replaceAll(/`[^`]*`/g, '').split(/[.!](?:\s|$)/).length - 1;
}

/** Of the sources, then of the files of hooks, then of the change from the release before. */
async function codesOf(example: Example): Promise<readonly string[]> {
  const sources = [{ path: 'main.kiln', text: example.source }];
  const files = example.files ?? {};
  const { definition, diagnostics } = compile(sources, (path) => files[path]);
  if (definition === undefined || diagnostics.length > 0) return diagnostics.map(({ code }) => code);
  if (example.before !== undefined) return changeCodes(example.before, sources, definition);
  return hookCodes(files, definition);
}

async function changeCodes(
  before: string,
  sources: readonly SourceFile[],
  next: Definition,
): Promise<readonly string[]> {
  const previous = compile([{ path: 'main.kiln', text: before }]).definition;
  const { program } = analyse(sources, noFile);
  if (previous === undefined || program === undefined) throw new Error('the release before does not compile');
  const { diagnostics, unplaced } = placedProblems(changesBetween(previous, next).problems, program);
  return [...diagnostics, ...unplaced].map(({ code }) => code);
}

const noFile: FileText = () => undefined;

async function hookCodes(files: Readonly<Record<string, string>>, definition: Definition): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-explain-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const bundle = await bundleHooks(folder, definition);
    return bundle && 'problems' in bundle ? bundle.problems.map(({ code }) => code) : [];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
