/** Completion: words of the language that fit at a place, and names that are known there. */
import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  type Position,
  type Range,
} from 'vscode-languageserver/node';
import { isTemplateOf } from '../../compiler/check/mails.ts';
import type { Expectation } from '../../compiler/syntax/expectation.ts';
import { expectedBehind } from '../../compiler/syntax/recogniser.ts';
import {
  firstPhrases,
  firstWords,
  formsOf,
  isOptional,
  type ReadForm,
  type Shape,
} from '../../compiler/syntax/shapes.ts';
import { type FlawKind, tokenize } from '../../compiler/syntax/tokens.ts';
import type { KilnFile, Section } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { type Candidate, fakerCandidates, typeCandidates } from './built-ins.ts';
import { authCandidate, candidatesFor, memberCandidates, modelCandidates } from './candidates.ts';
import { fitsBlock, fittingNames } from './fitting.ts';
import { type BlockAround, blockAround, missingAt, SHAPE_HOLE, type Surroundings } from './hole.ts';

export function completionsAt(
  project: Project,
  file: KilnFile,
  position: Position,
  takesSnippets: boolean,
): readonly CompletionItem[] {
  const { section, offset } = file.placeAt(position);
  const word = wordAround(section.text, offset);
  const around = file.isTemplate ? aroundInTemplate(project, section, word) : aroundIn(section.text, word);
  if (!around) return [];
  const { before, after } = around;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  if (isInComment(line) || isForeign(before)) return [];
  const start = file.offsetAt(position) - (offset - word.start);
  const range = { start: file.positionAt(start), end: file.positionAt(start + word.end - word.start) };
  const candidates = isInText(line) ? textCandidates(project, before, after) : candidatesAt(project, before, after);
  return distinct(candidates).map((candidate) => itemOf(candidate, range, takesSnippets));
}

type Word = ReturnType<typeof wordAround>;

function aroundIn(text: string, { start, end }: Word) {
  return { before: text.slice(0, start), after: text.slice(end) };
}

/** An expression of a template is completed as if it were the subject of its mail. Undefined outside of `{{ }}`. */
function aroundInTemplate(project: Project, { id: path, text }: Section, word: Word) {
  const { before, after } = aroundIn(text, word);
  const begun = /\{\{((?!\}\}).)*$/s.exec(before)?.[0].slice(2);
  if (begun === undefined) return undefined;
  const rest = /^((?!\}\}|\{\{).)*(?=\}\})/s.exec(after)?.[0] ?? '';
  for (const { standIn } of project.sections) {
    const mail = standIn?.declarations.find((each) => each.kind === 'mail' && isTemplateOf(each, path));
    const span = mail?.kind === 'mail' ? mail.subject?.span : undefined;
    if (!standIn || !span) continue;
    const mailText = aroundIn(standIn.text, span);
    return { before: `${mailText.before}(${begun}`, after: `${rest})${mailText.after}` };
  }
  return undefined;
}

function candidatesAt(project: Project, before: string, after: string): readonly Candidate[] {
  const faker = fakerCandidates(before);
  if (faker) return faker;
  const expectation = expectedBehind(before);
  // The name of an input is followed by its value.
  const least = expectation.begun?.least ?? (expectation.place === 'run' ? ': null' : '');
  const around = { before, after, quote: '', least } as const;
  const shapes = mayBeShape(expectation) ? namesIn(project, { ...around, hole: SHAPE_HOLE }) : [];
  const block = blockAround(before, after);
  const found = [...shapes, ...(wantsName(expectation) ? namesIn(project, around) : [])];
  const names = fittingNames(found, expectation, block);
  if (expectation.isStep) return names;
  const usual = found.length === 0 ? usualNames(project, expectation) : names;
  return [...usual, ...callerIn(project, expectation), ...wordsFor(expectation, block)];
}

/** The candidates in a text. Some editors do not write the second quote along with the first. */
function textCandidates(project: Project, before: string, after: string): readonly Candidate[] {
  const isClosed = !isInText(`"${after.split('\n', 1)[0]}`);
  return namesIn(project, { before, after: isClosed ? after : `"${after}`, quote: '"', least: '' });
}

