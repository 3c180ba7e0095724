/** The types of what properties.ts reads, from the shapes of the grammar. */
import type { Span } from '../source/source-file.ts';
import type { FormName, PlaceName } from '../syntax/forms.ts';
import type { PLACES, SHAPES } from '../syntax/grammar-forms.ts';

/** The properties of a place; `Values` has the type of what may stand behind their keywords. */
export type PropertiesBy<Place extends PlaceName, Values> = {
  readonly [Form in (typeof PLACES)[Place][number] as PropertyOf<Form, Values>[0]]?:
    | PropertyOf<Form, Values>[1]
    | undefined;
};

/** The name of a property and the type of its value. A rule that is a choice of words is one property, but for flags. */
type PropertyOf<Form extends FormName, Values> = Form extends `flag ${infer Flag}`
  ? [Flag, '' extends keyof Values ? Values[''] : Span]
  : Form extends `${infer Rule} ${infer Word}`
    ? [Rule, Chosen<Word>]
    : PropertyFrom<(typeof SHAPES)[Form], Values>;

type PropertyFrom<Shape, Values, Keywords extends string = ''> = Shape extends keyof Values
  ? [Keywords, Values[Shape]]
  : Shape extends `(${infer Words})`
    ? Words extends `${string}{${string}`
      ? never
      : [Keywords, Chosen<OneOf<Words>>]
    : Shape extends `${infer Word} ${infer Rest}`
      ? PropertyFrom<Rest, Values, CamelCase<Keywords, Keyword<Word>>>
      : Shape extends string
        ? [CamelCase<Keywords, Keyword<Shape>>, Span]
        : never;

/** A keyword begins with a small letter; placeholders, signs and brackets do not. */
type Keyword<Word extends string> = Word extends `${infer First}${string}`
  ? First extends Uppercase<First>
    ? never
    : Word
  : never;

type CamelCase<Before extends string, Word extends string> = Before extends '' ? Word : `${Before}${Capitalize<Word>}`;

/**
 * One word of several, and the span of the property that it is the value of.
 * @public The types of nodes are inferred, and name it.
 */
export interface Chosen<Words> {
  readonly value: Words;
  readonly span: Span;
}

type OneOf<Words extends string> = Words extends `${infer Word} | ${infer Rest}` ? Word | OneOf<Rest> : Words;
