/** Tokens of Kiln sources with the colours that the query of the tree-sitter grammar gives them. */
import { readFileSync } from 'node:fs';
import Parser from 'web-tree-sitter';

const grammarFolder = new URL('../../tree-sitter-grammar/', import.meta.url);

await Parser.init();
export const LANGUAGE = await Parser.Language.load(readFileSync(new URL('tree-sitter-kiln.wasm', grammarFolder)));
const parser = new Parser();
parser.setLanguage(LANGUAGE);

const highlights = LANGUAGE.query(readFileSync(new URL('queries/highlights.scm', grammarFolder), 'utf8'));

export interface Highlight {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly capture: string;
}

export function rootOf(source: string): Parser.SyntaxNode {
  return parser.parse(source).rootNode;
}

/** Of several captures of one token the last pattern's counts. */
export function highlightsOf(source: string): readonly Highlight[] {
  const matches = highlights.matches(rootOf(source)).toSorted((one, other) => one.pattern - other.pattern);
  const captures = matches.flatMap((match) => match.captures);
  const byPlace = new Map(captures.map(({ name, node }) => [node.startIndex, highlight(name, node)]));
  return [...byPlace.values()];
}

function highlight(capture: string, node: Parser.SyntaxNode): Highlight {
  return { start: node.startIndex, end: node.endIndex, text: node.text, capture };
}
