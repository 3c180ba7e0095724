import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { SourceFile, Span } from '../source/source-file.ts';
import { isUnknownAtWord, meantByAtWord, RESERVED } from '../syntax/reserved-words.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type { Flag, Name, Text, WholeNumber } from './nodes.ts';

/** A node with the doc comment above it. */
export interface DocumentedNode {
  readonly node: SyntaxNode;
  readonly doc: string | null;
  readonly docComments: readonly SyntaxNode[];
}

/** Reads properties by their rules. Their values contain nodes with properties, so every reader has it. */
type PropertiesFrom = (reader: Reader, written: ReadonlyMap<string, SyntaxNode>) => object;

/** Reads names, texts and properties out of one file's syntax tree. */
export class Reader {
  readonly report: Diagnostics['report'];
  readonly #source: SourceFile;
  readonly #propertiesFrom: PropertiesFrom;

  constructor(source: SourceFile, diagnostics: Diagnostics, propertiesFrom: PropertiesFrom) {
    this.#source = source;
    this.#propertiesFrom = propertiesFrom;
    this.report = diagnostics.report.bind(diagnostics);
  }

  span(node: SyntaxNode): Span {
    return { file: this.#source.path, start: node.start, end: node.end };
  }

  flag(node: SyntaxNode): Flag {
    const { text, path: file } = this.#source;
    let behind = node.end;
    while (text[behind] === ' ') behind++;
    return { file, start: node.start, end: node.end, withComma: text[behind] === ',' ? behind + 1 : node.end };
  }

  /** The span from the start of `node` to the end of the words before its body: a caret should underline it. */
  head(node: SyntaxNode): Span {
    const body = this.optional(node, 'body');
    const end = body ? this.#trimmedEnd(node.start, body.start) : node.end;
    return { file: this.#source.path, start: node.start, end };
  }

  /** The first word of `node`. */
  firstWord(node: SyntaxNode): Span {
    const word = /^\w+/.exec(this.#source.text.slice(node.start, node.start + 64));
    return { file: this.#source.path, start: node.start, end: node.start + (word?.[0].length ?? 1) };
  }

  words(node: SyntaxNode): string {
    return this.#source.text.slice(node.start, node.end);
  }

  /** Reads a name. The grammar takes any word as a name; some are reserved. */
  name(node: SyntaxNode): Name {
    const text = this.words(node);
    const span = this.span(node);
    if (RESERVED.has(text)) this.report('reserved-word', span, { word: text });
    // Records are JavaScript objects in the server, and an object stores nothing under this name.
    if (text === '__proto__') this.report('bad-name', span, { name: text, better: 'proto', span });
    return { text, span };
  }

  /** The name of a member of an object, which may also be a text. */
  key(node: SyntaxNode): Name {
    if (node.type === 'identifier') return this.name(node);
    const { value: text, span } = this.text(node);
    if (text === '__proto__') this.report('bad-name', span, { name: text, better: '"proto"', span });
    return { text, span };
  }

  /** The child under `field`. The grammar promises it: trees with errors never get here. */
  child(node: SyntaxNode, field: string): SyntaxNode {
    const child = this.optional(node, field);
    if (!child) throw new Error(`grammar: \`${node.type}\` without \`${field}\``);
    return child;
  }

  optional(node: SyntaxNode, field: string): SyntaxNode | undefined {
    return node.children.find((child) => child.field === field);
  }

  ofType(node: SyntaxNode, type: string): SyntaxNode | undefined {
    return node.children.find((child) => child.type === type);
  }

  childName(node: SyntaxNode, field = 'name'): Name {
    return this.name(this.child(node, field));
  }

  /** Reads the name, the doc comment and the span. */
  named({ node, doc }: DocumentedNode): { readonly name: Name; readonly doc: string | null; readonly span: Span } {
    return { name: this.childName(node), doc, span: this.span(node) };
  }

  /** The name in a child rule, such as the `old` of `was old`. */
  nameWithin(node: SyntaxNode, type: string): Name | undefined {
    const child = this.ofType(node, type);
    return child && this.childName(child);
  }

  checkAtWord(node: SyntaxNode): void {
    const word = this.words(node);
    const span = this.span(node);
    if (isUnknownAtWord(word)) this.report('unknown-at-word', span, { word, near: meantByAtWord(word), span });
  }

  text(node: SyntaxNode): Text {
    if (this.words(node) === '""') this.#checkEmptyText(node);
    return { value: this.#textValue(node), span: this.span(node) };
  }

  childText(node: SyntaxNode, field = 'value'): Text {
    return this.text(this.child(node, field));
  }

  number(node: SyntaxNode): number {
    this.#checkEndOfNumber(node);
    return Number(this.words(node));
  }

  wholeNumber(node: SyntaxNode): WholeNumber {
    const value = this.number(node);
    const span = this.span(node);
    if (!Number.isSafeInteger(value)) this.report('integer-too-large', span, { text: this.words(node) });
    return { value, span };
  }

  /** The children without comments. A doc comment among them describes nothing, which is reported. */
  contents(node: SyntaxNode): readonly SyntaxNode[] {
    for (const child of node.children) if (child.type === 'doc_comment') this.#reportMisplaced(child);
    return node.children.filter((child) => !isComment(child));
  }

  /** The members of a block, each with its doc comment. */
  documented(node: SyntaxNode): readonly DocumentedNode[] {
    const members: DocumentedNode[] = [];
    let above: SyntaxNode[] = [];
    for (const child of node.children) {
      if (child.type === 'doc_comment') {
        if (this.#isBehind(child, members.at(-1)?.node)) this.report('doc-comment-behind', this.span(child), {});
        above.push(child);
      } else if (child.type !== 'comment') {
        members.push({ node: child, doc: this.#docText(above), docComments: above });
        above = [];
      }
    }
    for (const comment of above) this.#reportMisplaced(comment);
    return members;
  }

  /**
   * Tells whether a doc comment is on the same line as the member before it, so that it seems to describe that member.
   */
  #isBehind(comment: SyntaxNode, member: SyntaxNode | undefined): boolean {
    return member !== undefined && !this.#source.text.slice(member.end, comment.start).includes('\n');
  }

  propertiesFrom(written: ReadonlyMap<string, SyntaxNode>): object {
    return this.#propertiesFrom(this, written);
  }

  /** The properties of a block by their rule, each at most once. A flag is a property of its own name. */
  properties(nodes: readonly SyntaxNode[], keyOf = this.#formOf) {
    const found = new Map<string, SyntaxNode>();
    for (const node of nodes) {
      const key = keyOf(node);
      const first = found.get(key);
      if (first) this.#reportTwice(node, first);
      else found.set(key, node);
    }
    return found;
  }

  #formOf = (node: SyntaxNode): string => (node.type === 'flag' ? this.words(node) : node.type);

  /** Reports doc comments above something that has no description: nothing would show them. */
  reportMisplacedDoc({ docComments }: Pick<DocumentedNode, 'docComments'>): void {
    for (const comment of docComments) this.#reportMisplaced(comment);
  }

  #reportTwice(node: SyntaxNode, first: SyntaxNode): void {
    const before = this.#propertyName(first);
    const facts = { property: this.#propertyName(node), before, first: this.span(first) };
    this.report('duplicate-property', this.span(node), facts);
  }

  #propertyName(node: SyntaxNode): string {
    if (node.type === 'order_by' || node.type === 'group_by') return `${node.type.slice(0, 5)} by`;
    return this.words(node).split(/[\s{]/, 1)[0] as string;
  }

  #reportMisplaced(comment: SyntaxNode): void {
    this.report('misplaced-doc-comment', this.span(comment), {});
  }

  #docText(comments: readonly SyntaxNode[]): string | null {
    if (comments.length === 0) return null;
    return comments
      .map((comment) =>
        this.words(comment)
          .replace(/^\/\/\/ ?/, '')
          .trimEnd(),
      )
      .join('\n');
  }

  /** The grammar takes `10first` for a number and a word. */
  #checkEndOfNumber({ start, end }: SyntaxNode): void {
    const { path, text } = this.#source;
    WORD.lastIndex = end;
    if (!WORD.test(text)) return;
    const span = { file: path, start, end: WORD.lastIndex };
    this.report('bad-number', span, { number: text.slice(start, span.end), span });
  }

  /** The grammar takes a `"""` that is never closed for an empty text and the beginning of another one. */
  #checkEmptyText({ start, end }: SyntaxNode): void {
    const { path, text } = this.#source;
    if (text[end] === '"') this.report('unterminated-raw-string', { file: path, start, end: end + 1 }, {});
  }

  #trimmedEnd(start: number, end: number): number {
    return start + this.#source.text.slice(start, end).trimEnd().length;
  }

  #textValue(node: SyntaxNode): string {
    const words = this.words(node);
    if (node.type === 'raw_string') return words.slice(3, -3).replaceAll('\r\n', '\n');
    return words.slice(1, -1).replace(ESCAPE, (written, offset: number) => this.#escaped(node, written, offset));
  }

  #escaped(node: SyntaxNode, written: string, offset: number): string {
    if (JSON_ESCAPE.test(written)) return JSON.parse(`"${written}"`);
    const start = node.start + 1 + offset;
    this.report('bad-escape', { file: this.#source.path, start, end: start + written.length }, { escape: written });
    return written;
  }
}

const WORD = /[A-Za-z_]\w*/y;

const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|.)/gsu;
const JSON_ESCAPE = /^\\(?:u....|["\\/bfnrt])$/;

function isComment(node: SyntaxNode): boolean {
  return node.type === 'comment' || node.type === 'doc_comment';
}
