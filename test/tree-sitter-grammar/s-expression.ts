/** The S-expressions in which tree-sitter shows a tree, one node to a line. */
const TOKEN = /\(|\)|'(?:\\.|[\s\S])'|"(?:\\.|[^"\\])*"|[^\s()'"]+/g;

export function prettySExpression(text: string): string {
  let pretty = '';
  let depth = 0;
  let follows: '' | 'open' | 'field' = '';
  for (const token of text.match(TOKEN) ?? []) {
    const startsLine = (token === '(' && follows !== 'field') || token.endsWith(':');
    if (startsLine && pretty) pretty += `\n${'  '.repeat(depth)}`;
    else if (token !== ')' && token !== '(' && follows !== 'open') pretty += ' ';
    pretty += token.endsWith(':') ? `${token} ` : token;
    if (token === '(') depth++;
    if (token === ')') depth--;
    follows = token === '(' ? 'open' : token.endsWith(':') ? 'field' : '';
  }
  return pretty;
}

/** The names of the nodes in an S-expression, without tree-sitter's own words for broken text. */
export function nodeTypesIn(sExpression: string): string[] {
  const types = [...sExpression.matchAll(/\((\w+)/g)].map(([, type]) => type as string);
  return types.filter((type) => type !== 'MISSING' && type !== 'UNEXPECTED' && type !== 'ERROR');
}
