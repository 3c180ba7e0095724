/**
 * Syntax tree in, stream of tokens out. Every token of the source is in it, in order, comments too; left out are only
 * commas that say nothing. So whatever the printer decides, nothing of the source can be lost.
 */

import { VALIDATOR_ALIASES, type ValidatorAlias } from '../definition/contract/validators.ts';
import { LEAF_TYPES, type SyntaxNode } from '../syntax/syntax-node.ts';

/** A word, a literal, a sign or a comment of the source, in the spelling that is printed. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The source's lines on which it begins and ends. */
  readonly line: number;
  readonly endLine: number;
  readonly comment: 'line' | 'block' | undefined;
  /** Whether there is no space before, or after, on the same line. */
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

function newGroup(kind: Group['kind'], first: number): Group {
  return { kind, first, last: -1, breaks: [], members: [] };
}

export interface TokenStream {
  readonly tokens: readonly Token[];
  /** The file, as a block without braces. */
  readonly file: Group;
}

export function tokensFromTree(text: string, root: SyntaxNode): TokenStream {
  return new TreeReader(text).read(root);
}

/** A node whose children are being read. */
interface OpenNode {
  readonly node: SyntaxNode;
  nextChild: number;
  /** The block or list whose members or elements are being read. */
  items: Group | undefined;
  readonly chain: Group | undefined;
  readonly ownsChain: boolean;
  /** The start of the last element of a list or of arguments: a comma after it has no meaning. */
  readonly lastItemStart: number;
  /** True inside braces that the source does not have. */
  bracesAdded: boolean;
  /** Its words that are printed otherwise. */
  readonly spellings: Spellings;
  /** Whether names in it are those of validators. */
  readonly namesValidators: boolean;
}

type Spellings = Readonly<Record<string, string>>;

const SIGN_OR_WORD = /@?[A-Za-z_][A-Za-z0-9_]*|[<>]=|\.{3}|\S/g;
const GLUES_LEFT: ReadonlySet<string> = new Set([')', ']', ',', '.', ':']);
/** Nodes whose commas the grammar needs; parentheses in them follow a name. */
const TAKES: ReadonlySet<string> = new Set(['arguments', 'rule_parameters', 'sized_type', 'method']);
const GLUES_RIGHT: ReadonlySet<string> = new Set(['(', '[', '.', '...']);

/** Spellings that the language accepts but the canonical form does not use, by the type of their node. */
const CANONICAL_WORDS: Readonly<Record<string, Spellings>> = {
  paginable: { pageable: 'paginable' },
  generator: { generate: 'generator' },
};
const NO_SPELLINGS: Spellings = {};

/** Properties that stand in front of the body in the canonical form: `POST one "publish" { … }`. */
const HEAD: ReadonlySet<string> = new Set(['method', 'endpoint_cardinality_property', 'segment']);

const CALLS_VALIDATORS: ReadonlySet<string> = new Set(['validate', 'validate_action']);

class TreeReader {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  /** All of the text before `#at` has been read; `#at` is on line `#line`. */
  #at = 0;
  #line = 1;
  #lastCode = -1;
  /** Chains that begin with the next token of code. */
  #beginning: Group[] = [];
  /** The group in which the next token of code begins a member or an element, and the member's type. */
  #next: { readonly group: Group; readonly type: string } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the tree without recursion: an expression may be nested deeper than the stack. */
  read(root: SyntaxNode): TokenStream {
    const file = newGroup('block', -1);
    const open: OpenNode[] = [{ ...openNode(root, undefined), items: file }];
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const child = top.node.children[top.nextChild++];
      if (child) this.#readChild(child, top, open);
      else this.#leave(open);
    }
    file.last = this.#tokens.length;
    file.breaks.push(file.last);
    return { tokens: this.#tokens, file };
  }

