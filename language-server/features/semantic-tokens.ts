/** The colours of names, by what they mean. Keywords, texts and comments are left to the grammar of the editor. */
import { type Range, type SemanticTokens, SemanticTokensBuilder } from 'vscode-languageserver/node';
import type { Meaning } from '../../compiler/check/meaning.ts';
import type { Occurrence } from '../project/checked-section.ts';
import type { Declared } from '../project/declared.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { occurrencesIn } from './occurrences.ts';

export const TOKEN_TYPES = [
  'class',
  'enum',
  'enumMember',
  'property',
  'function',
  'type',
  'variable',
  'parameter',
  'namespace',
  'method',
] as const;

export const TOKEN_MODIFIERS = ['declaration', 'defaultLibrary', 'readonly'] as const;

type TokenType = (typeof TOKEN_TYPES)[number];

const DECLARATION = 1;
const LIBRARY = 2;
const READONLY = 4;

export function semanticTokens(project: Project, file: KilnFile, range?: Range): SemanticTokens {
  const builder = new SemanticTokensBuilder();
  const from = range ? file.offsetAt(range.start) : 0;
  const to = range ? file.offsetAt(range.end) : file.text.length;
  for (const [index, section] of file.sections.entries()) {
    const start = file.startOf(index);
    if (start > to || start + section.text.length < from) continue;
    const isWanted = (first: number, end: number) => start + end >= from && start + first <= to;
    for (const { occurrence, range: at } of occurrencesIn(project, { file, index, section }, isWanted)) {
      const token = tokenOf(project, occurrence);
      const { line, character } = at.start;
      if (token)
        builder.push(line, character, at.end.character - character, TOKEN_TYPES.indexOf(token.type), token.modifiers);
    }
  }
  return builder.build();
}

interface Token {
  readonly type: TokenType;
  readonly modifiers: number;
}

function tokenOf(project: Project, { meaning, key, isDeclaration }: Occurrence): Token | undefined {
  const declared = isDeclaration ? DECLARATION : 0;
  if (meaning) return { ...tokenOfMeaning(meaning), modifiers: tokenOfMeaning(meaning).modifiers | declared };
  const kind = key === undefined ? undefined : project.declaring(key)?.declared.kind;
  const type = kind && DECLARED_TYPES[kind];
  return type && { type, modifiers: declared };
}

const DECLARED_TYPES: Readonly<Partial<Record<Declared['kind'], TokenType>>> = {
  model: 'class',
  enum: 'enum',
  value: 'enumMember',
  validator: 'function',
  runtime: 'namespace',
  populator: 'namespace',
  field: 'property',
  reference: 'property',
  relation: 'property',
  computed: 'property',
  query: 'property',
  hook: 'method',
};

function tokenOfMeaning(meaning: Meaning): Token {
  switch (meaning.kind) {
    case 'model':
      return { type: 'class', modifiers: 0 };
    case 'enum':
      return { type: 'enum', modifiers: 0 };
    case 'value':
      return { type: 'enumMember', modifiers: 0 };
    case 'member':
      return { type: meaning.member.kind === 'hook' ? 'method' : 'property', modifiers: 0 };
    case 'scalar':
      return { type: 'type', modifiers: LIBRARY };
    case 'function':
    case 'faker':
      return { type: 'function', modifiers: LIBRARY };
    case 'validator':
      return { type: 'function', modifiers: meaning.validator ? 0 : LIBRARY };
    case 'runtime':
      return { type: 'namespace', modifiers: 0 };
    case 'auth':
      return { type: 'variable', modifiers: LIBRARY | READONLY };
    case 'local':
      return { type: meaning.noun === 'alias' ? 'variable' : 'parameter', modifiers: 0 };
  }
}
