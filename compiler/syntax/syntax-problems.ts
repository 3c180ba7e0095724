/**
 * Says what is wrong with a file that could not be read, in the author's terms. tree-sitter says whether there is a
 * mistake; this reads the same text once more by the forms of forms.ts, and knows at each place what would have fitted.
 * After a mistake it goes on with the next member, so that each mistake is reported once and none hides another.
 */
import type { Code, Facts } from '../diagnostics/catalogue/catalogue.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { type NearName, nearName } from '../diagnostics/near-name.ts';
import type { Edit } from '../diagnostics/words.ts';
import type { SourceFile, Span } from '../source/source-file.ts';
import {
  FOREIGN_OPERATORS,
  type Form,
  FormMatcher,
  firstPhrases,
  firstShapes,
  firstWords,
  formsOf,
  isBlock,
  JOINING_SIGNS,
  OPERATOR_SIGNS,
  OPERATOR_WORDS,
  type PlaceName,
  places,
  placesOf,
  RESERVED,
  type ReadForm,
  type Shape,
  TYPES,
  whatFits,
} from './forms.ts';
import type { SyntaxNode, SyntaxTree } from './syntax-node.ts';
import {
  type Braces,
  bracesAsWritten,
  bracesByIndentation,
  CLOSER,
  type Flaw,
  isSign,
  OPENER,
  type Token,
  tokenize,
} from './tokens.ts';

/** How deep braces, parentheses and lists may lie in each other. */
const MAX_DEPTH = 500;

/** Reports what is wrong with a file: all its mistakes, or at least the text at which reading came to a halt. */
export function reportSyntaxErrors(source: SourceFile, tree: SyntaxTree, diagnostics: Diagnostics): void {
  if (!tree.hasErrors && !asksForACloserLook(source, tree)) return;
  const problems = syntaxProblems(source);
  reportAll(problems, diagnostics);
  if (tree.hasErrors && problems.length === 0) reportUnreadable(source, tree, diagnostics);
}

/** Finds nothing in a text that the grammar accepts, apart from reserved words as names and boundless nesting. */
export function reportSyntaxProblems(source: SourceFile, diagnostics: Diagnostics): void {
  reportAll(syntaxProblems(source), diagnostics);
}

/** Reports the first place at which tree-sitter could not read on. */
export function reportUnreadable(source: SourceFile, tree: SyntaxTree, diagnostics: Diagnostics): void {
  const node = firstNode(tree, (candidate) => candidate.type === 'ERROR' || candidate.start === candidate.end);
  const start = firstVisible(source.text, (node ?? tree.root).start);
  const end = Math.max((node ?? tree.root).end, start + 1);
  const [found = ''] = source.text.slice(start, Math.min(end, start + 40)).split('\n', 1);
  diagnostics.report('unreadable-text', { file: source.path, start, end: start + found.length }, { found });
}

/** Where something can be seen, from an offset on; at the end of the text, the last thing that can be seen. */
function firstVisible(text: string, offset: number): number {
  const blank = text.slice(offset).search(/\S/);
  return blank < 0 ? Math.max(0, text.trimEnd().length - 1) : offset + blank;
}

function reportAll(problems: readonly Diagnostic[], diagnostics: Diagnostics): void {
  for (const { code, span, facts } of problems) diagnostics.report(code, span, facts);
}

/** Where braces are missing or too many, the indentation may tell better than their number which ones. */
function syntaxProblems(source: SourceFile): readonly Diagnostic[] {
  const { tokens, flaws } = tokenize(source.text);
  const asWritten = bracesAsWritten(tokens);
  const problems = new Recogniser(source, asWritten).problems(flaws);
  const byIndentation = problems.length > 0 ? bracesByIndentation(tokens) : undefined;
  if (!byIndentation) return problems;
  const others = new Recogniser(source, byIndentation).problems(flaws);
  return explains(byIndentation, asWritten) || others.length < problems.length ? others : problems;
}

/** Whether the indentation misses just as many braces as there are too few, and the same for too many. */
function explains({ assumed, needless }: Braces, { unclosed, unopened }: Braces): boolean {
  return assumed.size === unclosed && needless.size === unopened;
}

/** What the grammar lets through although it is a mistake. */
function asksForACloserLook(source: SourceFile, tree: SyntaxTree): boolean {
  const isReserved = ({ start, end }: SyntaxNode) => end - start <= 5 && RESERVED.has(source.text.slice(start, end));
  return !!firstNode(tree, (node, depth) => depth > MAX_DEPTH || (node.type === 'identifier' && isReserved(node)));
}

function firstNode(tree: SyntaxTree, wanted: (node: SyntaxNode, depth: number) => boolean): SyntaxNode | undefined {
  const ahead: { node: SyntaxNode; depth: number }[] = [{ node: tree.root, depth: 0 }];
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { node, depth } = next;
    if (depth > 0 && wanted(node, depth)) return node;
    for (let at = node.children.length - 1; at >= 0; at--) {
      ahead.push({ node: node.children[at] as SyntaxNode, depth: depth + 1 });
    }
  }
  return undefined;
}

// ── The recogniser ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A block that is being read. */
interface Frame {
  /** Nothing where the block holds a value. */
  readonly place: PlaceName | undefined;
  /** Nothing where the author forgot the brace. */
  readonly open: Token | undefined;
  readonly openAt: number;
  readonly title: string;
}

/** A form that is being read, and where its first word is. */
interface Run {
  readonly form: ReadForm;
  readonly first: number;
}

interface Step extends Run {
  /** What is to come, with all its alternatives. */
  readonly rest: readonly Shape[];
  /** What comes after the shape that is looked for now. */
  readonly after: readonly Shape[];
}

/** Whether a form can go on: `again` where a mistake was mended, and `lost` where the rest of it makes no sense. */
type Outcome = 'done' | 'again' | 'lost';

class Recogniser extends FormMatcher {
  readonly #problems: Diagnostic[] = [];
  readonly #reported = new Set<number>();
  readonly #frames: Frame[] = [];
  #depth = 0;
  /** The number of blocks that stay open, while the ones inside them are left for want of a `}`. */
  #leaving: number | undefined;
  /** A token at which nothing is reported, for what is wrong there follows from an earlier mistake. */
  #quietAt = -1;
  /** How many `? :` of other languages wait for their `:`. */
  #asked = 0;

  #unclosed: number;
  #unopened: number;
  readonly #needless: Set<Token>;
  /** Braces that were put in, but are not missing after all. */
  readonly #void = new Set<Token>();
  /** How many missing `}` are explained by a `{` that is too many. */
  #explained = 0;
  #lastClosed: { readonly frame: Frame; readonly closer: number } | undefined;

