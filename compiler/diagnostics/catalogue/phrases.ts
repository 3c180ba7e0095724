import type { Span } from '../../source/source-file.ts';
import type { NearName } from '../words/near-name.ts';
import type { Edit, Note, Words } from '../words/words.ts';

/** Stands for the place of a span; the renderer, which knows the lines, puts `file:line` there. */
export const placeOf = (span: Span): string => `\u0001${span.file}\u0002${span.start}\u0003`;

export function didYouMean(near: NearName | undefined): string | undefined {
  if (!near) return undefined;
  const place = near.span ? ` It is declared in ${placeOf(near.span)}` : '';
  return `did you mean \`${near.name}\`?${place}`;
}

/** `a`, `b` and `c`, each in backticks. */
export function listOf(names: readonly string[], joint: 'and' | 'or' = 'and'): string {
  const quoted = names.map((name) => `\`${name}\``);
  if (quoted.length < 2) return quoted.join('');
  return `${quoted.slice(0, -1).join(', ')} ${joint} ${quoted.at(-1)}`;
}

/** Lists the existing names, after an unknown one was used. */
export function itHas(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const [shown, more] = names.length > 8 ? [names.slice(0, 6), names.length - 6] : [names, 0];
  return more > 0
    ? `it has ${shown.map((name) => `\`${name}\``).join(', ')} and ${more} more`
    : `it has ${listOf(shown)}`;
}

/** Whether a type in words is of several values. */
export const isMany = (type: string): boolean => /^a (collection|list) of /.test(type);

export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** One record of a model. */
export function aRecord(model: string): string {
  return `${/^[AEIO]/.test(model) ? 'an' : 'a'} \`${model}\``;
}

/** A kind of member as it is called in a sentence. */
export function memberNoun(kind: string): string {
  return kind === 'computed' ? 'a computed member' : withArticle(kind);
}

export function note(span: Span, text: string): readonly Note[] {
  return [{ span, text }];
}

/** The edit that adds a text behind what is there. */
export function behind(span: Span | undefined, text: string): readonly Edit[] | undefined {
  return span && [{ span: { ...span, start: span.end }, text }];
}

/** The words for something that may occur once and occurs a second time. */
export function twice({ first }: { readonly first: Span }, message: string, label: string): Words {
  return { message, label, notes: note(first, 'the first is here') };
}

/** A name that leads nowhere, and what may have been meant. */
export interface Unknown {
  readonly name: string;
  readonly near: NearName | undefined;
  /** The names that there are. */
  readonly others?: readonly string[];
}

/** `otherwise` is the label and `help` the help where nothing can be suggested. */
export function unknown(f: Omit<Unknown, 'name'>, message: string, otherwise: string, help?: string): Words {
  return {
    message,
    label: didYouMean(f.near) ?? itHas(f.others ?? []) ?? otherwise,
    help: f.near ? undefined : help,
    instead: f.near?.name,
  };
}

/** A member that the model does not have, or that is of a kind that does not belong here. */
export interface UnfitMember extends Unknown {
  readonly model: string;
  /** The kind of member that has this name. */
  readonly found: string | undefined;
  readonly others: readonly string[];
}

/** The words for a nested block whose name is no member, or a member of another kind. */
export function unfit(
  { model, name, found, near, others }: UnfitMember,
  kind: string,
  rule: string,
  none: string,
): Words {
  return {
    message: found
      ? `\`${model}.${name}\` is ${memberNoun(found)}, and ${rule}`
      : `\`${model}\` has no ${kind} \`${name}\``,
    label:
      didYouMean(near) ??
      (found && others.length > 0 ? `use ${listOf(others, 'or')}` : itHas(others)) ??
      `\`${model}\` has ${none}`,
    instead: near?.name,
  };
}

export const SETTING_TYPES =
  'the types of settings are `string`, `integer`, `float`, `decimal`, `boolean`, `date`, `timestamp`, `uuid` and your enums';

/** What is said for each of several mistakes: a message and a label. */
export function wordsFor<T extends string>(why: T, words: Readonly<Record<T, readonly [string, string]>>): Words {
  const [message, label] = words[why];
  return { message, label };
}