function namesIn({ context }: Project, around: Surroundings): readonly Candidate[] {
  const missing = context && missingAt(context, around);
  return missing ? candidatesFor(missing) : [];
}

/** Whether a shape may follow the name of records, as in `author Person`. */
function mayBeShape({ begun }: Expectation): boolean {
  return begun?.next.some(({ kind }) => kind === 'shape') ?? false;
}

/** `entrypoint @auth`, where somebody can be authenticated. */
function callerIn({ context }: Project, { begun }: Expectation): readonly Candidate[] {
  const isAsked = begun?.place === 'api' && begun.next.some(({ kind }) => kind === 'caller');
  return isAsked && context?.authModel ? [authCandidate(context.authModel)] : [];
}

const NAMED: ReadonlySet<Shape['kind']> = new Set(['name', 'path', 'record', 'value']);

function wantsName({ place, begun, value, isStep }: Expectation): boolean {
  if (isStep || value === 'operand') return true;
  const shapes = [
    ...(begun?.next ?? []),
    ...(place ? formsOf(place).flatMap(({ shapes: [first] }) => first ?? []) : []),
  ];
  return shapes.some(({ kind }) => NAMED.has(kind));
}

/** The names for a text that is too short for the compiler to look for one: `relation posts { from` … */
function usualNames({ context }: Project, { begun }: Expectation): readonly Candidate[] {
  if (!context || !begun?.next.some(({ kind }) => NAMED.has(kind))) return [];
  const place = `${begun.place} ${firstPhrases(begun.form.shapes)[0]}`;
  if (place === 'relation from' || place === 'reference to' || place === 'auth model') return modelCandidates(context);
  if (place === 'field type' || place === 'validator_arg type') return typeCandidates(context);
  if (/^auth (login|password|subject)$/.test(place)) return memberCandidates(context.authModel);
  return [];
}

const OPERATORS = ['is', 'is not', 'in', 'not in', 'and', 'or'];

function wordsFor({ place, begun, value }: Expectation, block: BlockAround): readonly Candidate[] {
  const begins = (place ? formsOf(place) : []).flatMap((form) =>
    snippetsOf(form)
      .filter(({ label }) => !place || fitsBlock(form, label, place, block))
      .map(({ label, snippet }) => ({ ...keyword(label), detail: form.noun, doc: `\`${form.example}\``, snippet })),
  );
  const goesOn = (begun?.next ?? []).flatMap((shape) =>
    shape.kind === 'word' && mayGoOn(begun, shape.text, block) ? [keyword(phraseFrom(begun, shape.text))] : [],
  );
  const operators = value === 'operator' ? OPERATORS.map(keyword) : [];
  return [...goesOn, ...begins, ...operators];
}

/** Whether the word may follow: a unique key has no order, and a populator always sets. */
function mayGoOn(begun: Expectation['begun'], word: string, { head }: BlockAround): boolean {
  if (begun?.form.name === 'key_part') return !/\bunique$/.test(head);
  return !(word === 'when' && begun?.place === 'populate');
}

/** `set null` rather than `set`. */
function phraseFrom(begun: Expectation['begun'], word: string): string {
  const choices = begun?.form.shapes.flatMap((shape) => (shape.kind === 'choice' ? shape.choices : [])) ?? [];
  return choices.flatMap((choice) => firstPhrases(choice)).find((phrase) => phrase.startsWith(`${word} `)) ?? word;
}

function keyword(name: string): Candidate {
  return { name, kind: CompletionItemKind.Keyword, rank: 5 };
}

// ── Text around the cursor ──────────────────────────────────────────────────────────────────────────────────────────

export function wordAround(text: string, offset: number): { readonly start: number; readonly end: number } {
  const start = offset - (/@?\w*$/.exec(text.slice(Math.max(0, offset - 200), offset))?.[0].length ?? 0);
  const end = offset + (/^\w*/.exec(text.slice(offset, offset + 200))?.[0].length ?? 0);
  return { start, end };
}

