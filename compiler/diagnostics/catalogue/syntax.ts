import type { Span } from '../../source/source-file.ts';
import type { NearName } from '../words/near-name.ts';
import { type Edit, said, type Words } from '../words/words.ts';
import { didYouMean, listOf } from './phrases.ts';

/** A form as an author would write it: what it is called, and one line of it. */
export interface Written {
  readonly noun: string;
  readonly example: string;
}

/** A thing in a place where something else was expected; `found` is undefined if something is just missing. */
export interface Unfitting {
  /** The words before it, such as `on delete`. */
  readonly after: string;
  readonly found: string | undefined;
  readonly form: Written;
}

export interface Expected extends Unfitting {
  readonly edits?: readonly Edit[] | undefined;
}

/** Advice on what to write instead, if more is known than a similar word. */
export interface Advice {
  readonly label: string;
  readonly edits?: readonly Edit[] | undefined;
}

/** Something that other languages write. */
export interface Foreign {
  readonly found: string;
  /** The equivalent in Kiln: empty if there is none, undefined if it is not known. */
  readonly instead: string | undefined;
  readonly help: string | undefined;
  readonly edits: readonly Edit[] | undefined;
}

export interface OpenBlock {
  /** The title, such as “the field `name`”. */
  readonly title: string;
  readonly span: Span;
}

