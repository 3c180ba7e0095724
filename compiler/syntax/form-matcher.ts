import type { SourceFile, Span } from '../source/source-file.ts';
import type { Braces } from './braces.ts';
import type { PlaceName } from './forms.ts';
import { firstShapes, formsOf, isBlock, isOptional, type ReadForm, type Shape } from './shapes.ts';
import { isSign, type Token } from './tokens.ts';

/** Stands at a token, and tells what is there. */
class TokenCursor {
  readonly source: SourceFile;
  readonly braces: Braces;
  at = 0;
  /** Misspelt words, by their index, with the word that was meant. */
  readonly readAs = new Map<number, string>();

  constructor(source: SourceFile, braces: Braces) {
    this.source = source;
    this.braces = braces;
  }

  get token(): Token {
    return this.tokenAt(this.at);
  }

  /** The token at an index. Beyond both ends of the text it is the end of the text. */
  tokenAt(at: number): Token {
    return this.braces.tokens[at] ?? (this.braces.tokens.at(-1) as Token);
  }

  isAt(sign: string, at = this.at): boolean {
    return isSign(this.tokenAt(at), sign);
  }

  /** The last token, and no other, is the end of the text. */
  isAtEnd(): boolean {
    return this.at >= this.braces.tokens.length - 1;
  }

  get isBehindDot(): boolean {
    return this.isAt('.', this.at - 1);
  }

  wordAt(at: number): string | undefined {
    const token = this.tokenAt(at);
    return token.kind === 'word' ? (this.readAs.get(at) ?? token.text) : undefined;
  }

  /** Whether a token directly follows the one before it. */
  touches(at: number): boolean {
    return at > 0 && this.tokenAt(at - 1).end === this.tokenAt(at).start;
  }

  /** Skips one word or sign, or everything in brackets. */
  skip(): void {
    this.at = (this.braces.partner.get(this.at) ?? this.at) + 1;
  }

  /** The author's text on one line, shortened. */
  textFrom(first: Token, last = first): string {
    const text = this.source.text.slice(first.start, Math.min(last.end, first.start + 200)).replace(/\s+/g, ' ');
    return text.length > 40 ? `${text.slice(0, 39)}…` : text;
  }

  spanOf(first: Token, last = first): Span {
    return { file: this.source.path, start: first.start, end: last.end };
  }

  /** The empty span directly behind a token, for an insertion. */
  spanBehind({ end }: Token): Span {
    return { file: this.source.path, start: end, end };
  }
}

/** The extent to which a form fits, looking ahead up to its first block or value. */
interface Reach {
  readonly at: number;
  readonly fits: boolean;
}

/** Tells which forms fit the text, without moving on. */
export abstract class FormMatcher extends TokenCursor {
  /** The place that is being read; undefined within the braces of a value. */
  abstract get place(): PlaceName | undefined;

  /** The form that goes furthest, if any of them begins here. */
  formAt(place: PlaceName, at = this.at): ReadForm | undefined {
    let best: ReadForm | undefined;
    let furthest: Reach = { at, fits: false };
    for (const form of formsOf(place)) {
      const reach = this.reach(form.shapes, at);
      if (reach.at > at && (!best || isBetter(reach, furthest))) {
        best = form;
        furthest = reach;
      }
    }
    return best;
  }

  fitsForm(place: PlaceName, at = this.at): boolean {
    return formsOf(place).some((form) => this.fits(form.shapes, at) && this.reach(form.shapes, at).at > at);
  }

  fits(shapes: readonly Shape[], at = this.at): boolean {
    return this.reach(shapes, at).fits;
  }

  reach(shapes: readonly Shape[], at: number, from = at): Reach {
    const [shape, ...rest] = shapes;
    if (!shape) return { at, fits: at > from || this.mayFollow(at) };
    if (shape.kind === 'choice')
      return shape.choices.map((choice) => this.reach([...choice, ...rest], at, from)).reduce(better);
    const end = this.over(shape, at);
    if (end === undefined) return { at, fits: false };
    return shape.kind === 'value' || isBlock(shape) ? { at: end, fits: true } : this.reach(rest, end, from);
  }

