/** Problems of a change with their places in the source. */
import { catalogue } from '../diagnostics/catalogue/catalogue.ts';
import type { Worded } from '../diagnostics/diagnostic.ts';
import { renderText } from '../diagnostics/render-text.ts';
import type { Words } from '../diagnostics/words/words.ts';
import type { Job, Program } from '../program/program.ts';
import type { SourceMap } from '../source/line-index.ts';
import type { Span } from '../source/source-file.ts';
import type { ChangeProblem } from './problems.ts';

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

/** All problems as diagnostics. Those about declarations that are no longer in the source come first. */
export function placedProblems(problems: readonly ChangeProblem[], program: Program): readonly Worded[] {
  const placed = problems.map((problem): Worded => {
    return { code: problem.code, span: spanOf(problem.path, program) ?? null, words: problemWords(problem) };
  });
  return [...placed.filter(({ span }) => span === null), ...placed.filter(({ span }) => span !== null)];
}

export function problemsText(
  problems: readonly ChangeProblem[],
  program: Program,
  sources: SourceMap,
  options: { readonly colour: boolean },
): string {
  return renderText(placedProblems(problems, program), sources, options);
}
