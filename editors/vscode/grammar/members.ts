/**
 * The members of a body, by the forms of the language. A shape such as `limit INTEGER` says which colours it has. One with a
 * name does not, for the colour of a name depends on what it stands for: such members are written out where the body is.
 */
import type { FormName, PlaceName } from '../../../compiler/syntax/forms.ts';
import { formsOf, type ReadForm, type Shape } from '../../../compiler/syntax/shapes.ts';
import { expressionAfter } from './expressions.ts';
import { block, GAP, include, keyword, keywords, modifiers, NAME, type Rule, scoped, statement, word } from './rule.ts';

/** Members that are written out, by their form. */
export type Written = Readonly<Partial<Record<FormName, readonly Rule[]>>>;

/** Places whose body stands in the repository of the grammar; the others stand where they are used. */
const SHARED_BODIES: ReadonlySet<PlaceName> = new Set([
  ...(['field', 'hook', 'selection', 'action', 'write', 'endpoint', 'entrypoint'] as const),
  ...(['query_action', 'execute_action', 'respond_action', 'http_headers'] as const),
]);

export const expressionBody = include('expression-body');

/** Words that no pattern knows are taken whole, or the end of one could be taken for a keyword. */
export const unknownWord: Rule = { match: NAME };

export function membersOf(place: PlaceName, written: Written = {}): readonly Rule[] {
  return formsOf(place).flatMap((form) => written[form.name] ?? memberFrom(form));
}

export function bodyOf(place: PlaceName, written: Written = {}): Rule {
  return block(...membersOf(place, written), unknownWord);
}

/** A keyword and a path or a value. */
export function expressionAfterWord(keyword: string, ...patterns: readonly Rule[]): Rule {
  return expressionAfter(`(${word(keyword)})`, scoped('keyword.other'), ...patterns);
}

function memberFrom(form: ReadForm): readonly Rule[] {
  const { heads, rest } = headsOf(form.shapes);
  const [value, ...others] = rest;
  const isPlain = heads.length > 0 && others.length === 0;
  if (!isPlain) throw new Error(`colours: \`${form.shape}\` has to be written out`);
  if (!value) return [form.name.includes(' ') ? modifiers(...heads.flat()) : keywords(...heads.flat())];
  const keywordsBefore = heads.map((words) => keyword(...words));
  switch (value.kind) {
    case 'value':
    case 'path':
      return [expressionAfter(`(${keywordsBefore.map(([pattern]) => pattern).join(GAP)})`, scoped('keyword.other'))];
    case 'value-block':
      return [statement(keywordsBefore, expressionBody)];
    case 'block':
      return [statement(keywordsBefore, bodyFor(value.place))];
    case 'number':
      return [keywords(...heads.flat()), include('numbers')];
    case 'text':
      return [keywords(...heads.flat()), include('strings')];
    case 'choice':
      return choiceAfter(keywordsBefore, heads, value.choices);
    default:
      throw new Error(`colours: \`${form.shape}\` has to be written out`);
  }
}

/** Behind keywords: a block that may be left out, or one of several words. */
function choiceAfter(
  keywordsBefore: readonly (readonly [string, string])[],
  heads: readonly (readonly string[])[],
  choices: readonly (readonly Shape[])[],
): readonly Rule[] {
  const [only] = choices[0] ?? [];
  if (only?.kind === 'block') return [statement(keywordsBefore, bodyFor(only.place))];
  return [keywords(...heads.flat()), modifiers(...choices.flat().map(textOf))];
}

function bodyFor(place: PlaceName): Rule {
  return SHARED_BODIES.has(place) ? include(`${place}-body`) : bodyOf(place);
}

/** The keywords with which a form begins, each with its alternatives, and what comes behind them. */
function headsOf(shapes: readonly Shape[]): {
  readonly heads: readonly (readonly string[])[];
  readonly rest: readonly Shape[];
} {
  const [first, ...rest] = shapes;
  const isFork = first?.kind === 'choice' && first.choices.every(isWord);
  if (isFork) return { heads: [first.choices.flat().map(textOf)], rest };
  const end = shapes.findIndex((shape) => shape.kind !== 'word');
  const words = end < 0 ? shapes : shapes.slice(0, end);
  return { heads: words.map((shape) => [textOf(shape)]), rest: shapes.slice(words.length) };
}

function isWord(shapes: readonly Shape[]): boolean {
  return shapes.length === 1 && shapes[0]?.kind === 'word';
}

function textOf(shape: Shape): string {
  if (shape.kind !== 'word') throw new Error(`colours: a ${shape.kind} among words`);
  return shape.text;
}
