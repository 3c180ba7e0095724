/** Names, types and texts as a statement has them. Each of these types is a string that some function has made safe. */
import type { ColumnType } from '../schema.ts';

declare const KIND: unique symbol;

/** A quoted name, or the name of a type. Only this file makes them. */
export type Name = string & { readonly [KIND]: 'name' };

/** A quoted text. Only the compiler makes them, for migrations; the runtime binds its texts. */
export type QuotedText = string & { readonly [KIND]: 'text' };

export function quotedName(name: string): Name {
  return `"${name.replaceAll('"', '""')}"` as Name;
}

export function typeName(type: ColumnType): Name {
  if (typeof type === 'string') return type as string as Name;
  return type.many ? (`${quotedName(type.enum)}[]` as Name) : quotedName(type.enum);
}
