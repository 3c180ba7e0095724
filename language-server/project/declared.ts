/** The outline of declarations: the names with their keys, and the names within them. */
import type * as ast from '../../compiler/ast/ast.ts';
import type { Meaning } from '../../compiler/check/context.ts';
import type { Member } from '../../compiler/program/program.ts';
import type { Span } from '../../compiler/source/source-file.ts';

export type DeclaredKind = ast.Declaration['kind'] | ast.ModelMember['kind'] | 'value' | 'entrypoint' | 'endpoint';

export interface Declared {
  readonly kind: DeclaredKind;
  /** The title in the outline. */
  readonly title: string;
  /** The key; undefined if no use can lead here. */
  readonly key: string | undefined;
  /** The span of the name, or of the first words if there is none. */
  readonly name: Span;
  readonly span: Span;
  readonly doc: string | null;
  readonly was: boolean;
  readonly children: readonly Declared[];
}

export function declaredBy(declaration: ast.Declaration): Declared {
  switch (declaration.kind) {
    case 'model':
      return named(declaration, declaration.name.text, membersOf(declaration));
    case 'enum':
      return named(declaration, declaration.name.text, valuesOf(declaration));
    case 'shape':
      return named(declaration, declaration.name.text);
    case 'validator':
    case 'rule':
    case 'setting':
    case 'job':
    case 'mail':
    case 'schedule':
    case 'runtime':
    case 'populator':
      return named(declaration, `${declaration.kind} ${declaration.name.text}`);
    case 'api':
      return apiOutline(declaration);
    case 'drop-model':
      return nameless(declaration, `drop model ${declaration.name.text}`, declaration.name.span);
    case 'drop-job':
      return nameless(declaration, `drop job ${declaration.name.text}`, declaration.name.span);
    case 'reaction':
      return nameless(declaration, `on ${declaration.event} of ${declaration.model.text}`, declaration.head);
    case 'webhook':
      return nameless(declaration, `webhook ${declaration.name.text}`, declaration.name.span);
    case 'auth':
      return nameless(declaration, 'auth', headOf(declaration.span, 'auth'));
    case 'generator':
      return nameless(declaration, `generator ${declaration.generator}`, declaration.kindSpan);
  }
}

interface Nameless {
  readonly kind: DeclaredKind;
  readonly span: Span;
  readonly doc?: string | null;
}

interface Named extends Nameless {
  readonly name: ast.Name;
  readonly was?: ast.Name | undefined;
}

function named(written: Named, key: string, children: readonly Declared[] = []): Declared {
  const { name, was } = written;
  return { ...nameless(written, name.text, name.span, children), key, was: was !== undefined };
}

/** A declaration that no use can lead to. */
function nameless(written: Nameless, title: string, name: Span, children: readonly Declared[] = []): Declared {
  const { kind, span, doc = null } = written;
  return { kind, title, key: undefined, name, span, doc, was: false, children };
}

function headOf(span: Span, word: string): Span {
  return { ...span, end: span.start + word.length };
}

function membersOf({ name: model, members }: ast.ModelDeclaration): readonly Declared[] {
  return members.map((member) => {
    if ('parts' in member) {
      const title = `${member.kind} { ${member.parts.map((part) => part.name.text).join(', ')} }`;
      return nameless(member, title, headOf(member.span, member.kind));
    }
    if (member.kind === 'drop') return nameless(member, `drop ${member.name.text}`, member.name.span);
    return named(member, memberKey(model.text, member.name.text));
  });
}

function valuesOf({ name: owner, values }: ast.EnumDeclaration): readonly Declared[] {
  return values.map((value) => named({ ...value, kind: 'value' }, memberKey(owner.text, value.name.text)));
}

function apiOutline(written: ast.ApiDeclaration): Declared {
  const { name, span, entrypoints } = written;
  const title = name ? `api ${name.text}` : 'api';
  return nameless(written, title, name?.span ?? headOf(span, 'api'), entrypoints.map(entrypointOutline));
}

function entrypointOutline(written: ast.EntrypointDeclaration): Declared {
  const { resource, alias } = written;
  const title = alias ? `${resource.text} as ${alias.text}` : resource.text;
  const children = [...written.endpoints.map(endpointOutline), ...written.entrypoints.map(entrypointOutline)];
  return nameless({ ...written, kind: 'entrypoint' }, title, resource.span, children);
}

function endpointOutline(written: ast.EndpointDeclaration): Declared {
  const { endpoint, head, method, path } = written;
  const title = endpoint === 'custom' ? `${method?.value ?? 'custom'} ${path?.value ?? ''}`.trim() : endpoint;
  return nameless({ ...written, kind: 'endpoint' }, title, head);
}

// ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Names by a key that stays the same wherever the declaration moves, so that uses and declarations find each other.

/** The suffix of the key of a reference. */
const KEY_SUFFIX = '_id';

interface NameKey {
  readonly key: string;
  /** The suffix that a use adds to the name: `author_id` is the key of the reference `author`. */
  readonly suffix: string;
}

export const memberKey = (owner: string, name: string): string => `${owner}.${name}`;

/** The key of a declaration of an author; undefined for a built-in. */
export function keyOf(meaning: Meaning): NameKey | undefined {
  switch (meaning.kind) {
    case 'model':
      return plain(meaning.model.name);
    case 'enum':
      return plain(meaning.enum.name);
    case 'shape':
      return plain(meaning.shape.name);
    case 'value':
      return plain(memberKey(meaning.enum.name, meaning.value));
    case 'member':
      return keyOfMember(meaning.member);
    case 'validator':
      return meaning.validator && plain(`validator ${meaning.name}`);
    case 'rule':
      return plain(`rule ${meaning.rule.name}`);
    case 'setting':
      return plain(`setting ${meaning.setting.name}`);
    case 'job':
      return plain(`${meaning.job.delivers === 'mail' ? 'mail' : 'job'} ${meaning.job.name}`);
    case 'runtime':
      return plain(`runtime ${meaning.name}`);
    case 'local':
      return plain(localKey(meaning.declared));
    default:
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

/** The key of a local. It is seen in its own declaration only, so its place is enough. */
export function localKey({ file, start }: { readonly file: string; readonly start: number }): string {
  return `${file}\n${start}`;
}

export function isLocalKey(key: string): boolean {
  return key.includes('\n');
}
