/** What the compiler makes of the programs of a document, and what it says about them. */
import { expect } from 'chai';
import { problemsText } from '../../compiler/change/problem-place.ts';
import { problemsBetween } from '../../compiler/change/problems.ts';
import { analyse, compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { renderJson } from '../../compiler/diagnostics/render-json.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { Mistake } from './document-programs.ts';
import { expectShown } from './document-shown.ts';

export type Files = ReadonlyMap<string, string>;

export interface Compiled {
  readonly definition: Definition | undefined;
  readonly said: string;
}

const compiled = new WeakMap<Files, Compiled>();

/** Once for each map. */
export function compileFiles(files: Files): Compiled {
  const known = compiled.get(files) ?? compileAnew(files);
  compiled.set(files, known);
  return known;
}

function compileAnew(files: Files): Compiled {
  const sources = [...files].filter(([path]) => path.endsWith('.kiln')).map(([path, text]) => ({ path, text }));
  const { definition, diagnostics } = compile(sources, (path) => files.get(path));
  return {
    definition,
    said: withoutCount(
      renderText(diagnostics, new SourceMap(sources, '', (path) => files.get(path)), { colour: false }),
    ),
  };
}

/** How many there are is for the screen. */
function withoutCount(said: string): string {
  return said.replace(/\n\n\d+ (error|warning)s?\b.*\n$/, '').trim();
}

/** What `kiln check` prints about a program that is refused, in the form of the block that shows it. */
export function expectMistake({ source, shown }: Mistake): void {
  const sources = [{ path: 'main.kiln', text: source }];
  if (shown?.language === 'json') {
    const { diagnostics, isComplete } = compile(sources);
    const seen = {
      files: 1,
      complete: isComplete,
      problems: [],
      diagnostics: renderJson(diagnostics, new SourceMap(sources)),
    };
    expect(seen).to.deep.equal(JSON.parse(shown.text));
  } else expectShown(compileFiles(new Map([['main.kiln', source]])).said, shown);
}

export function definitionOf(files: Files): Definition {
  const { definition, said } = compileFiles(files);
  if (!definition) throw new Error(said);
  return definition;
}

/** What is said about the way from one release to the next; empty where nothing is in the way. */
export function refusalOf(previous: Definition, next: Definition, text: string): string {
  const source = { path: 'main.kiln', text };
  const { program } = analyse([source]);
  if (!program) throw new Error('a program with errors');
  return withoutCount(
    problemsText(problemsBetween(previous, next), program, new SourceMap([source]), { colour: false }),
  );
}
