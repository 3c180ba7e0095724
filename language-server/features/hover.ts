/** The meaning of a name in words, with the lines that declare it and the comment above them. */
import type { Hover, Position } from 'vscode-languageserver/node';
import type { Meaning } from '../../compiler/check/context.ts';
import type { Member } from '../../compiler/program/program.ts';
import { typeName, typeOfMember } from '../../compiler/program/type.ts';
import { type Form, formNamed, type PlaceName } from '../../compiler/syntax/forms.ts';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import { wordsFor } from '../../compiler/syntax/shapes.ts';
import { LEAF_TYPES, type SyntaxNode } from '../../compiler/syntax/syntax-node.ts';
import type { Declared } from '../project/declared.ts';
import type { KilnFile, Sound } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { fakerText, fenced, functionText, scalarText, validatorText } from './built-ins.ts';
import { wordAround } from './completion.ts';
import { occurrenceAt } from './occurrences.ts';

export function hoverAt(project: Project, file: KilnFile, position: Position): Hover | undefined {
  const found = occurrenceAt(project, file, position);
  if (!found) return hoverOfKeyword(project, file, position);
  const { key, meaning } = found.occurrence;
  const value = meaning ? textOfMeaning(project, meaning, key) : key && textOfKey(project, key);
  return value ? { contents: { kind: 'markdown', value }, range: found.range } : undefined;
}

function hoverOfKeyword(project: Project, file: KilnFile, position: Position): Hover | undefined {
  const { section, offset } = file.placeAt(position);
  const place = project.placed(section.id);
  const found = keywordHoverAt(section.text, offset);
  if (!place || !found || file.isTemplate) return undefined;
  const range = file.rangeIn(place.index, found.start, found.end);
  return { contents: { kind: 'markdown', value: found.text }, range };
}

function textOfMeaning(project: Project, meaning: Meaning, key: string | undefined): string | undefined {
  switch (meaning.kind) {
    case 'scalar':
      return scalarText(meaning.scalar);
    case 'function':
      return functionText(meaning.name);
    case 'faker':
      return fakerText(meaning.module, meaning.method);
    case 'validator':
      return meaning.validator ? key && textOfKey(project, key) : validatorText(meaning.name);
    case 'auth':
      return `${fenced('@auth')}\n\nWho asks: one \`${meaning.model.name}\`, or null where nobody has logged in.`;
    case 'request':
      return REQUEST_TEXTS[meaning.from];
    case 'local': {
      const type = meaning.type ? `: ${typeName(meaning.type)}` : '';
      return `${fenced(meaning.name)}\n\nAn ${meaning.noun} of this declaration${type}.`;
    }
    case 'member':
      return textOfMember(project, meaning.member, key);
    default:
      return key && textOfKey(project, key);
  }
}

const REQUEST_TEXTS = {
  header: `${fenced('@request.header("x-tenant")')}\n\nA header of the request, or null where it was not sent.`,
  claim: `${fenced('@claims.tenant')}\n\nA claim of the caller's token, or null where it has none.`,
} as const;

/** The keys of references, and `id`, have no lines of their own. */
function textOfMember(project: Project, member: Member, key: string | undefined): string | undefined {
  const { model, name } = member;
  const reference = member.kind === 'field' && member.origin === 'reference' ? member.reference?.name : undefined;
  const written = reference === undefined && key && textOfKey(project, key);
  if (written) return written;
  const noun =
    reference === undefined ? `The id of each \`${model.name}\`` : `The key of the reference \`${reference}\``;
  return `${fenced(`${model.name}.${name}`)}\n\n${noun}: ${typeName(typeOfMember(member))}.`;
}

function textOfKey(project: Project, key: string): string | undefined {
  const found = project.declaring(key);
  if (!found) return undefined;
  const { declared, sound } = found;
  const [owner = '', name] = key.split('.');
  const member = name === undefined ? undefined : project.context?.models.get(owner)?.members.get(name);
  const type = member
    ? `\`${owner}.${name}\` is ${typeName(typeOfMember(member))}.`
    : declared.kind === 'value'
      ? `A value of the enum \`${owner}\`.`
      : undefined;
  return [fenced(linesOf(declared, sound)), type, declared.doc].filter((part) => part).join('\n\n');
}

const MOST_LINES = 12;

