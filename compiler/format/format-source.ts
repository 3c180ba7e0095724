/**
 * The canonical format. Text and tree come in, the same text in another layout goes out: the tokens stay and keep
 * their order, so the meaning cannot change, and formatting twice gives what formatting once gave.
 */
import type { SyntaxTree } from '../syntax/syntax-node.ts';
import { type Group, type Token, type TokenStream, tokensFromTree } from './tokens-from-tree.ts';

/** Formats a source. Throws if the tree has errors: unreadable text cannot be laid out. */
export function formatSource(text: string, tree: SyntaxTree): string {
  if (tree.hasErrors) throw new Error('only a source without syntax errors can be formatted');
  return new Printer(text, tokensFromTree(text, tree.root)).print();
}

const WIDTH = 100;
const INDENT = '  ';

/** A group that is being printed. */
interface Frame {
  readonly group: Group;
  readonly isBroken: boolean;
  /** The indentation of broken parts inside, and of the closing brace or bracket. */
  readonly indent: number;
  readonly closingIndent: number;
  /** The indentation of a line that a comment forces where the layout has none. */
  readonly continuationIndent: number;
  /** The index of the next one of the group's breaks. */
  nextBreak: number;
  /** The token before which the line breaks next after the group. */
  readonly breakAfter: number;
}

class Printer {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #columns: FlatColumns;
  readonly #out: string[] = [];
  readonly #frames: Frame[];
  #column = 0;
  #lineIndent = 0;
  /** Set if two declarations have no blank line between them in the source, although there should be one. */
  #owesBlankLine = false;

