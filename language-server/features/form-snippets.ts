/** A form as something to fill in: `field ${1:name} { type ${2:string} }`. */
import { firstPhrases, firstWords, isOptional, type ReadForm, type Shape } from '../../compiler/syntax/shapes.ts';

/** Each way in which a form can begin, as one would say it, with the whole of it. */
export function snippetsOf(form: ReadForm): readonly { readonly label: string; readonly snippet: string }[] {
  const words = firstWords(form.shapes);
  return firstPhrases(form.shapes).map((label, index) => ({
    label,
    snippet: new Snippet(form, words[index] ?? label).text(),
  }));
}

class Snippet {
  readonly #form: ReadForm;
  readonly #first: string;
  #stops = 0;
  #parts = 0;

  constructor(form: ReadForm, first: string) {
    this.#form = form;
    this.#first = first;
  }

  text(): string {
    return this.#of(this.#form.shapes).join(' ');
  }

  #of(shapes: readonly Shape[]): readonly string[] {
    return shapes.flatMap((shape) => {
      if (isOptional(shape)) return [];
      const part = this.#part(shape);
      this.#parts++;
      return [part];
    });
  }

  #part(shape: Shape): string {
    switch (shape.kind) {
      case 'word':
      case 'sign':
        return shape.text;
      case 'name':
      case 'path':
      case 'record':
        return this.#stop('name');
      case 'text':
        return `"${this.#stop('')}"`;
      case 'number':
        return this.#stop('1');
      case 'value':
        return this.#stop('');
      case 'value-block':
        return `{ ${this.#stop('')} }`;
      case 'empty-block':
        return '{}';
      case 'block':
        return this.#block();
      case 'choice':
        return this.#choice(shape.choices);
    }
  }

  /** With the least that must be in it, where there is such. */
  #block(): string {
    const least = this.#form.block?.slice(2, -2);
    if (!least) return '{\n\t$0\n}';
    return `{ ${least.replace(/…|string/g, (word) => this.#stop(word === '…' ? '' : word))} }`;
  }

  /** The word that was chosen, where it is the first one; else the words to choose from. */
  #choice(choices: readonly (readonly Shape[])[]): string {
    if (this.#parts === 0) return this.#first;
    const words = choices.map((choice) => choice.map((shape) => ('text' in shape ? shape.text : '')).join(' '));
    if (words.every((word) => word !== '')) return `\${${++this.#stops}|${words.join(',')}|}`;
    return this.#of(choices[0] ?? []).join(' ');
  }

  #stop(placeholder: string): string {
    this.#stops++;
    return placeholder === '' ? `$${this.#stops}` : `\${${this.#stops}:${placeholder}}`;
  }
}