/** The declaration as written; only the beginning of a long one. */
function linesOf({ span, kind }: Declared, { text }: Sound): string {
  const lineStart = text.lastIndexOf('\n', span.start - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart, span.start))?.[0] ?? '';
  const words = text.slice(span.start, span.end).replaceAll('\r', '');
  const lines = words.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  const most = kind === 'model' ? MOST_LINES * 2 : MOST_LINES;
  return lines.length <= most ? lines.join('\n') : [...lines.slice(0, most - 1), '  …'].join('\n');
}

// ── Keyword hover ────────────────────────────────────────────────────────────────────────────────────────────────────

// The hover of a keyword: its form, its purpose, an example, and the content of its block.

export function keywordHoverAt(text: string, offset: number) {
  const { start, end } = wordAround(text, offset);
  // There is at most one rule between a keyword and its form, such as the `direction` of an `order_item`.
  const around = nodesAround(parseText(text).root, start, end).slice(0, 2);
  const innermost = around[0]?.type ?? '';
  if (start === end) return undefined;
  if (Object.hasOwn(WORD_TEXTS, innermost)) return { start, end, text: textOfWord(WORD_TEXTS[innermost] as WordText) };
  if (LEAF_TYPES.has(innermost)) return undefined;
  const word = text.slice(start, end);
  const form = around.map(({ type }) => formNamed(type) ?? formNamed(`${type} ${word}`)).find(Boolean);
  return form && { start, end, text: textOf(form) };
}

/** The innermost first. */
function nodesAround(root: SyntaxNode, start: number, end: number): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let node: SyntaxNode | undefined = root; node; ) {
    found.unshift(node);
    node = node.children.find((child) => child.start <= start && end <= child.end);
  }
  return found;
}

function textOf({ shape, example, means, shown = example }: Form): string {
  const place = /\{ ([a-z_]+) \}/.exec(shape)?.[1] as PlaceName | undefined;
  const words = [...new Set(place ? wordsFor(place) : [])].map((word) => `\`${word}\``);
  const holds = words.length > 0 ? [`Its block may hold ${words.join(', ')}.`] : [];
  const written = fenced(shape.replace(/\{ [a-z_]+ \}/g, '{ … }'));
  return [written, textOfWord({ means, example: shown }), ...holds].join('\n\n');
}

function textOfWord({ means, example }: WordText): string {
  return [means, 'Example:', fenced(example)].join('\n\n');
}

// ── Word texts ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface WordText {
  readonly means: string;
  /** A declaration, a member of a model, or something that an entrypoint can have. */
  readonly example: string;
}

/** Texts for words of expressions, which are no forms, by the node of the grammar. */
export const WORD_TEXTS: Readonly<Record<string, WordText>> = {
  is: {
    means:
      'Whether two values are equal. Null equals null, and two records are compared by `id`. When nobody is signed in, `x is @auth` is false.',
    example: 'computed is_draft { status is "draft" }',
  },
  is_not: {
    means: 'Whether two values differ. `x is not null` also tells the compiler that `x` is not null in what follows.',
    example: 'computed is_out { status is not "draft" }',
  },
  in: {
    means: 'Whether a list or a collection has the value.',
    example: 'computed is_known { status in ["draft", "published"] }',
  },
  not_in: {
    means: 'Whether a list or a collection does not have the value.',
    example: 'computed is_new { status not in ["draft", "published"] }',
  },
  and: {
    means: 'True if both sides are true. Null counts as false.',
    example: 'computed is_liked { published and likes > 3 }',
  },
  or: {
    means: 'True if one of the sides is true. Null counts as false.',
    example: 'computed is_seen { published or likes > 0 }',
  },
  not: { means: 'True if the value is false or null.', example: 'computed is_hidden { not published }' },
  true: {
    means: 'The boolean value true. `authorize { true }` says that anyone may call.',
    example: 'update endpoint { authorize { true } }',
  },
  false: { means: 'The boolean value false.', example: 'field archived { type boolean, default false }' },
  null: {
    means: 'No value. Only what is `nullable` can be null.',
    example: 'query unnamed { from Author as author, filter { author.nickname is null }, count }',
  },
  at_word: {
    means: 'An input that the client sends, also where a member has the same name.',
    example: 'list endpoint { extra inputs { field title { type string } }  filter { title is @input.title } }',
  },
};
