/**
 * What a TextMate grammar is made of, in the few forms that Kiln needs. A rule with a `begin` is a state that lasts until
 * its `end`, so what stands inside a pair of braces is known by its state, and a word is a keyword only in the right one.
 */

export interface Rule {
  readonly name?: string;
  readonly contentName?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly while?: string;
  readonly applyEndPatternLast?: 1;
  readonly captures?: Captures;
  readonly beginCaptures?: Captures;
  readonly endCaptures?: Captures;
  readonly include?: string;
  readonly patterns?: readonly Rule[];
}

type Captures = Readonly<Record<string, { readonly name?: string; readonly patterns?: readonly Rule[] }>>;

export const NAME = '[A-Za-z_][A-Za-z0-9_]*';

/** Between two words: white space and comments on the same line. */
export const GAP = '((?:\\s|/\\*(?:[^*]|\\*(?!/))*\\*/)+)';

/** Where something begins that is no comment. */
export const NEXT = '(?!//|/\\*)(?=\\S)';

/** Not `\b`: the `first` of `10first` is a word. */
export function word(...words: readonly string[]): string {
  return `(?<![A-Za-z_])(?:${words.join('|')})(?![A-Za-z0-9_])`;
}

export function include(key: string): Rule {
  return { include: `#${key}` };
}

export const COMMENTS: Rule = include('comments');

export function scoped(...names: readonly (string | undefined)[]): Captures {
  const entries = names.flatMap((name, index) => (name === undefined ? [] : [[index + 1, captured(name)]]));
  return Object.fromEntries(entries);
}

function captured(name: string): { readonly name?: string; readonly patterns?: readonly Rule[] } {
  return name === 'gap' ? { patterns: [COMMENTS] } : { name: `${name}.kiln` };
}

export function keywords(...words: readonly string[]): Rule {
  return { match: word(...words), name: 'keyword.other.kiln' };
}

export function modifiers(...words: readonly string[]): Rule {
  return { match: word(...words), name: 'storage.modifier.kiln' };
}

export function names(scope: string): Rule {
  return { match: NAME, name: `${scope}.kiln` };
}

/** A keyword and the name that follows it, wherever that stands. */
export function named(keyword: string, scope: string): Rule {
  return {
    begin: `(${word(keyword)})`,
    beginCaptures: scoped('keyword.other'),
    end: `(${NAME})|(?=[^\\s/])`,
    endCaptures: scoped(scope),
    patterns: [COMMENTS],
  };
}

export function block(...patterns: readonly Rule[]): Rule {
  return {
    begin: '\\{',
    beginCaptures: { 0: { name: 'punctuation.section.braces.begin.kiln' } },
    end: '\\}',
    endCaptures: { 0: { name: 'punctuation.section.braces.end.kiln' } },
    patterns: [COMMENTS, ...patterns, include('comma'), include('unknown-body')],
  };
}

/**
 * Keywords and names, then whatever `patterns` hold, up to the end of a block. `head` is a list of what has to stand
 * there, each with its scope.
 */
export function statement(head: readonly (readonly [string, string])[], ...patterns: readonly Rule[]): Rule {
  return {
    begin: head.map(([pattern]) => `(${pattern})`).join(GAP),
    beginCaptures: scoped(...head.flatMap(([, scope], index) => (index === 0 ? [scope] : ['gap', scope]))),
    end: `(?<=\\})|${NEXT}`,
    applyEndPatternLast: 1,
    patterns: [COMMENTS, ...patterns],
  };
}

export function keyword(...words: readonly string[]): readonly [string, string] {
  return [word(...words), 'keyword.other'];
}

/** `field title { … }`: with the name on the same line, or on a later one. */
export function declaration(word: string, scope: string, ...patterns: readonly Rule[]): readonly Rule[] {
  const name = [NAME, scope] as const;
  return [
    statement([keyword(word), name], ...patterns),
    { ...statement([keyword(word)], statement([name], ...patterns)), end: '(?<=\\})|(?=[^\\s/A-Za-z_])' },
  ];
}
