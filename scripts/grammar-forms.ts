/**
 * The forms of the language, read from the grammar: which forms each block may hold, and the shape of each form. Run
 * `npm run grammar` after a change of tree-sitter-grammar/grammar.js; a test fails while the result is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const GRAMMAR = fileURLToPath(new URL('../tree-sitter-grammar/src/grammar.json', import.meta.url));
export const FORMS = fileURLToPath(new URL('../compiler/syntax/grammar-forms.ts', import.meta.url));

type Rule =
  | { readonly type: 'STRING' | 'PATTERN'; readonly value: string }
  | { readonly type: 'SYMBOL'; readonly name: string }
  | { readonly type: 'BLANK' }
  | { readonly type: 'SEQ' | 'CHOICE'; readonly members: readonly Rule[] }
  | {
      readonly type: 'FIELD' | 'REPEAT' | 'PREC' | 'PREC_LEFT' | 'PREC_DYNAMIC' | 'ALIAS' | 'TOKEN';
      readonly content: Rule;
    };

const { rules } = JSON.parse(readFileSync(GRAMMAR, 'utf8')) as { readonly rules: Readonly<Record<string, Rule>> };

/** What the forms say in one word, however the grammar spells it. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  identifier: 'NAME',
  _enum_name: 'NAME',
  _target_name: 'NAME',
  _type_name: 'TYPE',
  _shape_name: 'SHAPE',
  at_word: '@auth',
  path: 'PATH',
  target: 'PATH',
  _existing_target: 'RECORD',
  _string: 'STRING',
  integer: 'INTEGER',
  expression: 'EXPRESSION',
  rule_parameters: 'PARAMETERS',
  _units: 'UNITS',
};

/** The parts of a form, one after another; each is a word, a sign, a placeholder, a block or a choice in brackets. */
type Parts = readonly string[];

class Forms {
  /** The shape of each form, by its name. */
  readonly shapes = new Map<string, string>();
  /** The names of the forms that each place holds. */
  readonly places = new Map<string, readonly string[]>();

  constructor() {
    this.#place('file', (rules.source_file as { readonly content: Rule }).content);
  }

  /** Blocks that hold the same are one place, called after the first of them. */
  #place(name: string, member: Rule): string {
    const forms = anyWordLast(formsIn(member), ({ rule }) => rule);
    const names = forms.map(({ form }) => form);
    const same = [...this.places].find(([, known]) => known.join() === names.join());
    if (same) return same[0];
    this.places.set(name, names);
    for (const { form, rule, owner } of forms)
      if (!this.shapes.has(form)) this.shapes.set(form, this.#parts(rule, owner).join(' '));
    return name;
  }

  #parts(rule: Rule, owner: string): Parts {
    switch (rule.type) {
      case 'STRING':
        return [rule.value];
      case 'SYMBOL':
        return this.#symbol(rule.name);
      case 'SEQ':
        return this.#block(rule.members, owner) ?? rule.members.flatMap((member) => this.#parts(member, owner));
      case 'CHOICE':
        return choiceOf(anyWordLast(rule.members, (member) => member).map((member) => this.#parts(member, owner)));
      case 'BLANK':
        return [];
      case 'PATTERN':
      case 'REPEAT':
      case 'TOKEN':
        throw new Error(`forms: \`${owner}\` has a ${rule.type} outside a block`);
      default:
        return this.#parts(rule.content, owner);
    }
  }

  #symbol(name: string): Parts {
    const placeholder = PLACEHOLDERS[name];
    return placeholder ? [placeholder] : this.#parts(ruleOf(name), name);
  }

  #block(members: readonly Rule[], owner: string): Parts | undefined {
    const [open, content, close] = members;
    if (open?.type !== 'STRING' || open.value !== '{') return undefined;
    if (content?.type === 'STRING') return ['{ }'];
    const isClosed = close?.type === 'STRING' && members.length === 3;
    if (!isClosed || !content) throw new Error(`forms: a block of \`${owner}\` is neither a value nor a list of forms`);
    if (content.type !== 'REPEAT') return [`{ ${this.#parts(content, owner).join(' ')} }`];
    return [`{ ${this.#place(owner.replace(/_body$/, ''), repeated(content))} }`];
  }
}

/** `block` of the grammar repeats a member and its comma. */
function repeated({ content }: { readonly content: Rule }): Rule {
  const [member] = content.type === 'SEQ' ? content.members : [content];
  return member as Rule;
}

interface Found {
  readonly form: string;
  readonly rule: Rule;
  /** The rule of the grammar in which it is written. */
  readonly owner: string;
}