  #readChild(child: SyntaxNode, parent: OpenNode, open: OpenNode[]): void {
    this.#readSigns(child.start, parent);
    if (isComment(child)) this.#addComment(child);
    else this.#readPart(child, parent, open);
  }

  #readPart(child: SyntaxNode, parent: OpenNode, open: OpenNode[]): void {
    if (lacksBraces(child, parent)) {
      parent.bracesAdded = true;
      this.#openItems('block', '', parent);
    }
    const isInHead = HEAD.has(child.type) && parent.spellings.custom !== undefined;
    if (parent.items && !isInHead) this.#next = { group: parent.items, type: child.type };
    if (isInHead) this.#skip(child);
    else if (LEAF_TYPES.has(child.type)) this.#addCode(child.end, { spelling: this.#validatorAt(child, parent) });
    else if (child.field === 'operator' && child.children.length === 0) this.#addOperator(child, parent);
    else open.push(this.#opened(child, parent));
  }

  #validatorAt({ start, end }: SyntaxNode, { namesValidators }: OpenNode): string | undefined {
    const name = namesValidators ? this.#text.slice(start, end) : '';
    return Object.hasOwn(VALIDATOR_ALIASES, name) ? VALIDATOR_ALIASES[name as ValidatorAlias] : undefined;
  }

  #opened(child: SyntaxNode, parent: OpenNode): OpenNode {
    const spellings = customHead(this.#text, child) ?? CANONICAL_WORDS[child.type];
    const node = openNode(child, parent, spellings);
    if (node.ownsChain && node.chain) this.#beginning.push(node.chain);
    return node;
  }

  /** Only its comments are left. */
  #skip(node: SyntaxNode): void {
    for (const comment of node.children.filter(isComment)) {
      this.#moveTo(comment.start);
      this.#addComment(comment);
    }
    this.#moveTo(node.end);
  }

  #leave(open: OpenNode[]): void {
    const left = open.pop() as OpenNode;
    this.#readSigns(open.length === 0 ? this.#text.length : left.node.end, left);
    if (left.ownsChain && left.chain) left.chain.last = this.#lastCode;
    const parent = open.at(-1);
    if (parent?.bracesAdded) this.#closeItems('', parent);
  }

  /** Reads keywords and punctuation up to `end`; they belong to `owner`. */
  #readSigns(end: number, owner: OpenNode): void {
    SIGN_OR_WORD.lastIndex = this.#at;
    for (let found = this.#nextSign(end); found; found = this.#nextSign(end)) {
      this.#moveTo(found.index);
      this.#addSign(found[0], owner);
      SIGN_OR_WORD.lastIndex = this.#at;
    }
    this.#moveTo(end);
  }

  #nextSign(end: number): RegExpExecArray | undefined {
    if (this.#at >= end) return undefined;
    const found = SIGN_OR_WORD.exec(this.#text);
    return found && found.index < end ? found : undefined;
  }

  #addSign(sign: string, owner: OpenNode): void {
    if (sign === '{') this.#openItems('block', sign, owner);
    else if (sign === '[') this.#openItems('list', sign, owner);
    else if (sign === '}' || sign === ']') this.#closeItems(sign, owner);
    else if (sign === ',') this.#addComma(owner);
    else if (sign === '(' && TAKES.has(owner.node.type)) this.#addCode(this.#at + 1, { gluesLeft: true });
    else this.#addCode(this.#at + sign.length, { spelling: owner.spellings[sign] });
  }

  #openItems(kind: 'block' | 'list', written: '{' | '[' | '', owner: OpenNode): void {
    owner.items = newGroup(kind, this.#tokens.length);
    this.#addCode(this.#at + written.length, { spelling: written || '{', opens: owner.items });
  }

  #closeItems(written: '}' | ']' | '', owner: OpenNode): void {
    const items = owner.items as Group;
    owner.items = undefined;
    items.last = this.#tokens.length;
    items.breaks.push(items.last);
    this.#addCode(this.#at + written.length, { spelling: written || '}' });
  }

  #addComma(owner: OpenNode): void {
    if (this.#at < owner.lastItemStart) this.#addCode(this.#at + 1);
    else this.#moveTo(this.#at + 1);
  }

  #addOperator(operator: SyntaxNode, parent: OpenNode): void {
    if (isLogical(operator)) parent.chain?.breaks.push(this.#tokens.length);
    this.#addCode(operator.end, { gluesRight: parent.node.type === 'unary' && operator.type === '-' });
  }

  #addComment(comment: SyntaxNode): void {
    const text = this.#text.slice(comment.start, comment.end).trimEnd();
    this.#add(comment.end, text, text.startsWith('/*') ? 'block' : 'line', {}, []);
  }

  #addCode(end: number, details: CodeDetails = {}): void {
    const text = details.spelling ?? this.#text.slice(this.#at, end);
    if (this.#next) this.#beginItem(this.#next.group, this.#next.type, text);
    this.#lastCode = this.#tokens.length;
    this.#add(end, text, undefined, details, this.#groupsFrom(this.#lastCode, details.opens));
  }

  #groupsFrom(index: number, last: Group | undefined): readonly Group[] {
    const chains = this.#beginning;
    this.#beginning = [];
    for (const chain of chains) chain.first = index;
    return last ? [...chains, last] : chains;
  }

  /** The next token begins a member of `group`, and with that it is known what follows the member before. */
  #beginItem(group: Group, type: string, nextWord: string): void {
    const before = this.#tokens[this.#lastCode];
    const member = group.members.at(-1);
    if (before && member && group.kind === 'block' && group.first >= 0)
      before.comma = RULES[member]?.({ lastWord: before.text, nextWord }) ? 'always' : 'when-flat';
    group.breaks.push(this.#tokens.length);
    group.members.push(type);
    this.#next = undefined;
  }

  #add(end: number, text: string, comment: Token['comment'], details: CodeDetails, opens: readonly Group[]): void {
    const start = this.#at;
    const line = this.#line;
    this.#moveTo(end);
    this.#tokens.push({
      text,
      start,
      end,
      line,
      endLine: this.#line,
      comment,
      gluesLeft: details.gluesLeft ?? GLUES_LEFT.has(text),
      gluesRight: details.gluesRight ?? GLUES_RIGHT.has(text),
      opens,
      comma: 'never',
    });
  }

  #moveTo(offset: number): void {
    this.#line += this.#text.slice(this.#at, offset).split('\n').length - 1;
    this.#at = offset;
  }
}

