/** Which files a field takes, by their type and size. */
import type { FileRules } from '../../compiler/definition/definition.ts';
import { PAGES, type StoredFile } from '../../compiler/definition/files.ts';

/** What the code of hooks has written, and no record has taken yet. */
export const newFiles = new WeakSet<object>();

/** Whether a file of the type may be uploaded. `image/*` has no pictures with code in them. */
export function isAccepted(type: string, accept: readonly string[]): boolean {
  if (accept.length === 0 || accept.includes(type)) return true;
  return !PAGES.includes(type) && accept.includes(`${type.split('/')[0]}/*`);
}

/** Why the field does not take a file that custom code has written; null where it does. */
export function fileFault(file: unknown, { accept = [], max }: FileRules): string | null {
  const { type, size } = file as StoredFile;
  if (!isAccepted(type, accept)) return `must be one of ${accept.join(', ')}, and is ${type}`;
  return size > max ? `must have at most ${max} bytes, and has ${size}` : null;
}
