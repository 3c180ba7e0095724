import type { Normaliser, Type } from '../definition/definition.ts';
import type * as program from '../program/program.ts';

export function typeFrom({ base, nullable, many }: program.Type): Type {
  switch (base.kind) {
    case 'enum':
      return flagged({ kind: 'enum', enum: base.enum.name }, nullable, many);
    case 'record':
      return flagged({ kind: 'record', model: base.model.name }, nullable, many);
    case 'object':
      return flagged({ kind: 'json' }, nullable, many);
    case 'null':
      return flagged({ kind: 'any' }, nullable, many);
    default:
      return flagged({ kind: base.kind }, nullable, many);
  }
}

const known = new Map<string, Type>();

/** The type with these flags and no others. A definition has few types and many values, so equal types are one object. */
export function flagged({ kind, enum: name, model }: Type, nullable: boolean, many = false): Type {
  const key = `${kind} ${name ?? ''} ${model ?? ''} ${nullable} ${many}`;
  let type = known.get(key);
  if (!type) {
    type = {
      kind,
      ...(name === undefined ? {} : { enum: name }),
      ...(model === undefined ? {} : { model }),
      ...(nullable ? { nullable } : {}),
      ...(many ? { many } : {}),
    };
    known.set(key, type);
  }
  return type;
}

export const BOOLEAN: Type = { kind: 'boolean' };
export const FLOAT: Type = { kind: 'float' };

export function idTypeOf(model: program.Model): Type {
  return typeFrom((model.members.get('id') as program.Field).type);
}

export const orNull = <T>(value: T | undefined): T | null => value ?? null;

/** Left out where nothing is normalised. */
export function normaliseFrom(normalise: readonly Normaliser[]): { readonly normalise?: readonly Normaliser[] } {
  return normalise.length === 0 ? {} : { normalise };
}
