/** What declarations declare, as an outline: the names with their keys, and what lies within them. */
import type * as ast from '../../compiler/ast/ast.ts';
import type { Meaning } from '../../compiler/check/context.ts';
import type { Member } from '../../compiler/program/program.ts';
import type { Span } from '../../compiler/source/source-file.ts';

export type DeclaredKind = ast.Declaration['kind'] | ast.ModelMember['kind'] | 'value' | 'entrypoint' | 'endpoint';

export interface Declared {
  readonly kind: DeclaredKind;
  /** What the outline calls it. */
  readonly title: string;
  /** Nothing where no use can lead here. */
  readonly key: string | undefined;
  /** The name, or where there is none the words at the beginning. */
  readonly name: Span;
  readonly span: Span;
  readonly doc: string | null;
  readonly was: boolean;
  readonly children: readonly Declared[];
}

export function declaredBy(declaration: ast.Declaration): Declared {
  switch (declaration.kind) {
    case 'model':
      return named(declaration, typeKey(declaration.name.text), membersOf(declaration));
    case 'enum':
      return named(declaration, typeKey(declaration.name.text), valuesOf(declaration));
    case 'shape':
      return named(declaration, typeKey(declaration.name.text));
    case 'validator':
      return named(declaration, validatorKey(declaration.name.text));
    case 'runtime':
      return named(declaration, runtimeKey(declaration.name.text));
    case 'populator':
      return named(declaration, populatorKey(declaration.name.text));
    case 'api':
      return apiOutline(declaration);
    case 'drop-model':
      return nameless(declaration.kind, `drop model ${declaration.name.text}`, declaration.name.span, declaration.span);
    case 'auth':
      return nameless('auth', 'auth', headOf(declaration.span, 'auth'), declaration.span);
    case 'generator':
      return nameless('generator', `generator ${declaration.generator}`, declaration.kindSpan, declaration.span);
  }
}

interface Named {
  readonly kind: DeclaredKind;
  readonly name: ast.Name;
  readonly span: Span;
  readonly doc?: string | null;
  readonly was?: ast.Name | undefined;
}

function named(written: Named, key: string | undefined, children: readonly Declared[] = []): Declared {
  const { kind, name, span, doc = null, was } = written;
  return { kind, title: name.text, key, name: name.span, span, doc, was: was !== undefined, children };
}

function nameless(
  kind: DeclaredKind,
  title: string,
  name: Span,
  span: Span,
  children: readonly Declared[] = [],
  doc: string | null = null,
): Declared {
  return { kind, title, key: undefined, name, span, doc, was: false, children };
}

function headOf(span: Span, word: string): Span {
  return { ...span, end: span.start + word.length };
}

function membersOf({ name: model, members }: ast.ModelDeclaration): readonly Declared[] {
  return members.map((member) => {
    if ('parts' in member) {
      const title = `${member.kind} { ${member.parts.map((part) => part.name.text).join(', ')} }`;
      return nameless(member.kind, title, headOf(member.span, member.kind), member.span);
    }
    if (member.kind === 'drop') return nameless('drop', `drop ${member.name.text}`, member.name.span, member.span);
    return named(member, memberKey(model.text, member.name.text));
  });
}

function valuesOf({ name: owner, values }: ast.EnumDeclaration): readonly Declared[] {
  return values.map((value) => named({ ...value, kind: 'value' }, memberKey(owner.text, value.name.text)));
}

function apiOutline({ name, span, doc, entrypoints }: ast.ApiDeclaration): Declared {
  const title = name ? `api ${name.text}` : 'api';
  return nameless('api', title, name?.span ?? headOf(span, 'api'), span, entrypoints.map(entrypointOutline), doc);
}

function entrypointOutline(written: ast.EntrypointDeclaration): Declared {
  const { resource, alias, span, doc } = written;
  const title = alias ? `${resource.text} as ${alias.text}` : resource.text;
  const children = [...written.endpoints.map(endpointOutline), ...written.entrypoints.map(entrypointOutline)];
  return nameless('entrypoint', title, resource.span, span, children, doc);
}

function endpointOutline({ endpoint, head, span, doc, method, path }: ast.EndpointDeclaration): Declared {
  const title = endpoint === 'custom' ? `${method?.value ?? 'custom'} ${path?.value ?? ''}`.trim() : endpoint;
  return nameless('endpoint', title, head, span, [], doc);
}

// ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Names by a key that stays the same wherever the declaration moves, so that uses and declarations find each other.

/** Of the key of a reference. */
const KEY_SUFFIX = '_id';

interface NameKey {
  readonly key: string;
  /** What a use adds to the name: `author_id` is the key of the reference `author`. */
  readonly suffix: string;
}

const typeKey = (name: string): string => name;
export const memberKey = (owner: string, name: string): string => `${owner}.${name}`;
const validatorKey = (name: string): string => `validator ${name}`;
const runtimeKey = (name: string): string => `runtime ${name}`;
const populatorKey = (name: string): string => `populator ${name}`;

/** The key of what an author declared; nothing for what Kiln brings along. */
export function keyOf(meaning: Meaning): NameKey | undefined {
  switch (meaning.kind) {
    case 'model':
      return plain(typeKey(meaning.model.name));
    case 'enum':
      return plain(typeKey(meaning.enum.name));
    case 'shape':
      return plain(typeKey(meaning.shape.name));
    case 'value':
      return plain(memberKey(meaning.enum.name, meaning.value));
    case 'member':
      return keyOfMember(meaning.member);
    case 'validator':
      return meaning.validator && plain(validatorKey(meaning.name));
    case 'runtime':
      return plain(runtimeKey(meaning.name));
    case 'local':
      return plain(localKey(meaning.declared));
    case 'scalar':
    case 'function':
    case 'faker':
    case 'auth':
      return undefined;
  }
}

function plain(key: string): NameKey {
  return { key, suffix: '' };
}

function keyOfMember(member: Member): NameKey {
  const reference = member.kind === 'field' ? member.reference : undefined;
  if (reference) return { key: memberKey(member.model.name, reference.name), suffix: KEY_SUFFIX };
  return plain(memberKey(member.model.name, member.name));
}

/** Locals are seen in their own declaration only, so their place will do. */
export function localKey({ file, start }: { readonly file: string; readonly start: number }): string {
  return `${file}\n${start}`;
}

export function isLocalKey(key: string): boolean {
  return key.includes('\n');
}
