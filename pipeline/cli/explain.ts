/** `kiln explain`: what a code means, an example of it, and what mends that. */
import type { Explanation } from '../../compiler/diagnostics/explanations/explanation.ts';
import { mended } from '../../compiler/diagnostics/explanations/explanation.ts';
import { explanationGroups, explanations } from '../../compiler/diagnostics/explanations/explanations.ts';
import { nearName } from '../../compiler/diagnostics/near-name.ts';
import type { HookProblem } from '../hooks/hook-problem.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { explanationText } from './explanation-text.ts';
import { complain, print } from './terminal.ts';

/** Also the codes that are not the compiler's own. */
const known: ReadonlyMap<string, Explanation> = new Map<string, Explanation>(
  Object.entries(explanations satisfies Readonly<Record<HookProblem['code'], Explanation>>),
);

export function explain(written: string | undefined, { json }: { readonly json: boolean }): ExitCode {
  if (written === undefined) return list(json);
  const code = codeIn(written);
  const explanation = known.get(code);
  if (explanation === undefined) return unknown(code);
  print(json ? JSON.stringify(jsonOf(code, explanation), undefined, 2) : explanationText(code, explanation));
  return EXIT.ok;
}

/** As it is copied from a message: `error[unknown-model]`, or with the colon behind it. */
function codeIn(written: string): string {
  const trimmed = written.trim().toLowerCase();
  return /\[([^\]]*)\]?:?$/.exec(trimmed)?.[1] ?? trimmed.replace(/:$/, '');
}

function list(json: boolean): ExitCode {
  if (json) {
    print(
      JSON.stringify(
        [...known].map(([code, explanation]) => jsonOf(code, explanation)),
        undefined,
        2,
      ),
    );
    return EXIT.ok;
  }
  const groups = explanationGroups.map(({ title, explanations: group }) => [title, ...columns(group)].join('\n'));
  print([...groups, 'For one of them: kiln explain <code>'].join('\n\n'));
  return EXIT.ok;
}

function columns(group: Readonly<Record<string, Explanation>>): readonly string[] {
  return Object.keys(group).map((code) => `  ${code}`);
}

function jsonOf(code: string, { text, example }: Explanation) {
  return { code, text, example: example?.source ?? null, ...(example ? parts(example) : {}) };
}

function parts(example: NonNullable<Explanation['example']>) {
  const { source: mend, files: mendFiles } = mended(example);
  const { before, files } = example;
  return { ...(before === undefined ? {} : { before }), ...(files ? { files, mendFiles } : {}), mend };
}

const MOST_SUGGESTED = 5;

function unknown(code: string): ExitCode {
  const near = suggestions(code);
  const advice =
    near.length === 0 ? 'see `kiln explain` for all of them' : `did you mean ${near.map(quoted).join(', ')}?`;
  complain(`there is no code \`${code}\`: ${advice}`);
  return EXIT.usage;
}

/** The one that was misspelt; otherwise those that have its words. */
function suggestions(code: string): readonly string[] {
  const names = [...known.keys()].map((name) => ({ name }));
  const near = nearName(code, names)?.name;
  const words = code.split(/[^a-z]+/).filter((word) => word.length > 2);
  const alike = [...known.keys()].filter((name) => words.some((word) => name.split('-').includes(word)));
  return [...new Set([...(near === undefined ? [] : [near]), ...alike])].slice(0, MOST_SUGGESTED);
}

const quoted = (name: string) => `\`${name}\``;