  /** What has been tried by reading ahead, and whether it fitted. */
  #trials = new Map<string, boolean>();
  #hasMistakes = false;

  constructor(source: SourceFile, braces: Braces) {
    super(source, braces);
    this.#needless = new Set(braces.needless);
    this.#unclosed = braces.unclosed;
    this.#unopened = braces.unopened;
  }

  problems(flaws: readonly Flaw[]): readonly Diagnostic[] {
    for (const flaw of flaws) this.#reportFlaw(flaw);
    while (!this.isAtEnd()) {
      this.#members('file');
      if (this.isAt('}')) this.#needlessBrace();
    }
    return this.#problems;
  }

  protected override get place(): PlaceName | undefined {
    return this.#placeAt(this.#frames.length);
  }

  #placeAt(level: number): PlaceName | undefined {
    return level === 0 ? 'file' : this.#frames[level - 1]?.place;
  }

  // ── Members ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #members(place: PlaceName): void {
    const level = this.#frames.length;
    while (!this.#endsBlock()) {
      const before = this.at;
      const mended = this.readAs.size;
      this.#member(place);
      if (this.#leaving !== undefined && this.#leaving < level) return;
      if (this.#leaving === undefined && place !== 'file' && this.isAt(',')) this.at++;
      this.#leaving = undefined;
      // Nothing may make it stand still, not even a mistake of its own.
      if (this.at === before && this.readAs.size === mended) this.at++;
    }
  }

  #member(place: PlaceName): void {
    const first = this.token;
    const form = this.formAt(place);
    if (!form) this.#misfit(place);
    else if (!this.#follow({ form, first: this.at })) this.#recover(place, first);
  }

  #endsBlock(): boolean {
    for (;;) {
      if (this.#void.has(this.token)) this.at++;
      else if (this.#needless.has(this.token)) this.#needlessBrace();
      else return this.isAt('}') || this.isAtEnd();
    }
  }

  /** Goes to the next member of the block. What stands between is part of a mistake that has been reported. */
  #recover(place: PlaceName, first: Token): void {
    while (this.#leaving === undefined && !this.#endsMember(place, first)) this.skip();
  }

  #endsMember(place: PlaceName, first: Token): boolean {
    const { token } = this;
    if (this.isAtEnd() || this.isAt('}') || (place !== 'file' && this.isAt(','))) return true;
    if (token.kind === 'word' && this.fitsForm(place)) return true;
    return token.startsLine && token.line > first.line && token.indent <= first.indent;
  }

  #passOver(place: PlaceName): void {
    const first = this.token;
    this.skip();
    this.#recover(place, first);
  }

  // ── Forms ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #follow(run: Run): boolean {
    let rest = run.form.shapes;
    while (rest.length > 0) {
      const [shape, ...after] = this.resolved(rest);
      if (!shape) return true;
      const outcome = this.#take(shape, { ...run, rest, after });
      if (outcome === 'lost') return false;
      if (outcome === 'done') rest = after;
    }
    return true;
  }

  #take(shape: Shape, step: Step): Outcome {
    if (shape.kind === 'choice') return 'lost';
    const end = this.over(shape, this.at);
    if (end === undefined) return this.#mistaken(shape, step);
    switch (shape.kind) {
      case 'block':
        return this.#block(shape.place, this.#title(step));
      case 'value-block':
        return this.#valueBlock(this.#title(step));
      case 'empty-block':
        return this.#emptyBlock(step);
      case 'value':
        return this.#value(this.place === 'selection') ? 'done' : 'lost';
      case 'path':
        this.#path();
        return 'done';
      case 'name':
        this.#name(step);
        return 'done';
      default:
        this.at = end;
        return 'done';
    }
  }

  #name(step: Step): void {
    const end = this.#hyphenatedEnd();
    if (end === undefined || this.fits(step.after, this.at + 1)) this.#noteName(this.at++);
    else this.#reportHyphens(end);
  }

  /** The end of a name such as `first-name`, which would be a subtraction elsewhere. */
  #hyphenatedEnd(): number | undefined {
    let end = this.at + 1;
    while (this.isAt('-', end) && this.touches(end) && this.touches(end + 1) && this.wordAt(end + 1)) end += 2;
    return end > this.at + 1 ? end : undefined;
  }

  #reportHyphens(end: number): void {
    const last = this.tokenAt(end - 1);
    const name = this.textFrom(this.token, last);
    const facts = { name, better: name.replaceAll('-', '_'), span: this.spanOf(this.token, last) };
    this.#report('bad-name', facts, this.token, last);
    this.at = end;
  }

  #path(): void {
    this.#noteName(this.at++);
    this.#steps();
  }

  #steps(): void {
    while (this.isAt('.')) {
      const isNamed = this.tokenAt(this.at + 1).kind === 'word';
      if (isNamed) this.#noteName(this.at + 1);
      else this.#missingStep();
      this.at += isNamed ? 2 : 1;
    }
  }

  #missingStep(): void {
    const form = { noun: 'a path', example: 'post.author.name' };
    this.#report('expected-name', { after: '.', found: undefined, form });
    this.#quietAt = this.at + 1;
  }

  #noteName(at: number): void {
    const token = this.tokenAt(at);
    if (RESERVED.has(token.text)) this.#report('reserved-word', { word: token.text }, token);
  }

  // ── Blocks ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #block(place: PlaceName, title: string): Outcome {
    return this.#inside({ place, title }, () => this.#members(place));
  }

  #valueBlock(title: string): Outcome {
    return this.#inside({ place: undefined, title }, ({ open, openAt }) => {
      if (this.isAt('}')) this.#report('empty-block', { title }, open, this.token);
      else if (!this.#value() || !this.#endsValue()) this.#skipToEndOf(openAt);
    });
  }

  #emptyBlock({ form, ...step }: Step): Outcome {
    const title = this.#title({ form, ...step });
    return this.#inside({ place: undefined, title }, ({ openAt }) => {
      if (this.isAt('}') || this.isAtEnd()) return;
      this.#reportUnexpected(`into ${title}`, { label: 'its braces stay empty', help: written(form) });
      this.#skipToEndOf(openAt);
    });
  }

  #inside(block: Pick<Frame, 'place' | 'title'>, read: (frame: Frame) => void): Outcome {
    const frame: Frame = { ...block, open: this.token, openAt: this.at };
    if (this.#depth >= MAX_DEPTH) return this.#tooDeep();
    this.at++;
    return this.#read(frame, read);
  }

  #read(frame: Frame, read: (frame: Frame) => void): Outcome {
    this.#depth++;
    this.#frames.push(frame);
    read(frame);
    const outcome = this.#close(frame);
    this.#frames.pop();
    this.#depth--;
    return outcome;
  }

  #close(frame: Frame): Outcome {
    if (this.#leaving === undefined && this.isAtEnd()) this.#leave(0);
    if (this.#leaving !== undefined) return 'lost';
    if (this.braces.assumed.has(this.token)) this.#reportAssumedCloser();
    else this.#lastClosed = { frame, closer: this.at };
    this.at++;
    return 'done';
  }

  #tooDeep(): Outcome {
    this.#report('nested-too-deeply', { limit: MAX_DEPTH });
    if (this.braces.partner.has(this.at)) this.skip();
    else this.at = this.braces.tokens.length - 1;
    this.#quietAt = this.at;
    return 'done';
  }

  #skipToEndOf(open: number): void {
    const partner = this.braces.partner.get(open);
    if (this.#leaving !== undefined) return;
    if (partner !== undefined && partner >= this.at) this.at = partner;
    else while (!this.isAt('}') && !this.isAtEnd() && this.#owner() === undefined) this.skip();
    this.#leaveForOwner();
  }

  // ── Braces that are missing at the end ────────────────────────────────────────────────────────────────────────────

  /** Several braces that are missing in one place are one mistake. */
  #reportAssumedCloser(): void {
    const { assumed } = this.braces;
    if (assumed.has(this.tokenAt(this.at - 1))) return;
    let end = this.at;
    while (assumed.has(this.tokenAt(end))) end++;
    this.#reportUnclosed(this.#frames.length - (end - this.at), end);
  }

  /** Goes back to the block at `level`, for a `}` is missing in each block inside it. */
  #leave(level: number): void {
    const count = this.#frames.slice(level).filter((frame) => frame.open).length;
    if (count > this.#explained) this.#reportUnclosed(level, this.at);
    for (let left = count; left > 0; left--) this.#withdrawCloser();
    this.#unclosed -= count;
    this.#leaving = level;
  }

  #reportUnclosed(level: number, before: number): void {
    if (this.#isQuiet(before)) return;
    const blocks = this.#frames.slice(level).flatMap((frame) => this.#openBlock(frame));
    const block = blocks.pop();
    if (!block) return;
    const next = this.tokenAt(before);
    const noticedAt = next.kind === 'end' ? undefined : { found: this.textFrom(next), span: this.spanOf(next) };
    const edits = [this.#closingEdit(block.open, this.tokenAt(before - 1))];
    this.#report('missing-closing-brace', { block, around: blocks.reverse(), noticedAt, edits }, block.open);
  }

  #openBlock({ open, title }: Frame) {
    return open ? [{ open, title, span: this.spanOf(open) }] : [];
  }

  #closingEdit(open: Token, last: Token): Edit {
    const text = open.line === last.line ? ' }' : `\n${' '.repeat(open.indent)}}`;
    return { span: endOf(this.spanOf(last)), text };
  }

  #leaveForOwner(): boolean {
    const level = this.#owner();
    if (level !== undefined) this.#leave(level);
    return level !== undefined;
  }

  /** The outer block, by its level, to which this word belongs because the blocks inside it should have ended before. */
  #owner(at = this.at): number | undefined {
    const token = this.tokenAt(at);
    const innermost = this.#frames.findLast((frame) => frame.open)?.open;
    if (token.kind !== 'word' || !innermost) return undefined;
    const standsFurtherOut = token.startsLine && token.indent <= innermost.indent;
    if (!standsFurtherOut && !this.#lacksCloser()) return undefined;
    for (let level = this.#frames.length - 1; level >= 0; level--) {
      const place = this.#placeAt(level);
      if (place && this.#looksLikeMember(place, at)) return level;
    }
    return undefined;
  }

  /** One word is not enough to tell a member by, unless it stands for itself. */
  #looksLikeMember(place: PlaceName, at: number): boolean {
    const enough = at + (this.tokenAt(at).startsLine || this.isAt('}', at + 1) ? 1 : 2);
    return formsOf(place).some((form) => {
      const reach = this.reach(form.shapes, at);
      return firstWords(form).length > 0 && reach.fits && reach.at >= enough;
    });
  }

  /** `unique` is a member of a field, but `unique {` one of the model around it. */
  #leavesBefore(): boolean {
    const level = this.isAt('{') && this.at > 0 ? this.#owner(this.at - 1) : undefined;
    if (level === undefined) return false;
    this.at--;
    this.#leave(level);
    return true;
  }

  /** Whether a `}` is known to be missing in one of the blocks that are open. */
  #lacksCloser(): boolean {
    return this.#unclosed > this.#explained || this.#assumedCloser() !== undefined;
  }

  #assumedCloser(): Token | undefined {
    for (let level = this.#frames.length - 1; level >= 0; level--) {
      const closer = this.#assumedCloserOf(this.#frames[level]?.openAt ?? -1);
      if (closer) return closer;
    }
    return undefined;
  }

  #assumedCloserOf(open: number): Token | undefined {
    const closer = this.tokenAt(this.braces.partner.get(open) ?? -1);
    return this.braces.assumed.has(closer) && !this.#void.has(closer) ? closer : undefined;
  }

  #withdrawCloser(): boolean {
    const closer = this.#assumedCloser();
    if (closer) this.#void.add(closer);
    return closer !== undefined;
  }

  // ── Braces that are too many ──────────────────────────────────────────────────────────────────────────────────────

  #needlessBrace(token = this.token): void {
    this.#report('unexpected-closing-brace', { span: this.spanOf(token) }, token);
    this.#unopened--;
    if (token === this.token) this.at++;
  }

  /** A `{` too many, which is why a `}` seems to be missing further on. */
  #dropsBrace(): boolean {
    const first = this.token;
    while (this.isAt('{') && this.#explainsMissingCloser()) this.at++;
    if (this.token === first) return false;
    const last = this.tokenAt(this.at - 1);
    const facts = { found: this.textFrom(first, last), where: 'here', label: 'leave this out' };
    this.#report('unexpected-text', facts, first, last);
    return true;
  }

  #explainsMissingCloser(): boolean {
    const own = this.#assumedCloserOf(this.at);
    if (!own && !this.#lacksCloser()) return false;
    if (own) this.#void.add(own);
    else if (!this.#withdrawCloser()) this.#explained++;
    return true;
  }

  /** A `}` too many in the middle of a line, with more of the same to come behind it. */
  #dropsCloser(): boolean {
    if (!this.isAt('}') || this.#unopened <= 0 || this.tokenAt(this.at + 1).startsLine) return false;
    this.#settleCloser();
    this.#needlessBrace();
    return true;
  }

  /** A `}` too many on this line, which closed a block that goes on behind it. */
  #reopens(): boolean {
    const closed = this.#lastClosed;
    const place = closed?.frame.place;
    if (!closed || !place || this.#unopened <= 0 || this.token.startsLine) return false;
    if (this.at !== closed.closer + (this.isAt(',', closed.closer + 1) ? 2 : 1) || !this.fitsForm(place)) return false;
    this.#settleCloser();
    this.#needlessBrace(this.tokenAt(closed.closer));
    this.#read(closed.frame, () => this.#members(place));
    return true;
  }

  /** The `}` that belongs to a brace that was forgotten. */
  #swallowCloser(): void {
    if (!this.isAt('}') || this.#unopened <= 0) return;
    this.#settleCloser();
    this.#unopened--;
    this.at++;
  }

  /** One `}` too many has been found, so the next one that seemed to be it is none. */
  #settleCloser(): void {
    if (this.#needless.delete(this.token)) return;
    const next = [...this.#needless].find((token) => token.start >= this.token.start);
    if (next) this.#needless.delete(next);
  }

  // ── Values ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Values joined by operators; which of them bind tighter is of no interest here. False where the rest makes no sense. */
  #value(beforeSelection = false): boolean {
    const asked = this.#asked;
    this.#asked = 0;
    let fine = this.#operand(beforeSelection);
    while (fine && this.#operator()) fine = this.#operand(beforeSelection);
    this.#asked = asked;
    return fine && this.#leaving === undefined;
  }

  #operand(beforeSelection: boolean): boolean {
    while (this.#prefix()) this.at++;
    switch (this.token.kind) {
      case 'text':
      case 'integer':
      case 'float':
        this.at++;
        return true;
      case 'auth':
        this.at++;
        this.#steps();
        return true;
      case 'word':
        return this.#wordOperand(beforeSelection);
      default:
        return this.#bracketed();
    }
  }

  #prefix(): boolean {
    if (this.isAt('!')) this.#reportForeign('not');
    else if (this.beginsValue(this.at + 1) && (this.#dropsBrace() || this.#dropsCloser())) this.at--;
    else return this.wordAt(this.at) === 'not' || this.isAt('-');
    return true;
  }

  #wordOperand(beforeSelection: boolean): boolean {
    const word = this.wordAt(this.at) as string;
    const next = this.at + 1;
    if (word === 'hook' && this.isAt('{', next)) return this.#hookOperand(beforeSelection);
    if (OPERATOR_WORDS.has(word) && this.#lacksLeftOperand()) return this.#missingValue();
    if (LITERALS.has(word) && !this.isAt('.', next)) {
      this.at++;
      return true;
    }
    this.#path();
    return this.isAt('(') ? this.#listOf() : true;
  }

  /** Before a selection, `hook { … }` may be a hook, or something called `hook` with what is selected of it. */
  #hookOperand(beforeSelection: boolean): boolean {
    this.at++;
    if (beforeSelection && !this.#wouldFit('hook') && this.#wouldFit('selection')) return true;
    return this.#block('hook', 'the `hook`') === 'done';
  }

  /** Reads a block ahead. Remembered, for there may be more to try inside it. */
  #wouldFit(place: PlaceName): boolean {
    const key = `${place} ${this.at}`;
    const known = this.#trials.get(key);
    if (known !== undefined) return known;
    const trial = new Recogniser(this.source, this.braces);
    trial.at = this.at;
    trial.#depth = this.#depth;
    trial.#trials = this.#trials;
    trial.#frames.push(...this.#frames);
    const fits = trial.#block(place, '') === 'done' && !trial.#hasMistakes;
    this.#trials.set(key, fits);
    return fits;
  }

  #bracketed(): boolean {
    if (this.isAt('[')) return this.#listOf();
    if (this.isAt('(')) return this.#within((open) => this.#value() && this.#endsBracket(open, false));
    return this.#missingValue();
  }

  /** Values between brackets with commas between them: a list, or the arguments of a call. */
  #listOf(): boolean {
    const close = CLOSER[this.token.text] as string;
    return this.#within((open) => {
      while (!this.isAt(close)) {
        if (!this.#value()) return false;
        if (!this.isAt(',')) return this.#endsBracket(open, true);
        this.at++;
      }
      return true;
    });
  }

  /** Reads what is in brackets, and goes on behind them whatever it was. */
  #within(read: (open: number) => boolean): boolean {
    const open = this.at;
    const close = CLOSER[this.token.text] as string;
    if (this.#depth >= MAX_DEPTH) return this.#tooDeep() === 'done';
    this.#depth++;
    this.at++;
    const fine = read(open);
    this.#depth--;
    if (this.#leaving !== undefined) return false;
    if (fine && this.isAt(close)) this.at++;
    return fine || this.#skipBehind(open);
  }

  #skipBehind(open: number): boolean {
    const partner = this.braces.partner.get(open);
    if (partner !== undefined) this.at = partner + 1;
    return partner !== undefined;
  }

  #endsBracket(open: number, inList: boolean): boolean {
    const opener = this.tokenAt(open);
    const close = CLOSER[opener.text] as string;
    if (this.isAt(close)) return true;
    if (this.braces.partner.has(open)) {
      this.#reportAfterValue(inList);
      return false;
    }
    if (!this.#isQuiet()) this.#report('missing-closing-bracket', { open: opener.text, close }, opener);
    this.#quietAt = this.at;
    return true;
  }

  // ── Operators ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Goes over an operator. False where the value ends here. */
  #operator(): boolean {
    const { kind, text } = this.token;
    if (this.#leaving !== undefined || (kind !== 'word' && kind !== 'sign')) return false;
    const word = this.wordAt(this.at);
    if (word === 'not') return this.#notIn();
    if (!OPERATOR_SIGNS.has(text) && !OPERATOR_WORDS.has(word ?? '')) {
      return word === undefined ? this.#foreignOperator() : this.#shoutedOperator(word);
    }
    this.at++;
    return true;
  }

  #notIn(): boolean {
    if (this.wordAt(this.at + 1) === 'in') {
      this.at += 2;
      return true;
    }
    const form = { noun: 'a comparison with a list', example: 'status not in ["draft", "hidden"]' };
    const facts = { after: 'not', found: undefined, words: ['in'], near: undefined, form };
    this.#report('expected-word', { ...facts, span: this.spanOf(this.token) });
    this.at++;
    this.#quietAt = this.at;
    return this.beginsValue();
  }

  /** `AND` for `and`, where no member could begin with that word. */
  #shoutedOperator(word: string): boolean {
    const lower = word.toLowerCase();
    if (!(OPERATOR_WORDS.has(lower) || lower === 'not') || this.mayFollow()) return false;
    this.#reportForeign(lower);
    this.at++;
    if (lower === 'not' && this.wordAt(this.at)?.toLowerCase() === 'in') this.at++;
    return true;
  }

  #foreignOperator(): boolean {
    if (this.isAt(':') && this.#asked > 0) return this.#goOnBehindColon();
    const foreign = FOREIGN_OPERATORS[this.token.text];
    if (!foreign || this.#isQuiet()) return false;
    if (this.isAt('?')) this.#asked++;
    this.#reportForeign(foreign.instead, foreign.help);
    this.at++;
    // What other languages write behind it may not make sense here, and is part of the same mistake.
    if (!foreign.instead || !this.beginsValue()) this.#quietAt = this.at;
    return this.beginsValue();
  }

  #goOnBehindColon(): boolean {
    this.#asked--;
    this.at++;
    return true;
  }

  #reportForeign(instead: string | undefined, help?: string, token = this.token): void {
    const edits = instead && { edits: [{ span: this.spanOf(token), text: this.#spaced(instead) }] };
    this.#report('foreign-operator', { found: token.text, instead, help, ...edits }, token);
  }

  /** A word in place of a sign needs blanks around it. */
  #spaced(word: string): string {
    if (!/\w/.test(word)) return word;
    return `${this.touches(this.at) ? ' ' : ''}${word}${this.touches(this.at + 1) ? ' ' : ''}`;
  }

  /** Whether an operator word stands where a value should, as in `a and and b`. */
  #lacksLeftOperand(): boolean {
    const next = this.at + 1;
    const { kind } = this.tokenAt(next);
    if (kind === 'sign' || kind === 'end' || this.mayFollow(next)) return false;
    const word = this.wordAt(next) ?? '';
    return !OPERATOR_WORDS.has(word) && word !== 'not';
  }

  // ── Mistakes in a value ───────────────────────────────────────────────────────────────────────────────────────────

  /** True where reading can go on as if there were a value. */
  #missingValue(): boolean {
    const { token } = this;
    if (this.#isQuiet() || (this.isAtEnd() && this.#frames.length > 0)) return false;
    const before = this.tokenAt(this.at - 1);
    if (isWrongValue(token)) {
      const label = wayToWrite(token, this.tokenAt(this.at + 1));
      this.#report('expected-value', { after: undefined, found: token.text, label });
    } else this.#report('expected-value', { after: this.textFrom(before), found: undefined }, before);
    return token.kind === 'word';
  }

  /** Whether the block of one value ends here, as it should. */
  #endsValue(): boolean {
    while (this.isAt(';') || this.isAt(',')) {
      this.#needlessSign();
      this.#quietAt = this.at;
    }
    if (this.isAt('}') || this.isAtEnd()) return true;
    if (!this.#leaveForOwner()) this.#reportAfterValue(false);
    return false;
  }

  #reportAfterValue(inList: boolean): void {
    const before = this.tokenAt(this.at - 1);
    if (this.#isQuiet() || this.#reportedGlued(before)) return;
    if (this.isAt(')') || this.isAt(']')) this.#needlessBracket();
    else if (before.kind === 'word' && isShoutedNot(before.text)) this.#reportForeign('not', undefined, before);
    else if (this.beginsValue()) {
      this.#report('missing-operator', { found: this.textFrom(this.token), after: this.textFrom(before), inList });
    } else this.#reportUnexpected(`after \`${this.textFrom(before)}\``);
  }

  #needlessBracket(): void {
    const { text } = this.token;
    this.#report('unexpected-closing-bracket', {
      found: text,
      open: OPENER[text] as string,
      span: this.spanOf(this.token),
    });
    this.at++;
  }

  /** Something that stands directly behind a value, and makes no sense apart from it. */
  #reportedGlued(before: Token): boolean {
    if (!this.touches(this.at)) return false;
    // The quotes of a line are one short, and that has been reported at the last of them.
    if (before.kind === 'text' && isUnclosedText(this.tokenAt(this.at + 1))) return true;
    if (before.kind === 'auth' && this.token.kind === 'word') return this.#reportMissingDot(before);
    const isNumber = before.kind === 'integer' || before.kind === 'float';
    return isNumber && (this.token.kind === 'word' || this.isAt('.')) && this.#reportNumber(before);
  }

  /** `@authname`. */
  #reportMissingDot(before: Token): boolean {
    const facts = { found: this.textFrom(before, this.token), span: this.spanOf(before, this.token) };
    const near = { name: `@auth.${this.token.text}` };
    this.#report('foreign-attribute', { ...facts, near, word: undefined }, before, this.token);
    return true;
  }

  /** `1_000`, `1e5`, `0x1F`. */
  #reportNumber(before: Token): boolean {
    const number = this.textFrom(before, this.token);
    const better = /^[\d_]+$/.test(number) ? number.replaceAll('_', '') : undefined;
    this.#report('bad-number', { number, better, span: this.spanOf(before, this.token) }, before, this.token);
    return true;
  }

  // ── Mistakes in a form ────────────────────────────────────────────────────────────────────────────────────────────

  #mistaken(shape: Shape, step: Step): Outcome {
    if (this.#isQuiet()) return 'lost';
    if (this.#dropsSign(shape) || this.#mendsWord(step)) return 'again';
    if (this.fits(step.rest, this.at + 1) && (this.#dropsBrace() || this.#dropsCloser())) return 'again';
    if (shape.kind === 'value') return this.#missingValueOf(step);
    if (isBlock(shape) && !firstShapes(step.rest).some(isNumber)) return this.#missingBrace(shape, step);
    if (shape.kind === 'name' && this.#reportedDigit(step)) return 'done';
    const isMissing = this.fits(step.after) || this.isAtEnd() || [',', ';', '}'].some((sign) => this.isAt(sign));
    this.#reportExpected(step, isMissing);
    return this.#goesOn(step, isMissing) ? 'done' : 'lost';
  }

  /** `type: string` and `set title = "x"`: what other languages put in between. */
  #dropsSign(shape: Shape): boolean {
    const { kind, text } = this.token;
    const isOdd = JOINING_SIGNS.has(text) || (shape.kind !== 'value' && !'{}()[],;-'.includes(text));
    if (kind !== 'sign' || !isOdd || shape.kind === 'choice') return false;
    if (this.over(shape, this.at + 1) === undefined) return false;
    this.#needlessSign();
    return true;
  }

  #needlessSign(): void {
    const before = this.tokenAt(this.at - 1);
    const after = this.at === 0 || before.text === '}' ? undefined : this.textFrom(before);
    this.#report('needless-sign', { sign: this.token.text, span: this.spanOf(this.token), after });
    this.at++;
  }

  /** Reads a misspelt word as the one that was meant, where the rest then makes sense. */
  #mendsWord(step: Step): boolean {
    const words = firstShapes(step.rest).flatMap(wordOf);
    const near = this.#nearWord(words, () => this.fits(step.rest));
    if (!near) return false;
    const facts = { ...this.#unfitting(step, false), words: firstPhrases(step.rest), near };
    this.#report('expected-word', { ...facts, span: this.spanOf(this.token) });
    this.readAs.set(this.at, near.name);
    return true;
  }

  /** The word that was most likely meant, if more than the word itself then fits. */
  #nearWord(words: readonly string[], fits: () => boolean): NearName | undefined {
    const word = this.wordAt(this.at);
    const near = word && !this.readAs.has(this.at) ? nearest(word, words) : undefined;
    return near && this.#wouldFitAs(near.name, fits) ? near : undefined;
  }

  #wouldFitAs(word: string, fits: () => boolean): boolean {
    this.readAs.set(this.at, word);
    const would = fits();
    this.readAs.delete(this.at);
    return would;
  }

  #reportExpected(step: Step, isMissing: boolean): void {
    const token = isMissing ? this.tokenAt(this.at - 1) : this.token;
    const facts = this.#unfitting(step, isMissing);
    const words = firstShapes(step.rest).flatMap(wordOf);
    const kinds = new Set(firstShapes(step.rest).map((shape) => shape.kind));
    if (kinds.has('number')) this.#reportNoNumber(facts, token);
    else if (kinds.has('text')) this.#report('expected-text', { ...facts, edits: this.#quotingEdit(facts) }, token);
    else if (kinds.has('name') || kinds.has('path')) {
      this.#report('expected-name', { ...facts, edits: this.#unquotingEdit(facts) }, token);
    } else if (words.length > 0) {
      const near = facts.found === undefined ? undefined : nearest(facts.found, words);
      this.#report(
        'expected-word',
        { ...facts, words: firstPhrases(step.rest), near, span: this.spanOf(token) },
        token,
      );
    } else this.#reportUnexpected(`after \`${facts.after}\``, { help: written(step.form) });
  }

  #unfitting(step: Step, isMissing: boolean): Unfitting {
    const after = this.textFrom(this.tokenAt(step.first), this.tokenAt(this.at - 1));
    return { after, found: isMissing ? undefined : this.textFrom(this.token), form: step.form };
  }

  /** A minus is part of the number that does not fit. */
  #reportNoNumber(facts: Unfitting, token: Token): void {
    const next = this.tokenAt(this.at + 1);
    const isNegative = facts.found === '-' && (next.kind === 'integer' || next.kind === 'float');
    const found = isNegative ? this.textFrom(token, next) : facts.found;
    this.#report('expected-number', { ...facts, found }, token, isNegative ? next : token);
  }

  #quotingEdit({ found }: Unfitting): readonly Edit[] | undefined {
    if (found === undefined || this.token.kind !== 'word') return undefined;
    return [{ span: this.spanOf(this.token), text: `"${this.token.text}"` }];
  }

  #unquotingEdit({ found }: Unfitting): readonly Edit[] | undefined {
    const name = /^"([A-Za-z_]\w*)"$/.exec(found ?? '')?.[1];
    return name ? [{ span: this.spanOf(this.token), text: name }] : undefined;
  }

  /** Goes on as if what is missing were there, or over what stands in its place. */
  #goesOn(step: Step, isMissing: boolean): boolean {
    if (isMissing) return this.fits(step.after);
    if (this.isAt('-')) this.at++;
    if (!this.fits(step.after, this.at + 1)) return false;
    this.at++;
    return true;
  }

  /** A name that begins with a digit, such as `2fa`. */
  #reportedDigit(step: Step): boolean {
    const next = this.tokenAt(this.at + 1);
    const isGlued = this.token.kind === 'integer' && next.kind === 'word' && this.touches(this.at + 1);
    if (!isGlued || !this.fits(step.after, this.at + 2)) return false;
    const facts = { name: this.textFrom(this.token, next), better: undefined, span: this.spanOf(this.token, next) };
    this.#report('bad-name', facts, this.token, next);
    this.at += 2;
    return true;
  }

  #missingValueOf(step: Step): Outcome {
    this.#missingValue();
    return this.fits(step.after) ? 'done' : 'lost';
  }

  // ── Braces that are missing at the beginning ──────────────────────────────────────────────────────────────────────

  #missingBrace(shape: Shape, step: Step): Outcome {
    if (this.isAt('(') || this.isAt('[')) return this.#wrongBracket(step);
    if (shape.kind === 'value-block' && this.isAt('{', this.at + 1)) return this.#reportExtra(this.at + 1, step);
    if (step.form.noun === 'a field' && this.#reportedForeignField(step.first + 1)) return 'lost';
    if (this.#beginsContent(shape)) return this.#readWithoutBrace(shape, step);
    const brace = this.#braceOnThisLine();
    if (brace !== undefined) return this.#reportExtra(brace, step);
    const isBare = this.mayFollow();
    this.#reportBrace(step, isBare ? 'both' : 'opening');
    return isBare ? 'done' : 'lost';
  }

  #reportBrace(step: Step, missing: 'opening' | 'both'): void {
    const before = this.tokenAt(this.at - 1);
    const edits = [{ span: endOf(this.spanOf(before)), text: missing === 'opening' ? ' {' : ' {}' }];
    const facts = { title: this.#title(step), found: undefined, missing, form: step.form, edits };
    this.#report('expected-brace', facts, before);
  }

  #wrongBracket(step: Step): Outcome {
    const facts = { title: this.#title(step), found: this.token.text, form: step.form };
    this.#report('expected-brace', { ...facts, missing: 'opening' });
    this.skip();
    return 'done';
  }

  /** Whether what the block should hold follows without a brace, and is not the next member around it. */
  #beginsContent(shape: Shape): boolean {
    const isNextMember = this.mayFollow() && (this.token.startsLine || this.token.kind !== 'word');
    if (isNextMember && this.#unopened <= 0) return false;
    if (shape.kind === 'block') return this.fitsForm(shape.place);
    return shape.kind === 'value-block' && this.beginsValue();
  }

  #readWithoutBrace(shape: Shape, step: Step): Outcome {
    this.#reportBrace(step, 'opening');
    const place = shape.kind === 'block' ? shape.place : undefined;
    this.#frames.push(frameWithoutBrace(place));
    if (place) this.#membersWithoutBrace(place);
    else this.#value();
    this.#frames.pop();
    if (this.#leaving !== undefined) return 'lost';
    this.#swallowCloser();
    return 'done';
  }

  #membersWithoutBrace(place: PlaceName): void {
    while (this.#leaving === undefined && this.fitsForm(place)) {
      if (this.#unopened <= 0 && this.token.startsLine) return;
      this.#member(place);
      if (this.isAt(',')) this.at++;
    }
  }

  /** Where the brace is, if there is only something in between, as in `model Post extends Base {`. */
  #braceOnThisLine(): number | undefined {
    const { line } = this.tokenAt(this.at - 1);
    for (let at = this.at; at < this.at + 8; at++) {
      if (this.isAt('{', at)) return at;
      if (this.tokenAt(at).line !== line || this.isAt('}', at)) return undefined;
    }
    return undefined;
  }

  #reportExtra(brace: number, step: Step): Outcome {
    const last = this.tokenAt(brace - 1);
    const where = `between ${this.#title(step)} and its \`{\``;
    const facts = { found: this.textFrom(this.token, last), where, label: 'leave this out', help: written(step.form) };
    this.#report('unexpected-text', facts, this.token, last);
    this.at = brace;
    return 'again';
  }

  // ── Mistakes between members ──────────────────────────────────────────────────────────────────────────────────────

  /** Something that begins no member of this place. */
  #misfit(place: PlaceName): void {
    if (this.#isQuiet()) this.#passOver(place);
    else if (this.isAt(';') || this.isAt(',')) this.#needlessSign();
    else if (this.isAt(')') || this.isAt(']')) this.#needlessBracket();
    else if (!this.#misplacedBrace()) this.#unfittingText(place);
  }

  #misplacedBrace(): boolean {
    return this.#reopens() || this.#leaveForOwner() || this.#leavesBefore() || this.#dropsBrace();
  }

  #unfittingText(place: PlaceName): void {
    const before = this.tokenAt(this.at - 1);
    const isReported = this.#reportedGlued(before) || (place === 'model' && this.#reportedBareField());
    if (!isReported && this.token.kind === 'word') this.#unknownWord(place, this.token.text);
    else {
      if (!isReported) this.#reportUnfitting(place, before);
      this.#passOver(place);
    }
  }

  #reportUnfitting(place: PlaceName, before: Token): void {
    if (place === 'selection' && this.isAt('=')) this.#reportForeign(':');
    else if (this.at > 0 && this.beginsValue() && endsValue(before)) this.#reportAfterValue(false);
    else this.#reportUnexpected(`into ${places[place].noun}`, hintFor(place));
  }

  #reportUnexpected(where: string, more: { label?: string; help?: string } = {}): void {
    if (this.#isQuiet() || this.isAtEnd()) return;
    this.#report('unexpected-text', { found: this.textFrom(this.token), where, ...more });
  }

  /** A field without its keyword; but `type string` is part of one. */
  #reportedBareField(): boolean {
    const isProperty = formsOf('field').some((form) => this.reach(form.shapes, this.at).at > this.at + 1);
    return !isProperty && this.#reportedForeignField(this.at);
  }

  /** `title: string`, `title string` and `string title`, with or without `field` before it. */
  #reportedForeignField(at: number): boolean {
    const joint = this.tokenAt(at + 1);
    const sign = joint.kind === 'sign' && JOINING_SIGNS.has(joint.text) ? joint.text : undefined;
    const first = this.tokenAt(at);
    const last = sign ? this.tokenAt(at + 2) : joint;
    const instead = first.kind === 'word' && last.kind === 'word' && memberFrom(first.text, sign, last.text);
    if (!instead || first.line !== last.line) return false;
    const start = at > 0 && this.wordAt(at - 1) === 'field' ? this.tokenAt(at - 1) : first;
    const facts = { found: this.textFrom(start, last), instead, span: this.spanOf(start, last) };
    this.#report('foreign-field', facts, start, last);
    return true;
  }

  // ── Words that do not fit ─────────────────────────────────────────────────────────────────────────────────────────

  #unknownWord(place: PlaceName, word: string): void {
    const synonym = this.#fittingSynonym(place, word);
    const elsewhere = synonym ? [] : placesOf(word).filter((name) => this.fitsForm(name));
    const isMisplaced = elsewhere.length > 0;
    const meant = synonym ?? (isMisplaced ? undefined : this.#misspeltWord(place));
    this.#reportUnknown(place, meant ?? (isMisplaced ? undefined : this.#similarWord(place, word)), elsewhere);
    if (meant) this.readAs.set(this.at, meant.name);
    else if (isMisplaced) this.#readElsewhere(elsewhere, place);
    else this.#passOver(place);
  }

  /** The word of Kiln for a word of other languages, where what follows then makes sense. */
  #fittingSynonym(place: PlaceName, word: string): NearName | undefined {
    const synonym = this.readAs.has(this.at) ? undefined : synonymOf(place, word);
    return synonym && this.#wouldFitAs(synonym.name, () => this.fitsForm(place)) ? synonym : undefined;
  }

  #misspeltWord(place: PlaceName): NearName | undefined {
    return this.#nearWord(wordsFor(place), () => this.#matchesMore(place, this.at));
  }

  /** Whether a member begins here of which more than the first word is as it should be. */
  #matchesMore(place: PlaceName, at: number): boolean {
    const form = this.formAt(place, at);
    return form !== undefined && (this.reach(form.shapes, at).at > at + 1 || this.fits(form.shapes, at));
  }

  #similarWord(place: PlaceName, word: string): NearName | undefined {
    return nearest(word, wordsFor(place)) ?? synonymOf(place, word);
  }

  #reportUnknown(place: PlaceName, near: NearName | undefined, elsewhere: readonly PlaceName[]): void {
    const word = this.textFrom(this.token);
    const nouns = [...new Set(elsewhere.map((name) => places[name].noun))].slice(0, 3);
    const isMisspelt = near !== undefined && nearest(word, [near.name]) !== undefined;
    const form = near && !isMisspelt ? formsOf(place).find((one) => firstWords(one).includes(near.name)) : undefined;
    const fitting = near || nouns.length > 0 ? [] : wordsFor(place);
    const facts = { word, span: this.spanOf(this.token), holds: whatFits(place), near, elsewhere: nouns };
    this.#report('unknown-word', { ...facts, fitting, form });
  }

  /** Reads on as if this were one of the places to which the word belongs, for more of that kind may follow. */
  #readElsewhere(elsewhere: readonly PlaceName[], place: PlaceName): void {
    let fitting = elsewhere[0];
    while (fitting && this.#leaving === undefined) {
      this.#frames.push(frameWithoutBrace(fitting));
      this.#member(fitting);
      if (this.isAt(',')) this.at++;
      this.#frames.pop();
      fitting = this.fitsForm(place) ? undefined : elsewhere.find((name) => this.fitsForm(name));
    }
    if (this.#leaving === undefined) this.#swallowCloser();
  }

  // ── Reports ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #reportFlaw({ kind, start, end }: Flaw): void {
    const token: Token = { ...this.token, start, end };
    const span = this.spanOf(token);
    const found = this.source.text.slice(start, end);
    switch (kind) {
      case 'unreadable-character':
        this.#report(kind, { found, span }, token);
        break;
      case 'unterminated-string':
        this.#report(kind, { overLines: found.includes('\n'), closing: { span: endOf(span), text: '"' } }, token);
        break;
      case 'unterminated-raw-string':
      case 'unterminated-comment':
        this.#report(kind, {}, { ...token, end: start + (kind === 'unterminated-comment' ? 2 : 3) });
        break;
      case 'foreign-quotes':
        this.#report(kind, { instead: doublyQuoted(found), span, joins: found.includes('${') }, token);
        break;
      case 'foreign-comment':
        this.#report(kind, { span: { ...span, end: start + 1 } }, token);
        break;
      case 'foreign-attribute':
        this.#report(kind, { found, ...meantByAttribute(found), span }, token);
        break;
      case 'foreign-letters':
        this.#report('bad-name', { name: found, better: inPlainLetters(found), span }, token);
        break;
      default:
        kind satisfies never;
    }
  }

  /** Whether what is wrong here follows from something that has been reported. */
  #isQuiet(at = this.at): boolean {
    const isQuiet = at === this.#quietAt || this.tokenAt(at).besideFlaw;
    this.#hasMistakes ||= isQuiet;
    return isQuiet;
  }

  /** Such as “the field `name`” or “the `list endpoint`”. */
  #title({ form, first }: Run): string {
    const isNamed = form.shapes[0]?.kind === 'word' && form.shapes[1]?.kind === 'name';
    if (isNamed && first + 1 < this.at)
      return `the ${form.noun.replace(/^an? /, '')} \`${this.tokenAt(first + 1).text}\``;
    return `the \`${this.textFrom(this.tokenAt(first), this.tokenAt(this.at - 1))}\``;
  }

  /** At most one problem begins at one place: a second one could only follow from the first. */
  #report<C extends Code>(code: C, facts: Facts<C>, first = this.token, last = first): void {
    if (code !== 'reserved-word') this.#hasMistakes = true;
    if (this.#reported.has(first.start)) return;
    this.#reported.add(first.start);
    this.#problems.push({ code, span: this.spanOf(first, last), facts });
  }
}

