/**
 * The pages of docs/errors: every code with its explanation, an example, what Kiln says about it, and the fix. Run
 * `npm run docs:errors` after a change of the catalogue or of an explanation; a test fails while they are stale.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changesBetween } from '../compiler/change/changes-between.ts';
import { problemsText } from '../compiler/change/problem-place.ts';
import { compile } from '../compiler/compile.ts';
import { type Example, type Explanation, fixed } from '../compiler/diagnostics/explanations/explanation.ts';
import { type ExplanationGroup, explanationGroups } from '../compiler/diagnostics/explanations/explanations.ts';
import { shownSource } from '../compiler/diagnostics/explanations/shown-source.ts';
import { renderText } from '../compiler/diagnostics/render-text.ts';
import { SourceMap } from '../compiler/source/line-index.ts';
import { loadGrammar } from '../compiler/syntax/load-grammar.ts';

export const ERROR_PAGES = fileURLToPath(new URL('../docs/errors', import.meta.url));

/** Names of files, and their texts. The grammar must be loaded. */
export function errorPages(): ReadonlyMap<string, string> {
  const pages = explanationGroups.map((group) => [fileOf(group), pageOf(group)] as const);
  return new Map([['README.md', overview()], ...pages]);
}

const NOTE = '<!-- Made by `npm run docs:errors` from compiler/diagnostics/explanations. -->';

function overview(): string {
  const groups = explanationGroups.map((group) => {
    const links = Object.keys(group.explanations).map((code) => `[\`${code}\`](${fileOf(group)}#${code})`);
    return `## ${group.title}\n\n${links.join(' · ')}\n`;
  });
  const head =
    'Every message of Kiln has a code, such as `error[unknown-model]`. `kiln explain unknown-model` says in the terminal what is said here.';
  return [NOTE, '', '# Errors', '', head, '', groups.join('\n')].join('\n');
}

function fileOf({ title }: ExplanationGroup): string {
  return `${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.md`;
}

function pageOf({ title, explanations }: ExplanationGroup): string {
  const sections = Object.entries(explanations).map(([code, explanation]) => sectionOf(code, explanation));
  return [NOTE, '', `# ${title}`, '', '[All errors](README.md)', '', sections.join('\n')].join('\n');
}

function sectionOf(code: string, about: Explanation): string {
  const parts = [`## ${code}`, about.text, ...(about.source === null ? [] : exampleParts(about))];
  return `${parts.join('\n\n')}\n`;
}

function exampleParts(example: Example): readonly string[] {
  const { before } = example;
  const said = saidAbout(example);
  return [
    ...(before === undefined ? [] : ['The release before:', fenced('kiln', before)]),
    ...blocksOf(example, 'kiln-wrong'),
    ...(said === '' ? [] : [fenced('', said)]),
    'What fixes it:',
    ...blocksOf(fixed(example), 'kiln'),
  ];
}

function blocksOf({ source, files = {} }: Example, language: string): readonly string[] {
  const code = Object.entries(files).map(([path, text]) => fenced('ts', `// ${path}\n${text}`));
  return [fenced(language, source), ...code];
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${shownSource(text)}\n\`\`\``;
}

function saidAbout(example: Example): string {
  const sources = [{ path: 'main.kiln', text: example.source }];
  const { definition, program, diagnostics } = compile(sources, (path) => example.files?.[path]);
  const shown = (found: typeof diagnostics) => renderText(found, new SourceMap(sources), { colour: false });
  if (example.before === undefined || definition === undefined) return shown(diagnostics);
  const previous = compile([{ path: 'main.kiln', text: example.before }]).definition;
  if (program === undefined || previous === undefined) throw new Error('an example of a change does not compile');
  const { problems } = changesBetween(previous, definition);
  return problemsText(problems, program, new SourceMap(sources), { colour: false });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await loadGrammar();
  rmSync(ERROR_PAGES, { recursive: true, force: true });
  mkdirSync(ERROR_PAGES);
  for (const [file, text] of errorPages()) writeFileSync(join(ERROR_PAGES, file), text);
}
