/** What a keyword begins: its form, what it is for, an example, and what its block may hold. */
import { type Form, formNamed, type PlaceName } from '../../compiler/syntax/forms.ts';
import { LEAF_TYPES } from '../../compiler/syntax/kept-types.ts';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import { wordsFor } from '../../compiler/syntax/shapes.ts';
import type { SyntaxNode } from '../../compiler/syntax/syntax-node.ts';
import { fenced } from './built-ins.ts';
import { wordAround } from './completion.ts';
import { WORD_TEXTS, type WordText } from './word-texts.ts';

interface KeywordHover {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function keywordHoverAt(text: string, offset: number): KeywordHover | undefined {
  const { start, end } = wordAround(text, offset);
  // Between a keyword and its form there is one rule at most, such as the `direction` of an `order_item`.
  const around = nodesAround(parseText(text).root, start, end).slice(0, 2);
  const innermost = around[0]?.type ?? '';
  if (start === end) return undefined;
  if (Object.hasOwn(WORD_TEXTS, innermost)) return { start, end, text: textOfWord(WORD_TEXTS[innermost] as WordText) };
  if (LEAF_TYPES.has(innermost)) return undefined;
  const word = text.slice(start, end);
  const form = around.map(({ type }) => formNamed(type) ?? formNamed(`${type} ${word}`)).find(Boolean);
  return form && { start, end, text: textOf(form) };
}

/** The innermost first. */
function nodesAround(root: SyntaxNode, start: number, end: number): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let node: SyntaxNode | undefined = root; node; ) {
    found.unshift(node);
    node = node.children.find((child) => child.start <= start && end <= child.end);
  }
  return found;
}

function textOf({ shape, example, means, shown = example }: Form): string {
  const place = /\{ ([a-z_]+) \}/.exec(shape)?.[1] as PlaceName | undefined;
  const words = [...new Set(place ? wordsFor(place) : [])].map((word) => `\`${word}\``);
  const holds = words.length > 0 ? [`Its block may hold ${words.join(', ')}.`] : [];
  const written = fenced(shape.replace(/\{ [a-z_]+ \}/g, '{ … }'));
  return [written, textOfWord({ means, example: shown }), ...holds].join('\n\n');
}

function textOfWord({ means, example }: WordText): string {
  return [means, 'Example:', fenced(example)].join('\n\n');
}
