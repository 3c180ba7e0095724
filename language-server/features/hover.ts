/** What a name means, in words, with the lines that declare it and the comment above them. */
import type { Hover, Position } from 'vscode-languageserver/node';
import type { Meaning } from '../../compiler/check/meaning.ts';
import { typeOfMember } from '../../compiler/check/paths.ts';
import type { Member } from '../../compiler/program/program.ts';
import { typeName } from '../../compiler/program/type.ts';
import type { Declared } from '../project/declared.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import type { Sound } from '../project/section.ts';
import { fakerText, fenced, functionText, scalarText, validatorText } from './built-ins.ts';
import { keywordHoverAt } from './keyword-hover.ts';
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
  if (!place || !found) return undefined;
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
    case 'local': {
      const type = meaning.type ? `: ${typeName(meaning.type)}` : '';
      return `${fenced(meaning.name)}\n\nAn ${meaning.noun} of this declaration${type}.`;
    }
    case 'member':
      return textOfMember(project, meaning.member, key);
    case 'model':
    case 'enum':
    case 'shape':
    case 'value':
    case 'runtime':
      return key && textOfKey(project, key);
  }
}

/** The keys of references, and `id`, have no lines of their own. */
function textOfMember(project: Project, member: Member, key: string | undefined): string | undefined {
  const { model, name } = member;
  const reference = member.kind === 'field' && member.origin === 'reference' ? member.reference?.name : undefined;
  const written = reference === undefined && key && textOfKey(project, key);
  if (written) return written;
  const noun =
    reference === undefined ? `The id of each \`${model.name}\`` : `The key of the reference \`${reference}\``;
  return `${fenced(`${model.name}.${name}`)}\n\n${noun}: ${typeSentence(project, member)}.`;
}

function typeSentence(project: Project, member: Member): string {
  const type = project.context && typeOfMember(project.context, member, member.span);
  return type ? typeName(type) : 'unknown';
}

function textOfKey(project: Project, key: string): string | undefined {
  const found = project.declaring(key);
  if (!found) return undefined;
  const { declared, sound } = found;
  const [owner = '', name] = key.split('.');
  const member = name === undefined ? undefined : project.context?.models.get(owner)?.members.get(name);
  const type = member
    ? `\`${owner}.${name}\` is ${typeSentence(project, member)}.`
    : declared.kind === 'value'
      ? `A value of the enum \`${owner}\`.`
      : undefined;
  return [fenced(linesOf(declared, sound)), type, declared.doc].filter((part) => part !== undefined).join('\n\n');
}

const MOST_LINES = 12;

/** The declaration as it is written, of a long one the beginning. */
function linesOf({ span, kind }: Declared, { text }: Sound): string {
  const lineStart = text.lastIndexOf('\n', span.start - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart, span.start))?.[0] ?? '';
  const words = text.slice(span.start, span.end).replaceAll('\r', '');
  const lines = words.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  const most = kind === 'model' ? MOST_LINES * 2 : MOST_LINES;
  return lines.length <= most ? lines.join('\n') : [...lines.slice(0, most - 1), '  …'].join('\n');
}