/** The forms of a block. A rule that is a choice of words, such as `flag`, gives a form for each of them. */
function formsIn(member: Rule): readonly Found[] {
  if (member.type === 'CHOICE') return member.members.flatMap(formsIn);
  if (member.type === 'FIELD') return formsIn(member.content);
  if (member.type !== 'SYMBOL') throw new Error(`forms: a block holds a ${member.type}`);
  const { name } = member;
  if (PLACEHOLDERS[name]) return [{ form: name, rule: member, owner: name }];
  const rule = ruleOf(name);
  if (name.startsWith('_')) return formsIn(rule);
  if (rule.type !== 'CHOICE' || !rule.members.every(({ type }) => type === 'STRING'))
    return [{ form: name, rule, owner: name }];
  return rule.members.map((word) => ({
    form: `${name} ${(word as { value: string }).value}`,
    rule: word,
    owner: name,
  }));
}

function ruleOf(name: string): Rule {
  const rule = rules[name];
  if (!rule) throw new Error(`forms: the grammar has no rule \`${name}\``);
  return rule;
}

/** What any word could begin comes last: a keyword that fits is the better answer. */
function anyWordLast<T>(items: readonly T[], ruleOfItem: (item: T) => Rule): readonly T[] {
  const isLast = (item: T): boolean => anyWordBegins(ruleOfItem(item));
  return [...items.filter((item) => !isLast(item)), ...items.filter(isLast)];
}

const BEGUN_BY_ANY_WORD: ReadonlySet<string | undefined> = new Set(['NAME', 'TYPE', 'PATH', 'RECORD', 'EXPRESSION']);

function anyWordBegins(rule: Rule): boolean {
  switch (rule.type) {
    case 'SYMBOL':
      return PLACEHOLDERS[rule.name]
        ? BEGUN_BY_ANY_WORD.has(PLACEHOLDERS[rule.name])
        : anyWordBegins(ruleOf(rule.name));
    case 'SEQ':
      return anyWordBegins(rule.members[0] as Rule);
    case 'CHOICE':
      return rule.members.some(anyWordBegins);
    case 'STRING':
    case 'BLANK':
    case 'PATTERN':
      return false;
    default:
      return anyWordBegins(rule.content);
  }
}

/** What all alternatives begin or end with stands once, before or behind the choice. */
function choiceOf(alternatives: readonly Parts[]): Parts {
  const [first = []] = alternatives;
  const before = sharedLength(alternatives);
  const rests = alternatives.map((parts) => parts.slice(before));
  const behind = sharedLength(rests.map((parts) => parts.toReversed()));
  const middles = rests.map((parts) => parts.slice(0, parts.length - behind));
  return [...first.slice(0, before), ...between(middles), ...first.slice(first.length - behind)];
}

function between(alternatives: readonly Parts[]): Parts {
  const written = alternatives.filter((parts) => parts.length > 0);
  const text = written.map((parts) => parts.join(' ')).join(' | ');
  if (written.length === alternatives.length) return [`(${text})`];
  const [only = '', ...others] = written.flat();
  if (written.length === 0) return [];
  return [others.length === 0 && only.startsWith('(') ? `[${only.slice(1, -1)}]` : `[${text}]`];
}

/** How many parts all of them begin with. */
function sharedLength(alternatives: readonly Parts[]): number {
  const [first = []] = alternatives;
  const differs = first.findIndex((part, at) => alternatives.some((parts) => parts[at] !== part));
  return differs < 0 ? first.length : differs;
}

export function grammarForms(): string {
  const { places, shapes } = new Forms();
  const lines = [
    '// Made from tree-sitter-grammar/src/grammar.json by `npm run grammar`: change tree-sitter-grammar/grammar.js.',
    '',
    '/** The forms that each place of a file may hold. */',
    'export const PLACES = {',
    ...inOrder(places).map(([name, forms]) => `  ${name}: [${forms.map((form) => `'${form}'`).join(', ')}],`),
    '} as const;',
    '',
    '/** The shape of each form; `forms.ts` explains the notation. */',
    'export const SHAPES = {',
    ...inOrder(shapes).map(([form, shape]) => `  ${form.includes(' ') ? `'${form}'` : form}: '${shape}',`),
    '} as const;',
    '',
  ];
  return lines.join('\n');
}

/** In the order of the grammar, which is the order in which places are listed to an author. */
function inOrder<T>(entries: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  const order = Object.keys(rules);
  const rank = (name: string): number => {
    const [rule = ''] = name.split(' ');
    return Math.max(order.indexOf(rule), order.indexOf(`${rule}_body`));
  };
  return [...entries].sort(([a], [b]) => rank(a) - rank(b));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FORMS, grammarForms());
