/** The colours of names, by what they mean. Keywords, texts and comments are left to the grammar of the editor. */
import { type Range, type SemanticTokens, SemanticTokensBuilder } from 'vscode-languageserver/node';
import type { Meaning } from '../../compiler/check/context.ts';
import type { Member } from '../../compiler/program/program.ts';
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
  for (const { section, index } of file.sectionsIn(range)) {
    const start = file.startOf(index);
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

function tokenOf(project: Project, { meaning, key, isDeclaration }: Occurrence) {
  const kind = meaning ? kindOf(meaning) : key === undefined ? undefined : project.declaring(key)?.declared.kind;
  const type = kind && TYPES[kind];
  const modifiers = (isDeclaration ? DECLARATION : 0) | (meaning ? modifiersOf(meaning) : 0);
  return type && { type, modifiers };
}

type NameKind = Exclude<Meaning['kind'], 'member'> | Member['kind'] | 'alias';

/** The token types by the meaning of a name, and by the declaration of a name that means nothing elsewhere. */
const TYPES: Readonly<Record<NameKind, TokenType> & Partial<Record<Declared['kind'], TokenType>>> = {
  model: 'class',
  shape: 'type',
  enum: 'enum',
  value: 'enumMember',
  validator: 'function',
  rule: 'function',
  setting: 'variable',
  job: 'function',
  runtime: 'namespace',
  populator: 'namespace',
  field: 'property',
  reference: 'property',
  relation: 'property',
  computed: 'property',
  query: 'property',
  hook: 'method',
  scalar: 'type',
  function: 'function',
  faker: 'function',
  auth: 'variable',
  request: 'variable',
  alias: 'variable',
  local: 'parameter',
};

function kindOf(meaning: Meaning): NameKind {
  if (meaning.kind === 'member') return meaning.member.kind;
  return meaning.kind === 'local' && meaning.noun === 'alias' ? 'alias' : meaning.kind;
}

function modifiersOf(meaning: Meaning): number {
  if (meaning.kind === 'auth' || meaning.kind === 'request') return LIBRARY | READONLY;
  if (meaning.kind === 'validator') return meaning.validator ? 0 : LIBRARY;
  return meaning.kind === 'scalar' || meaning.kind === 'function' || meaning.kind === 'faker' ? LIBRARY : 0;
}