// ── Small questions ───────────────────────────────────────────────────────────────────────────────────────────────────

interface Unfitting {
  readonly after: string;
  readonly found: string | undefined;
  readonly form: Form;
}

const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

function frameWithoutBrace(place: PlaceName | undefined): Frame {
  return { place, open: undefined, openAt: -1, title: '' };
}

function isNumber(shape: Shape): boolean {
  return shape.kind === 'number';
}

function wordOf(shape: Shape): readonly string[] {
  return shape.kind === 'word' ? [shape.text] : [];
}

function wordsFor(place: PlaceName): readonly string[] {
  return formsOf(place).flatMap(firstWords);
}

function nearest(word: string, words: readonly string[]): NearName | undefined {
  return nearName(
    word,
    words.map((name) => ({ name })),
  );
}

function synonymOf(place: PlaceName, word: string): NearName | undefined {
  const form = formsOf(place).find((candidate) => candidate.alsoCalled?.includes(word));
  const [name] = form ? firstWords(form) : [];
  return name === undefined ? undefined : { name };
}

function hintFor(place: PlaceName): { help?: string } {
  const [form, ...others] = formsOf(place);
  return form && others.length < 2 ? { help: written(form) } : {};
}

function written(form: Form): string {
  return `${form.noun} is written \`${form.example}\``;
}