  /** Takes the alternatives at the beginning that fit the most of the text. */
  resolved(shapes: readonly Shape[]): readonly Shape[] {
    const [first, ...rest] = shapes;
    if (first?.kind !== 'choice') return shapes;
    const candidates = first.choices.map((choice) => [...choice, ...rest]);
    const reaches = candidates.map((candidate) => this.reach(candidate, this.at));
    const furthest = reaches.reduce(better);
    const isStuck = !furthest.fits && furthest.at === this.at;
    const equal = candidates.filter((_, index) => isEqual(reaches[index], furthest));
    const chosen =
      equal.find((candidate) => this.#beginsWithWord(candidate)) ??
      equal.find((candidate) => !this.#hasNoMember(candidate)) ??
      equal[0];
    return this.resolved((isStuck ? simplest(candidates) : chosen) ?? rest);
  }

  /**
   * Tells whether a shape begins with this word. A word that may be a keyword or a name is the keyword, such as the
   * `or` of `create or`.
   */
  #beginsWithWord(shapes: readonly Shape[]): boolean {
    const word = this.wordAt(this.at);
    return firstShapes(shapes).some((shape) => shape.kind === 'word' && shape.text === word);
  }

  /**
   * Tells whether the block begins with no member. Then the other block of `validator` is meant, the one without
   * members.
   */
  #hasNoMember([first]: readonly Shape[]): boolean {
    return first?.kind === 'block' && !this.isAt('}', this.at + 1) && !this.formAt(first.place, this.at + 1);
  }

  /** The end of a shape that begins at `at`; only the beginning of a block or a value is checked. */
  over(shape: Exclude<Shape, { kind: 'choice' }>, at: number): number | undefined {
    if (!this.#isShape(shape, at)) return undefined;
    if (shape.kind === 'parameters') return this.#overParameters(at + 1);
    return shape.kind === 'path' || shape.kind === 'record' ? this.#overSteps(at + 1) : at + 1;
  }

  #isShape(shape: Exclude<Shape, { kind: 'choice' }>, at: number): boolean {
    const { kind } = this.tokenAt(at);
    switch (shape.kind) {
      case 'word':
        return this.wordAt(at) === shape.text;
      case 'sign':
        return this.isAt(shape.text, at);
      case 'shape':
        return /^[A-Z]/.test(this.wordAt(at) ?? '');
      case 'record':
        return kind === 'word' || kind === 'at-word';
      case 'value':
        return this.beginsValue(at);
      case 'parameters':
        return this.isAt('(', at);
      case 'block':
      case 'value-block':
      case 'empty-block':
        return this.isAt('{', at);
      default:
        return kind === TOKEN_OF[shape.kind];
    }
  }

  /** `note of Note, user of User)`: behind the last one there may be a comma. */
  #overParameters(at: number): number | undefined {
    const isOne =
      this.tokenAt(at).kind === 'word' && this.wordAt(at + 1) === 'of' && this.tokenAt(at + 2).kind === 'word';
    if (!isOne) return undefined;
    const end = this.isAt(',', at + 3) ? at + 4 : at + 3;
    if (this.isAt(')', end)) return end + 1;
    return end === at + 4 ? this.#overParameters(end) : undefined;
  }

  #overSteps(at: number): number {
    let end = at;
    while (this.isAt('.', end)) end += this.tokenAt(end + 1).kind === 'word' ? 2 : 1;
    return end;
  }

  beginsValue(at = this.at): boolean {
    const { kind, text } = this.tokenAt(at);
    if (kind !== 'sign') return kind !== 'end';
    return text === '(' || text === '[' || text === '-' || text === '!' || this.beginsObject(at);
  }

  /** `{ name:` or `{ "name":`; any other block is none. */
  beginsObject(at = this.at): boolean {
    if (!this.isAt('{', at)) return false;
    const { kind } = this.tokenAt(at + 1);
    return (kind === 'word' || kind === 'text') && this.isAt(':', at + 2);
  }

  /** Whether a member can have ended before this token. */
  mayFollow(at = this.at): boolean {
    const { place } = this;
    if (this.tokenAt(at).kind === 'end' || this.isAt('}', at)) return true;
    if (!place) return false;
    return (place !== 'file' && this.isAt(',', at)) || formsOf(place).some((form) => this.#begins(form, at));
  }

  #begins(form: ReadForm, at: number): boolean {
    return firstShapes(form.shapes).some((shape) => shape.kind !== 'choice' && this.over(shape, at) !== undefined);
  }
}

/** The kind of token that a shape of one token is. */
const TOKEN_OF = { name: 'word', path: 'word', caller: 'at-word', text: 'text', number: 'integer' } as const;

function isBetter(reach: Reach, than: Reach): boolean {
  return reach.fits === than.fits ? reach.at > than.at : reach.fits;
}

function isEqual(reach: Reach | undefined, to: Reach): boolean {
  return reach !== undefined && reach.at === to.at && reach.fits === to.fits;
}

function better(best: Reach, reach: Reach): Reach {
  return isBetter(reach, best) ? reach : best;
}

/** The simplest of several alternatives that do not fit: one that needs nothing more, or just the block. */
function simplest(candidates: readonly (readonly Shape[])[]): readonly Shape[] | undefined {
  return (
    candidates.find((candidate) => candidate.every(isOptional)) ??
    candidates.find((candidate) => firstShapes(candidate).some(isBlock)) ??
    candidates[0]
  );
}