interface CodeDetails {
  /** The spelling, if it is not printed as it was written. */
  readonly spelling?: string | undefined;
  readonly gluesLeft?: boolean;
  readonly gluesRight?: boolean;
  readonly opens?: Group;
}

function openNode(node: SyntaxNode, parent: OpenNode | undefined, spellings?: Spellings): OpenNode {
  const joined = joinedChain(node, parent);
  const chain = joined ?? (chainOperator(node) ? newGroup('chain', -1) : undefined);
  return {
    node,
    nextChild: 0,
    items: undefined,
    chain,
    ownsChain: !joined && chain !== undefined,
    lastItemStart: lastItemStart(node),
    bracesAdded: false,
    spellings: spellings ?? (ENDPOINT_PARTS.has(node.type) ? parent?.spellings : undefined) ?? NO_SPELLINGS,
    namesValidators: callsValidators(node) || (parent?.namesValidators === true && node.type !== 'arguments'),
  };
}

/** `validator Name { minLength(1) and … }` has a rule. */
function callsValidators({ type, field }: SyntaxNode): boolean {
  return CALLS_VALIDATORS.has(type) || field === 'rule';
}

const ENDPOINT_PARTS: ReadonlySet<string> = new Set(['endpoint_kind', 'endpoint_body']);

/** Of `custom endpoint { method POST, cardinality one, path "publish" }`, where each of them is said once. */
function customHead(text: string, { type, children }: SyntaxNode): Spellings | undefined {
  const kind = children.find(({ field }) => field === 'kind');
  const body = children.find(({ field }) => field === 'body');
  if (type !== 'endpoint' || !kind || !body || text.slice(kind.start, kind.end) !== 'custom') return undefined;
  const head = body.children.filter((child) => HEAD.has(child.type));
  const values = new Map(head.map((child) => [child.type, child.children.filter((part) => !isComment(part))]));
  const isOnce = values.size === head.length && head.every((child) => values.get(child.type)?.length === 1);
  const word = (name: string) => values.get(name)?.map(({ start, end }) => text.slice(start, end))[0];
  const [method, cardinality, path] = [...HEAD].map(word);
  if (!isOnce || !method || !cardinality || children.some((child) => child.type === 'alias')) return undefined;
  return { custom: method, endpoint: path ? `${cardinality} ${path}` : cardinality };
}

/** `a and b and c` is a chain within a chain to the grammar, but one to the reader. */
function joinedChain(node: SyntaxNode, parent: OpenNode | undefined): Group | undefined {
  if (!parent?.chain || node.field !== 'left') return undefined;
  return chainOperator(node) === chainOperator(parent.node) ? parent.chain : undefined;
}

function chainOperator(node: SyntaxNode): string | undefined {
  return node.type === 'binary' ? node.children.find(isLogical)?.type : undefined;
}

function isLogical(node: SyntaxNode): boolean {
  return node.field === 'operator' && (node.type === 'and' || node.type === 'or');
}

function lastItemStart(node: SyntaxNode): number {
  if (node.type !== 'list' && !TAKES.has(node.type)) return -1;
  return node.children.findLast((child) => !isComment(child))?.start ?? -1;
}

function isComment(node: SyntaxNode): boolean {
  return node.type === 'comment' || node.type === 'doc_comment';
}

/** `reference r through p` is printed as `reference r { through p }`. */
function lacksBraces(child: SyntaxNode, parent: OpenNode): boolean {
  return parent.node.type === 'reference_input' && child.type === 'lookup' && !parent.items;
}

// ── Needs comma ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Words and signs that would continue the expression before them. */
const OPERATORS: ReadonlySet<string> = new Set(['and', 'or', 'is', 'in', 'not', '-', '(']);
const DIRECTIONS: ReadonlySet<string> = new Set(['asc', 'desc']);

interface Neighbours {
  readonly lastWord: string;
  /** The first word of the member after the gap. */
  readonly nextWord: string;
}

/**
 * Whether two members would be read as something else without a comma: `{ a, desc }` is two, `{ a desc }` one. The key
 * is the type of the member before the gap.
 */
const RULES: Readonly<Record<string, (gap: Neighbours) => boolean>> = {
  order_item: ({ nextWord }) => OPERATORS.has(nextWord) || DIRECTIONS.has(nextWord),
  key_part: ({ nextWord }) => DIRECTIONS.has(nextWord),
  result_member: ({ nextWord }) => nextWord === 'nullable',
  object_member: ({ nextWord }) => OPERATORS.has(nextWord),
  // A name with a capital letter behind a name would be taken for a shape.
  selected: ({ nextWord }) => OPERATORS.has(nextWord) || /^[A-Z]/.test(nextWord),
  enum_value: valueNeedsComma,
  drop_value: valueNeedsComma,
};

function valueNeedsComma({ lastWord, nextWord }: Neighbours): boolean {
  return nextWord === 'was' || lastWord === 'drop';
}