function endOf(span: Span): Span {
  return { ...span, start: span.end };
}

function endsValue(token: Token): boolean {
  return token.kind !== 'sign' || isSign(token, ')') || isSign(token, ']');
}

function isShoutedNot(word: string): boolean {
  return word !== 'not' && word.toLowerCase() === 'not';
}

function isUnclosedText(token: Token): boolean {
  return token.kind === 'text' && (token.text.length < 2 || !token.text.endsWith('"'));
}

/** Whether something was written in place of a value, rather than nothing. */
function isWrongValue(token: Token): boolean {
  return token.kind === 'sign' && !'})],;'.includes(token.text);
}

function wayToWrite(token: Token, next: Token): string | undefined {
  return token.text === '.' && next.kind === 'integer' ? `write \`0.${next.text}\`` : undefined;
}

/** The member that was meant by two words, if one of them is a type or a sign joins them. */
function memberFrom(first: string, sign: string | undefined, last: string): string | undefined {
  const nullable = sign === '?:' ? ', nullable' : '';
  const type = TYPES.get(last.toLowerCase());
  const typeBefore = TYPES.get(first.toLowerCase());
  if (type) return `field ${first} { type ${type}${nullable} }`;
  if (!sign) return typeBefore && `field ${last} { type ${typeBefore} }`;
  return /^[A-Z]/.test(last)
    ? `reference ${first} { to ${last}${nullable} }`
    : `field ${first} { type ${last}${nullable} }`;
}

function doublyQuoted(text: string): string {
  const content = text.slice(1, /['`”’»]$/.test(text.slice(1)) ? -1 : undefined);
  const escaped = content.replace(/\\?(['"`])/g, (_, quote: string) => (quote === '"' ? '\\"' : quote));
  return `"${escaped}"`;
}

function meantByAttribute(attribute: string): { near: NearName | undefined; word: string | undefined } {
  const near = nearest(attribute, ['@auth']);
  const word = attribute.replace(/^@+/, '');
  return { near, word: !near && placesOf(word).length > 0 ? word : undefined };
}

function inPlainLetters(name: string): string | undefined {
  const plain = name.normalize('NFD').replace(/[\p{M}$]/gu, '');
  return /^[A-Za-z_]\w*$/.test(plain) ? plain : undefined;
}