  constructor(text: string, { tokens, file }: TokenStream) {
    this.#text = text;
    this.#tokens = tokens;
    this.#columns = flatColumns(tokens);
    this.#frames = [
      {
        group: file,
        isBroken: true,
        indent: 0,
        closingIndent: 0,
        continuationIndent: 1,
        nextBreak: 0,
        breakAfter: tokens.length,
      },
    ];
  }

  print(): string {
    for (const [index, token] of this.#tokens.entries()) this.#printToken(token, index);
    if (this.#out.length > 0) this.#out.push('\n');
    return this.#out.join('');
  }

  #printToken(token: Token, index: number): void {
    if (index > 0) this.#separate(token, index);
    if (token.comment) this.#write(commentText(token, this.#column));
    else this.#printCode(token, index);
  }

  #printCode(token: Token, index: number): void {
    if (this.#nextBreakOf(this.#frame) === index) this.#frame.nextBreak++;
    for (const group of token.opens) this.#open(group);
    this.#write(token.text);
    while (this.#frame.group.last === index) this.#frames.pop();
    if (this.#isCommaWanted(token)) this.#write(',');
  }

  get #frame(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  #isCommaWanted({ comma }: Token): boolean {
    return comma === 'always' || (comma === 'when-flat' && !this.#frame.isBroken);
  }

  #write(text: string): void {
    this.#out.push(text);
    const lineBreak = text.lastIndexOf('\n');
    this.#column = lineBreak < 0 ? this.#column + text.length : text.length - lineBreak - 1;
  }

  // ── Groups ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #open(group: Group): void {
    const outer = this.#frame;
    const breakAfter = outer.isBroken ? this.#nextBreakOf(outer) : outer.breakAfter;
    const isBroken = !this.#staysOnOneLine(group, breakAfter);
    const indent = this.#indentIn(group, outer);
    const brokenContinuation = group.kind === 'block' ? indent + 1 : indent;
    this.#frames.push({
      group,
      isBroken,
      indent,
      closingIndent: indent - 1,
      continuationIndent: isBroken ? brokenContinuation : outer.continuationIndent,
      nextBreak: 0,
      breakAfter,
    });
  }

  #nextBreakOf(frame: Frame): number {
    return frame.group.breaks[frame.nextBreak] ?? frame.breakAfter;
  }

  #indentIn(group: Group, outer: Frame): number {
    const startsLine = this.#column === this.#lineIndent * INDENT.length;
    const continues = group.kind === outer.group.kind && outer.isBroken;
    if (continues && group.kind === 'chain') return outer.indent + 1;
    // A block belongs to its member, also where a condition before it takes several lines.
    if (continues && group.kind === 'block' && !startsLine) return outer.indent + 1;
    return this.#lineIndent + (this.#isBeforeBlock(group) ? 2 : 1);
  }

  /** The lines of a condition before a block are indented further than the block. */
  #isBeforeBlock({ kind, last }: Group): boolean {
    return kind === 'chain' && this.#tokens[last + 1]?.text === '{';
  }

  #staysOnOneLine(group: Group, breakAfter: number): boolean {
    if (group.kind === 'block') {
      if (group.last === group.first + 1) return true;
      if (this.#wasBroken(group)) return false;
    }
    return this.#fits(group, breakAfter);
  }

  /** A block keeps its lines where the author gave it several, and where a comment needs them. */
  #wasBroken({ first, last }: Group): boolean {
    const hasComment = this.#tokens.slice(first, last).some(({ comment }) => comment);
    return hasComment || this.#tokens[first]?.line !== this.#tokens[last]?.endLine;
  }

  /** Measures as if nothing in the group were broken, so that a second run measures the same. */
  #fits(group: Group, breakAfter: number): boolean {
    const lastOnLine = this.#isBeforeBlock(group) ? group.last + 1 : Math.max(group.last, this.#codeBefore(breakAfter));
    const width = (this.#columns.ends[lastOnLine] as number) - (this.#columns.starts[group.first] as number);
    return this.#column + width <= WIDTH;
  }

  // ── Between two tokens ────────────────────────────────────────────────────────────────────────────────────────────

  #separate(token: Token, index: number): void {
    const before = this.#tokens[index - 1] as Token;
    const frame = this.#frame;
    if (!frame.isBroken || this.#nextBreakOf(frame) !== this.#codeFrom(index)) this.#separateWithin(before, token);
    else if (frame.group.kind === 'block') this.#separateMembers(before, token, index);
    else if (token.comment) this.#separateWithin(before, token);
    else this.#breakLine(isClosing(frame, index) ? frame.closingIndent : frame.indent);
  }

  /** Separates tokens inside a member, where only comments keep their lines. */
  #separateWithin(before: Token, token: Token): void {
    const keepsLine = (before.comment || token.comment) && isOnLaterLine(before, token);
    if (keepsLine || before.comment === 'line') this.#breakLine(this.#frame.continuationIndent);
    else this.#write(flatGap(before, token));
  }

  #separateMembers(before: Token, token: Token, index: number): void {
    const { group, indent, closingIndent } = this.#frame;
    const closes = isClosing(this.#frame, index);
    if (!before.comment && group.first < 0) this.#owesBlankLine = this.#lacksBlankLine(index);
    if (!this.#startsLine(before, token, index)) {
      this.#write(' ');
      return;
    }
    const keepsBlank = index - 1 !== group.first && !closes && hasBlankLine(this.#text, before, token);
    if (keepsBlank || this.#owesBlankLine) this.#out.push('\n');
    this.#owesBlankLine = false;
    this.#breakLine(closes ? closingIndent : indent);
  }

  #breakLine(indent: number): void {
    this.#out.push('\n', INDENT.repeat(indent));
    this.#lineIndent = indent;
    this.#column = indent * INDENT.length;
  }

  #startsLine(before: Token, token: Token, index: number): boolean {
    if (before.comment === 'line' || isOnLaterLine(before, token)) return true;
    if (before.comment && hasComma(this.#text, before, token)) return true;
    if (!token.comment) return !before.comment || index === this.#frame.group.last;
    if (before.comment) return false;
    return !this.#isTrailing(index);
  }

  /** Whether the comments from here on end the line of the code before them, rather than precede what follows. */
  #isTrailing(index: number): boolean {
    const { first, last } = this.#frame.group;
    const code = this.#codeFrom(index);
    for (let at = index; at < code; at++) {
      const comment = this.#tokens[at] as Token;
      const next = this.#tokens[at + 1];
      if (comment.comment === 'line') return true;
      if (next && (isOnLaterLine(comment, next) || hasComma(this.#text, comment, next))) return true;
    }
    return code === last && index - 1 !== first;
  }

  // ── Between two declarations ──────────────────────────────────────────────────────────────────────────────────────

  /** `index` is the first token after a declaration. */
  #lacksBlankLine(index: number): boolean {
    const { group, nextBreak } = this.#frame;
    const code = this.#codeFrom(index);
    if (code === this.#tokens.length) return false;
    if (group.members[nextBreak - 1] === 'drop_model' && group.members[nextBreak] === 'drop_model') return false;
    for (let at = index; at <= code; at++)
      if (hasBlankLine(this.#text, this.#tokens[at - 1] as Token, this.#tokens[at] as Token)) return false;
    return true;
  }

  /** The index of the first code at an index or behind it; the number of tokens where there is none. */
  #codeFrom(index: number): number {
    let at = index;
    while (this.#tokens[at]?.comment) at++;
    return at;
  }

  /** The index of the last code before an index. */
  #codeBefore(index: number): number {
    let at = index - 1;
    while (this.#tokens[at]?.comment) at--;
    return at;
  }
}

/** The last token of a block or a list is its closing sign; the last of a chain belongs to an operand. */
function isClosing({ group }: Frame, index: number): boolean {
  return index === group.last && group.kind !== 'chain';
}

function isOnLaterLine(before: Token, token: Token): boolean {
  return token.line > before.endLine;
}

/** A comment before a comma is about what the comma ends. */
function hasComma(text: string, before: Token, token: Token): boolean {
  return text.slice(before.end, token.start).includes(',');
}

function hasBlankLine(text: string, before: Token, token: Token): boolean {
  return token.line > before.endLine + 1 && /\n\s*\n/.test(text.slice(before.end, token.start));
}

/** The text of a comment. If its lines begin with stars, the stars are aligned; any other is left as it is. */
function commentText(token: Token, column: number): string {
  const lines = token.text.split('\n').map((line) => line.trimEnd());
  const [first, ...rest] = lines;
  if (!rest.every((line) => line.trimStart().startsWith('*'))) return lines.join('\n');
  return [first, ...rest.map((line) => `${' '.repeat(column + 1)}${line.trimStart()}`)].join('\n');
}

// ── Spacing ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The space between two neighbours on one line. */
function flatGap(before: Token, token: Token): '' | ' ' {
  if (before.text === '{' && token.text === '}') return '';
  if (token.comment) return before.text === '(' || before.text === '[' ? '' : ' ';
  return before.gluesRight || token.gluesLeft ? '' : ' ';
}

/**
 * The columns at which each token would begin and end if everything were on one line, so that any range is measured at
 * once.
 */
interface FlatColumns {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

function flatColumns(tokens: readonly Token[]): FlatColumns {
  const starts: number[] = [];
  const ends: number[] = [];
  let column = 0;
  let before: Token | undefined;
  for (const token of tokens) {
    if (before) column += flatGap(before, token).length + (before.comma === 'never' ? 0 : 1);
    starts.push(column);
    column += flatWidth(token);
    ends.push(column);
    before = token;
  }
  return { starts, ends };
}

/** A comment to the end of the line never pushes code over the edge, and of a text over several lines the first counts. */
function flatWidth(token: Token): number {
  if (token.comment === 'line') return 0;
  const lineBreak = token.text.indexOf('\n');
  return lineBreak < 0 ? token.text.length : lineBreak;
}
