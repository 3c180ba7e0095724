/** A form as something to fill in: `field ${1:name} { type ${2:string} }`. */
import { firstPhrases, firstWords, isOptional, type ReadForm, type Shape } from '../../compiler/syntax/shapes.ts';

/** Each way in which a form can begin, as one would say it, with the whole of it. */
export function snippetsOf(form: ReadForm): readonly { readonly label: string; readonly snippet: string }[] {
  const words = firstWords(form.shapes);
  return firstPhrases(form.shapes).map((label, index) => {
    const [, ...rest] = form.shapes;
    const text = [words[index] ?? label, ...rest.flatMap((shape) => partFrom(shape, form))].join(' ');
    return { label, snippet: withStops(text) };
  });
}

/** What is to be filled in stands between `‹` and `›`, with what could stand there. */
const PARTS: Readonly<Record<Exclude<Shape['kind'], 'word' | 'sign' | 'block' | 'choice'>, string>> = {
  name: '‹name›',
  shape: '‹Name›',
  caller: '@auth',
  path: '‹name›',
  record: '‹name›',
  text: '"‹›"',
  number: '‹1›',
  value: '‹›',
  'value-block': '{ ‹› }',
  'empty-block': '{}',
};

function partFrom(shape: Shape, form: ReadForm): readonly string[] {
  if (isOptional(shape)) return isUsualText(shape) ? [PARTS.text] : [];
  if (shape.kind === 'choice') return choiceFrom(shape.choices, form);
  if (shape.kind === 'block') return [form.block?.replaceAll('…', '‹›').replace('string', '‹string›') ?? '{\n\t$0\n}'];
  return ['text' in shape ? shape.text : PARTS[shape.kind]];
}

/** Most custom endpoints have a path, which is the one text that may be left out. */
function isUsualText(shape: Shape): boolean {
  return shape.kind === 'choice' && shape.choices.some(([first]) => first?.kind === 'text');
}

/** Words to choose from, or else the first alternative. */
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