function isInComment(line: string): boolean {
  return line.replace(/"(?:\\.|[^"\\])*"/g, '').includes('//');
}

const FOREIGN: ReadonlySet<FlawKind> = new Set(['unterminated-raw-string', 'unterminated-comment']);

/** Whether the place is within the code of a hook, or a comment over several lines. */
function isForeign(before: string): boolean {
  return /"""|\/\*/.test(before) && tokenize(before).flaws.some(({ kind }) => FOREIGN.has(kind));
}

function isInText(line: string): boolean {
  return (line.replace(/\\./g, '').match(/"/g) ?? []).length % 2 === 1;
}

// ── Items ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const byName = new Map<string, Candidate>();
  for (const candidate of candidates) if (!byName.has(candidate.name)) byName.set(candidate.name, candidate);
  return [...byName.values()];
}

function itemOf(candidate: Candidate, range: Range, takesSnippets: boolean): CompletionItem {
  const { name, kind, detail, doc, insert = name, snippet, rank = 1 } = candidate;
  const usesSnippet = snippet !== undefined && takesSnippets;
  return {
    label: name,
    kind,
    sortText: `${rank}${name}`,
    textEdit: { range, newText: usesSnippet ? snippet : insert },
    ...(usesSnippet ? { insertTextFormat: InsertTextFormat.Snippet } : {}),
    ...(detail ? { detail } : {}),
    ...(doc ? { documentation: { kind: 'markdown' as const, value: doc } } : {}),
  };
}

// ── Form snippets ────────────────────────────────────────────────────────────────────────────────────────────────────

// A form as something to fill in: `field ${1:name} { type ${2:string} }`.

/** Each way in which a form can begin, as one would say it, with the whole of it. */
function snippetsOf(form: ReadForm): readonly { readonly label: string; readonly snippet: string }[] {
  const words = firstWords(form.shapes);
  return firstPhrases(form.shapes).map((label, index) => {
    const [, ...rest] = form.shapes;
    const text = [words[index] ?? label, ...rest.flatMap((shape) => partFrom(shape, form))].join(' ');
    return { label, snippet: withStops(text) };
  });
}

/** The placeholders, between `‹` and `›`, with an example. */
const PARTS: Readonly<Record<Exclude<Shape['kind'], 'word' | 'sign' | 'block' | 'choice'>, string>> = {
  name: '‹name›',
  shape: '‹Name›',
  caller: '@auth',
  path: '‹name›',
  record: '‹name›',
  text: '"‹›"',
  number: '‹1›',
  value: '‹›',
  parameters: '(‹name› of ‹Model›)',
  'value-block': '{ ‹› }',
  'empty-block': '{}',
};

function partFrom(shape: Shape, form: ReadForm): readonly string[] {
  if (isOptional(shape)) return isUsualText(shape) ? [PARTS.text] : [];
  if (shape.kind === 'choice') return choiceFrom(shape.choices, form);
  if (shape.kind === 'block') return [form.block?.replaceAll('…', '‹›').replace('string', '‹string›') ?? '{\n\t$0\n}'];
  return ['text' in shape ? shape.text : PARTS[shape.kind]];
}

/**
 * Whether the text is usually written. Most custom endpoints have a path, which is the one text that may be left out.
 */
function isUsualText(shape: Shape): boolean {
  return shape.kind === 'choice' && shape.choices.some(([first]) => first?.kind === 'text');
}

/** The words to choose from, or else the first alternative. */
function choiceFrom(choices: readonly (readonly Shape[])[], form: ReadForm): readonly string[] {
  const words = choices.map((choice) => choice.map((shape) => ('text' in shape ? shape.text : '')).join(' '));
  if (words.every((word) => word !== '')) return [`‹|${words.join(',')}|›`];
  return (choices[0] ?? []).flatMap((shape) => partFrom(shape, form));
}

function withStops(text: string): string {
  let stops = 0;
  return text.replace(/‹(.*?)›/g, (_, filled: string) => {
    stops++;
    if (filled === '') return `$${stops}`;
    return filled.startsWith('|') ? `\${${stops}${filled}}` : `\${${stops}:${filled}}`;
  });
}