/** Text that cannot be read. */
export const syntaxWords = {
  'unreadable-text': (f: { found: string }): Words => ({
    message: `\`${f.found}\` cannot be read here`,
  }),

  'unreadable-character': (f: { found: string; pattern: string | undefined }): Words => ({
    message: `${quotedCharacter(f.found)} has no meaning in Kiln outside of a text in quotes`,
    ...(f.pattern
      ? { label: `write the pattern as text: \`pattern(${f.pattern})\`` }
      : isBlank(f.found)
        ? { label: 'write an ordinary blank', instead: ' ' }
        : { label: 'leave this out', instead: '' }),
  }),

  'unexpected-text': (f: {
    found: string;
    where: string;
    label?: string;
    form?: Written;
    help?: string | undefined;
    edits?: readonly Edit[];
  }): Words => ({
    message: `\`${f.found}\` does not fit ${f.where}`,
    label: f.label,
    help: f.help ?? (f.form && written(f.form)),
    edits: f.edits,
  }),

  'unknown-word': (f: {
    word: string;
    /** The content of the place, such as “something that a model can have”. */
    holds: string;
    near: NearName | undefined;
    /** The places in which the word has a meaning, such as “a field”. */
    elsewhere: readonly string[];
    fitting: readonly string[];
    form: Written | undefined;
    advice?: Advice | undefined;
  }): Words => ({
    message: `\`${f.word}\` is not ${f.holds}`,
    label: f.advice?.label ?? didYouMean(f.near) ?? belongsTo(f.word, f.elsewhere),
    help: f.form ? written(f.form) : fittingWords(f.fitting),
    ...(f.advice?.edits ? { edits: f.advice.edits } : { instead: f.near?.name }),
  }),

  'expected-word': (f: Unfitting & { words: readonly string[]; near: NearName | undefined; span: Span }): Words => ({
    message: f.found
      ? `\`${f.found}\` is not valid after \`${f.after}\``
      : `${listOf(f.words, 'or')} is missing after \`${f.after}\``,
    label: didYouMean(f.near) ?? `write ${listOf(f.words, 'or')}${f.found ? '' : ' after this'}`,
    help: written(f.form),
    ...(f.found ? { instead: f.near?.name } : { edits: insertedWord(f.span, f.words) }),
  }),

  'expected-name': (f: Expected): Words => ({
    message: f.found ? `\`${f.found}\` is not a name` : `a name is missing after \`${f.after}\``,
    label: f.found
      ? isQuoted(f.found)
        ? 'a name is written without quotes'
        : 'a name belongs here'
      : 'a name belongs after this',
    help: written(f.form),
    edits: f.edits,
  }),

  'bad-name': (f: { name: string; better: string | undefined; span: Span }): Words => ({
    message: `\`${f.name}\` is not a valid name`,
    label: f.better
      ? `write \`${f.better}\``
      : /^\d/.test(f.name)
        ? 'begin with a letter or `_`'
        : 'write it with the letters a to z',
    help:
      f.name === '__proto__'
        ? 'JavaScript, in which the server is written, keeps no property of this name'
        : 'names are made of the letters a to z, digits and `_`, and do not begin with a digit',
    edits: f.better ? [{ span: f.span, text: f.better }] : undefined,
  }),

  'bad-number': (f: { number: string; span: Span }): Words => {
    const better = withoutUnderscores(f.number);
    return {
      message: `\`${f.number}\` is not a valid number`,
      label: better ? `write \`${better}\`` : 'write it in plain digits, such as `1000` or `1.5`',
      edits: better ? [{ span: f.span, text: better }] : undefined,
    };
  },

  'reserved-word': (f: { word: string }) =>
    said(`\`${f.word}\` is a keyword of Kiln, so it cannot be a name`, 'choose another name'),

  'expected-text': (f: Expected): Words =>
    expected(f, 'a text in quotes', { here: 'a text in quotes belongs here', behind: 'a text belongs after this' }),

  'expected-number': (f: Expected): Words =>
    expected(f, 'a whole number', { here: 'write a whole number', behind: 'a number belongs after this' }),

  'expected-value': (f: {
    after: string | undefined;
    found: string | undefined;
    label?: string | undefined;
    edits?: readonly Edit[];
  }): Words => ({
    message: f.found
      ? `\`${f.found}\` is not a value`
      : f.after
        ? `a value is missing after \`${f.after}\``
        : 'a value is missing here',
    label: f.label ?? (f.found ? 'a value belongs here' : 'a value belongs after this'),
    edits: f.edits,
  }),

  'empty-block': (f: { title: string }) => said(`${f.title} is empty`, 'a value belongs in here'),

  'missing-operator': (f: { found: string; after: string; inList: boolean; edits?: readonly Edit[] }): Words => ({
    edits: f.edits,
    message: `something is missing between \`${f.after}\` and \`${f.found}\``,
    label: f.edits
      ? 'write `and` before this'
      : f.inList
        ? 'a `,` or an operator belongs before this'
        : 'an operator such as `and`, `is` or `+` belongs before this',
  }),

  'foreign-operator': (f: {
    found: string;
    instead: string | undefined;
    help: string | undefined;
    edits?: readonly Edit[];
  }): Words => ({
    message: f.instead ? `\`${f.found}\` is written \`${f.instead}\` in Kiln` : `Kiln has no \`${f.found}\``,
    label: f.instead ? `write \`${f.instead}\`` : undefined,
    help: f.help,
    edits: f.edits,
  }),

  /** `joined` is what to write in place of a template, where that is known. */
  'foreign-quotes': (f: { instead: string; joins: boolean; joined: string | undefined }): Words => ({
    message: 'a text is written in double quotes',
    label: f.joins ? `write \`${f.joined ?? '"Hello " + name'}\`` : `write \`${shortened(f.instead)}\``,
    help: f.joins ? 'values are joined to a text with `+`: `"Hello " + name`' : undefined,
    instead: f.joins ? f.joined : f.instead,
  }),

  'foreign-comment': (f: { span: Span }): Words => ({
    message: 'a comment begins with `//`',
    label: 'write `//`',
    edits: [{ span: f.span, text: '//' }],
  }),

  'foreign-attribute': (f: { found: string; near: NearName | undefined; word: string | undefined }): Words => ({
    message: `\`${f.found}\` is not known: the only word with an \`@\` is \`@auth\``,
    label: didYouMean(f.near) ?? (f.word ? `write \`${f.word}\` between the braces` : 'leave this out'),
    instead: f.near?.name,
    help: f.word && 'a field is written `field title { type string, unique }`',
  }),

  'unknown-at-word': (f: { word: string; near: NearName | undefined; span: Span }): Words => ({
    message: `\`${f.word}\` is unknown: the authenticated record is \`@auth\`, and an input is \`@input.name\``,
    label: didYouMean(f.near),
    help: /^@(?:env|settings?)$/i.test(f.word)
      ? '`setting NAME {}` declares a variable of the environment, and `setting(NAME)` reads it'
      : undefined,
    edits: f.near && [{ span: f.span, text: f.near.name }],
  }),

  'foreign-field': (f: Foreign): Words => ({
    message: `\`${f.found}\` is not how a member of a model is written`,
    ...foreignAdvice(f),
  }),

  'foreign-form': (f: Foreign): Words => ({
    message: `\`${f.found}\` is not valid here`,
    ...foreignAdvice(f),
  }),

  'needless-sign': (f: { sign: string; span: Span; after: string | undefined }): Words => ({
    message: f.after ? `\`${f.sign}\` is not needed after \`${f.after}\`` : `\`${f.sign}\` is not needed here`,
    label: 'leave this out',
    edits: [{ span: f.span, text: '' }],
  }),

  'expected-brace': (f: {
    title: string;
    found: string | undefined;
    missing: 'opening' | 'both';
    /** The braces with what belongs between them, such as `{ type string }`. */
    block?: string;
    /** Whether the caret is at the missing content of the block, rather than before it. */
    isContent?: boolean;
    form: Written;
    edits?: readonly Edit[] | undefined;
  }): Words => ({
    message: f.missing === 'opening' ? `${f.title} lacks its \`{\`` : `${f.title} has no \`{ }\``,
    label: f.found
      ? `\`{\` belongs here, not \`${f.found}\``
      : f.missing === 'opening'
        ? '`{` belongs after this'
        : `write \`${f.block ?? '{}'}\`${f.isContent ? '' : ' after this'}`,
    help: written(f.form),
    edits: f.edits,
  }),

  'missing-closing-brace': (f: {
    block: OpenBlock;
    around: readonly OpenBlock[];
    noticedAt: { found: string; span: Span } | undefined;
    edits: readonly Edit[];
  }): Words => ({
    message: `${f.block.title} is not closed`,
    label: 'this `{` has no `}`',
    notes: [
      ...(f.noticedAt
        ? [{ span: f.noticedAt.span, text: `a \`}\` belongs before this \`${f.noticedAt.found}\`` }]
        : []),
      ...f.around.map((block) => ({ span: block.span, text: `${block.title} is not closed either` })),
    ],
    edits: f.edits,
  }),

  'unexpected-closing-brace': (_: object): Words => ({
    message: 'this `}` is one too many',
    label: 'no `{` is left for it to close',
    instead: '',
  }),

  'missing-closing-bracket': (f: { open: string; close: string; edits: readonly Edit[] }): Words => ({
    message: `this \`${f.open}\` is not closed`,
    label: `it has no \`${f.close}\``,
    edits: f.edits,
  }),

  /** Without it, one that opens later is left over where `opensAgain`. */
  'unexpected-closing-bracket': (f: { found: string; open: string; opensAgain?: boolean }): Words => ({
    message: `this \`${f.found}\` is one too many`,
    label: `no \`${f.open}\` is left for it to close`,
    instead: f.opensAgain ? undefined : '',
  }),

  'unterminated-string': (f: { overLines: boolean; closing: Edit }): Words => ({
    message: 'this text is not closed',
    label: f.overLines ? 'a text in `"` ends on its own line' : 'the closing `"` is missing',
    help: f.overLines ? 'a text over several lines is written `"""…"""`' : undefined,
    edits: f.overLines ? undefined : [f.closing],
  }),

  'unterminated-raw-string': (_: object) =>
    said('this text over several lines is not closed', 'the closing `"""` is missing'),

  'unterminated-comment': (_: object) => said('this comment is not closed', 'the closing `*/` is missing'),

  'nested-too-deeply': (f: { limit: number }) =>
    said(`this is nested more than ${f.limit} levels deep`, 'split it up before this'),
};

