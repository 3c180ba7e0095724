import type { Unfitting } from '../diagnostics/catalogue/syntax.ts';
import type { Reading } from './reading.ts';
import type { ReadForm, Shape } from './shapes.ts';

/** A form that is being read, and where its first word is. */
export interface Run {
  readonly form: ReadForm;
  readonly first: number;
}

export interface Step extends Run {
  /** What is to come, with all its alternatives. */
  readonly rest: readonly Shape[];
  /** What comes after the shape that is looked for now. */
  readonly after: readonly Shape[];
}

/**
 * Whether a form can go on: `again` where a mistake was mended, `without-brace` where its block follows without a `{`,
 * and `lost` where the rest of it makes no sense.
 */
export type Outcome = 'done' | 'again' | 'without-brace' | 'lost';

/** A form that several words can begin, with an example that begins as the author did: `update endpoint {}`. */
export function asBegun(reading: Reading, form: ReadForm): ReadForm {
  const word = reading.wordAt(reading.at);
  if (!word || !form.exampleOfOther || form.example.startsWith(`${word} `)) return form;
  return { ...form, example: form.exampleOfOther.replace('…', word) };
}

/** Such as “the field `name`” or “the `list endpoint`”. */
export function titleOf(reading: Reading, { form, first }: Run): string {
  const isNamed = form.shapes[0]?.kind === 'word' && isName(form.shapes[1]);
  if (isNamed && first + 1 < reading.at) {
    return `the ${form.noun.replace(/^an? /, '')} \`${reading.tokenAt(first + 1).text}\``;
  }
  return `the \`${reading.textFrom(reading.tokenAt(first), reading.tokenAt(reading.at - 1))}\``;
}

/** A name, or something else that may stand in its place. */
function isName(shape: Shape | undefined): boolean {
  if (shape?.kind === 'choice')
    return shape.choices.every(([first]) => first?.kind === 'name' || first?.kind === 'caller');
  return shape?.kind === 'name';
}

/** What stands here instead of the next part of a form, or that nothing does. */
export function unfittingAt(reading: Reading, { form, first }: Run, isMissing: boolean): Unfitting {
  const after = reading.textFrom(reading.tokenAt(first), reading.tokenAt(reading.at - 1));
  return { after, found: isMissing ? undefined : reading.textFrom(reading.token), form };
}
