/** The place of a problem in the source, and its text if there is no such place. */
import { catalogue } from '../diagnostics/catalogue/catalogue.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { renderText } from '../diagnostics/render-text.ts';
import type { Words } from '../diagnostics/words/words.ts';
import type { Job, Program } from '../program/program.ts';
import type { SourceMap } from '../source/line-index.ts';
import type { Span } from '../source/source-file.ts';
import type { ChangeProblem } from './problems.ts';

interface PlacedProblems {
  readonly diagnostics: readonly Diagnostic[];
  /** Problems about declarations that are no longer in the source. */
  readonly unplaced: readonly ChangeProblem[];
}

export function placedProblems(problems: readonly ChangeProblem[], program: Program): PlacedProblems {
  const placed = problems.map((problem) => ({ problem, span: spanOf(problem.path, program) }));
  return {
    diagnostics: placed.flatMap(({ problem: { code, facts }, span }) => (span ? [{ code, facts, span }] : [])),
    unplaced: placed.filter(({ span }) => span === undefined).map(({ problem }) => problem),
  };
}

function spanOf(path: string, { models, enums, jobs }: Program): Span | undefined {
  const [kind, name, , member] = path.split('.');
  if (kind === 'enums') return enums.find((type) => type.name === name)?.span;
  // The jobs of webhooks have points in their names.
  const job = jobs.find((each) => path === `jobs.${each.name}` || path.startsWith(`jobs.${each.name}.inputs.`));
  if (job) return jobSpan(job, path.split('.').at(-1));
  const model = models.find((candidate) => candidate.name === name);
  return (member === undefined ? undefined : model?.members.get(member)?.span) ?? model?.span;
}

function jobSpan({ inputs, span }: Job, input: string | undefined): Span {
  return inputs.find(({ name }) => name === input)?.span ?? span;
}

export function problemWords({ code, facts }: ChangeProblem): Words {
  const words = catalogue[code] as (facts: ChangeProblem['facts']) => Words;
  return words(facts);
}

/** All problems as diagnostics are shown: with the line of source that each is about, where there is one. */
export function problemsText(
  problems: readonly ChangeProblem[],
  program: Program,
  sources: SourceMap,
  options: { readonly colour: boolean },
): string {
  const { diagnostics, unplaced } = placedProblems(problems, program);
  return [...unplaced.map((problem) => `${problemText(problem)}\n`), renderText(diagnostics, sources, options)]
    .filter((part) => part !== '')
    .join('\n');
}

/** Writes a problem like `renderText`, without a line of source. */
export function problemText(problem: ChangeProblem): string {
  const { message, help } = problemWords(problem);
  const ways = help === undefined ? '' : `\n  = help: ${help.split('\n').join('\n          ')}`;
  return `error[${problem.code}]: ${message}${ways}`;
}
