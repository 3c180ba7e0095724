/** Names by a key that stays the same wherever the declaration moves, so that uses and declarations find each other. */
import type { Meaning } from '../../compiler/check/context.ts';
import type { Member } from '../../compiler/program/program.ts';

/** Of the key of a reference. */
export const KEY_SUFFIX = '_id';

interface NameKey {
  readonly key: string;
  /** What a use adds to the name: `author_id` is the key of the reference `author`. */
  readonly suffix: string;
}

export const typeKey = (name: string): string => name;
export const memberKey = (owner: string, name: string): string => `${owner}.${name}`;
export const validatorKey = (name: string): string => `validator ${name}`;
export const runtimeKey = (name: string): string => `runtime ${name}`;
export const populatorKey = (name: string): string => `populator ${name}`;

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
