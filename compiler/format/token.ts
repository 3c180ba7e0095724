/** A word, a literal, a sign or a comment of the source, in the spelling that is printed. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The source's lines on which it begins and ends. */
  readonly line: number;
  readonly endLine: number;
  readonly comment: 'line' | 'block' | undefined;
  /** No space before, or after, on the same line. */
  readonly gluesLeft: boolean;
  readonly gluesRight: boolean;
  /** The groups that begin here, outermost first. */
  readonly opens: readonly Group[];
  /** Whether a comma follows, set once the next member is known. Commas between members are no tokens. */
  comma: 'never' | 'when-flat' | 'always';
}

/**
 * Tokens that are printed on one line, or else broken at fixed places: a block in braces before each member, a chain of
 * `and`s or `or`s before each operator, a list before each element.
 */
export interface Group {
  readonly kind: 'block' | 'chain' | 'list';
  /** Indexes of the first and the last token; braces and brackets count. The file itself is a block that has none. */
  first: number;
  last: number;
  /** Indexes of the tokens before which it breaks, a closing brace or bracket among them. */
  readonly breaks: number[];
  /** The types of a block's members. */
  readonly members: string[];
}

export function newGroup(kind: Group['kind'], first: number): Group {
  return { kind, first, last: -1, breaks: [], members: [] };
}
