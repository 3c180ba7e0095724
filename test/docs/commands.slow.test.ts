/** Every command in the documents is run, and what it prints is what they show. `UPDATE_GOLDEN=1` writes it into them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { buildOnce } from '../support/build-once.ts';
import { skipWithoutImages } from '../support/runtime-base.ts';
import type { Difference } from './session.ts';
import { notRunReasons, type SessionBlock, sessionBlocks, unrunCommands } from './session-blocks.ts';
import { SessionRun, SessionRuns } from './session-run.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', ...markdownIn('docs'), ...exampleDocuments()];

const IS_UPDATE = Boolean(process.env.UPDATE_GOLDEN);
/** Where only some tests are asked for, only their documents are run. */
const IS_FILTERED = process.argv.some((word) => /^--f?grep(=|$)/.test(word));

/** What cannot be run is the exception, and each needs a reason. */
const MOST_NOT_RUN = 14;

describe('the commands in the documents', () => {
  before(buildOnce);

  it('are all run, or say why not', () => {
    const unrun = DOCUMENTS.flatMap((document) => unrunCommands(read(document)).map((line) => `${document}:${line}`));
    expect(unrun).to.deep.equal([]);
  });

  it('are run but for a few', () => {
    expect(DOCUMENTS.flatMap((document) => notRunReasons(read(document)))).to.have.length.at.most(MOST_NOT_RUN);
  });

  const runs = DOCUMENTS.map((document) => [document, runOf(document)] as const).filter(([, run]) => hasCommands(run));
  const all = new SessionRuns(runs.map(([, run]) => run));
  for (const [document, run] of runs) testDocument(document, run, all);
});

function runOf(document: string): SessionRun {
  return new SessionRun(sessionBlocks(document, read(document)), IS_UPDATE);
}

function hasCommands({ blocks }: SessionRun): boolean {
  return blocks.some(({ kind }) => kind === 'console');
}

function testDocument(document: string, run: SessionRun, all: SessionRuns): void {
  describe(document, function () {
    this.timeout(300_000);
    const differences: Difference[] = [];

    before(() => {
      if (IS_FILTERED) void run.start();
      else all.start();
    });

    for (const block of run.blocks) {
      it(titleOf(block), async function () {
        if (block.needsDocker) skipWithoutImages(this);
        const outcome = await run.outcome(block);
        if (outcome.kind === 'left out') return this.skip();
        if (outcome.kind === 'failed') throw outcome.error;
        differences.push(...outcome.differences);
        if (!IS_UPDATE) for (const difference of outcome.differences) expectSame(block, difference);
      });
    }

    after(async () => {
      await run.start();
      if (IS_UPDATE) writeFileSync(join(ROOT, document), updated(read(document), differences));
    });
  });
}

function expectSame(block: SessionBlock, { step: { shown, line }, screen }: Difference): void {
  expect(screen.join('\n'), placeOf(block, line)).to.equal(shown.join('\n'));
}

function titleOf(block: SessionBlock): string {
  const place = placeOf(block, block.line);
  if (block.kind !== 'console') return `${place} ${block.kind === 'file' ? 'is' : 'changes'} ${block.path}`;
  const [first, ...more] = block.steps.flatMap(({ command }) => command ?? []);
  return `${place} ${first === undefined ? 'comes next' : `$ ${first.split('\n')[0]}`}${more.length > 0 ? ` … (${more.length + 1})` : ''}`;
}

function placeOf({ document }: SessionBlock, line: number): string {
  return `${document}:${line}`;
}

function updated(text: string, differences: readonly Difference[]): string {
  const lines = text.split('\n');
  for (const { step, screen } of differences.toReversed()) lines.splice(step.line - 1, step.shown.length, ...screen);
  return lines.join('\n');
}

function markdownIn(folder: string): readonly string[] {
  const files = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith('.md'));
  return files.sort().map((file) => `${folder}/${file}`);
}

function exampleDocuments(): readonly string[] {
  return readdirSync(join(ROOT, 'examples')).map((example) => `examples/${example}/README.md`);
}

function read(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8');
}