function foreignAdvice({ instead, help, edits }: Foreign): Omit<Words, 'message'> {
  const isLong = instead !== undefined && (instead.includes('\n') || instead.length > 100);
  const label = instead === '' ? 'remove this' : instead && !isLong ? `write \`${instead}\`` : undefined;
  const isSaid = instead !== undefined && instead !== '' && help?.includes(instead);
  return { label, help: isLong ? `write:\n${instead}` : isSaid ? undefined : help, edits };
}

/** The words for something that was expected. The labels are for a wrong part in its place, and for a missing one. */
function expected(f: Expected, noun: string, label: { readonly here: string; readonly behind: string }): Words {
  return {
    message: f.found
      ? `\`${f.after}\` takes ${noun}, and \`${f.found}\` is not one`
      : `${noun} is missing after \`${f.after}\``,
    label: f.edits ? `write \`${f.edits[0]?.text}\`` : f.found ? label.here : label.behind,
    help: written(f.form),
    edits: f.edits,
  };
}

function written(form: Written): string {
  const isPlural = /^(?:the |all |extra )?\w*[^s\W]s\b/.test(form.noun);
  return `${form.noun} ${isPlural ? 'are' : 'is'} written \`${form.example}\``;
}

function fittingWords(words: readonly string[]): string | undefined {
  return words.length > 0 && words.length <= 9 ? `valid words here are ${listOf(words)}` : undefined;
}

function belongsTo(word: string, places: readonly string[]): string | undefined {
  if (places.length === 0) return undefined;
  const around = places.filter((place) => place !== 'a file');
  const inside = around.length < 2 ? around.join('') : `${around.slice(0, -1).join(', ')} or ${around.at(-1)}`;
  const all = [...(around.length < places.length ? ['at the top level'] : []), ...(inside ? [`in ${inside}`] : [])];
  return `\`${word}\` belongs ${all.join(' or ')}`;
}

function insertedWord(before: Span, words: readonly string[]): readonly Edit[] | undefined {
  if (words.length !== 1) return undefined;
  return [{ span: { file: before.file, start: before.end, end: before.end }, text: ` ${words[0]}` }];
}

/** `1000` for `1_000`. */
function withoutUnderscores(number: string): string | undefined {
  return /^[\d_]+$/.test(number) ? number.replaceAll('_', '') : undefined;
}

function isBlank(text: string): boolean {
  return /^\s+$/.test(text);
}

function isQuoted(text: string): boolean {
  return text.startsWith('"');
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 38)}…"` : text;
}

/** Quotes a character. An invisible one is named by its number. */
function quotedCharacter(text: string): string {
  if (/^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text)) return `\`${text}\``;
  return [...text]
    .map((char) => `U+${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`)
    .join(' ');
}
