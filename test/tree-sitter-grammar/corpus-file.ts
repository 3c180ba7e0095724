/** Reads and writes tree-sitter's corpus format: a title between two rules, a source, a dashed line, a tree. */
export interface CorpusCase {
  readonly title: string;
  readonly source: string;
  readonly tree: string;
}

const RULE = '='.repeat(80);
const DASHES = '-'.repeat(80);
const HEADING = /^={3,}\n(.+)\n={3,}\n/m;
const DIVIDER = /^-{3,}\n/m;

export function corpusCases(text: string): CorpusCase[] {
  const [, ...parts] = text.split(HEADING);
  return parts.flatMap((title, index) => (index % 2 === 0 ? [corpusCase(title, parts[index + 1] ?? '')] : []));
}

function corpusCase(title: string, body: string): CorpusCase {
  const [source = '', tree = ''] = body.split(DIVIDER);
  return { title, source: source.replace(/^\n|\n+$/g, ''), tree: tree.trim() };
}

export function corpusText(cases: readonly CorpusCase[]): string {
  return cases.map(caseText).join('\n');
}

function caseText({ title, source, tree }: CorpusCase): string {
  return `${RULE}\n${title}\n${RULE}\n\n${source}\n\n${DASHES}\n\n${tree}\n`;
}
