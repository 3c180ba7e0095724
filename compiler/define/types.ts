import type { Normaliser, Read, Snapshot, Type } from '../definition/expression.ts';
import type * as program from '../program/program.ts';

export function typeFrom({ base, nullable, many }: program.Type): Type {
  switch (base.kind) {
    case 'enum':
      return variantOf('enum', base.enum.name, nullable, many);
    case 'record':
      return variantOf('record', base.model.name, nullable, many);
    case 'object':
      return variantOf('json', '', nullable, many);
    case 'null':
      return variantOf('any', '', nullable, many);
    default:
      return variantOf(base.kind, '', nullable, many);
  }
}

/** The type with these flags and no others. */
export function flagged({ kind, enum: type, model }: Type, nullable: boolean, many = false): Type {
  return variantOf(kind, type ?? model ?? '', nullable, many);
}

/** By kind, then by the name of the enum or model: the same type with every combination of flags. */
const known = new Map<Type['kind'], Map<string, (Type | undefined)[]>>();

/** A definition has few types and many values, so equal types are one object. */
function variantOf(kind: Type['kind'], name: string, nullable: boolean, many: boolean): Type {
  const variants = variantsOf(kind, name);
  const at = (nullable ? 1 : 0) + (many ? 2 : 0);
  variants[at] ??= {
    kind,
    ...(kind === 'enum' ? { enum: name } : {}),
    ...(kind === 'record' ? { model: name } : {}),
    ...(nullable ? { nullable } : {}),
    ...(many ? { many } : {}),
  };
  return variants[at];
}

function variantsOf(kind: Type['kind'], name: string): (Type | undefined)[] {
  let ofKind = known.get(kind);
  if (!ofKind) {
    ofKind = new Map();
    known.set(kind, ofKind);
  }
  let variants = ofKind.get(name);
  if (!variants) {
    variants = [undefined, undefined, undefined, undefined];
    ofKind.set(name, variants);
  }
  return variants;
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

// ── Reads ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Gathers what has to be read of each record of an endpoint. A read is named after what it reads, so that asking
 * twice is asking once.
 */
export class Reads {
  readonly #byRecord = new Map<string, Map<string, Read>>();
  #asked = 0;

  /** How often something was asked for. */
  get asked(): number {
    return this.#asked;
  }

  /** Asks for a value of a record, and gives the expression that stands for it. */
  ask(record: string, read: Read, type: Type): Snapshot {
    this.#asked++;
    let reads = this.#byRecord.get(record);
    if (!reads) {
      reads = new Map();
      this.#byRecord.set(record, reads);
    }
    reads.set(read.name, read);
    return { kind: 'snapshot', record, read: read.name, type };
  }

  /** By name, so that the order in which expressions were met does not show. */
  of(record: string): readonly Read[] {
    const reads = [...(this.#byRecord.get(record)?.values() ?? [])];
    return reads.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** What is lowered without asking for anything is the same wherever it stands, and is made once. */
export function keptUnlessAsking<K extends object, A extends { readonly reads: Reads }, V>(
  make: (part: K, around: A) => V,
): (part: K, around: A) => V {
  const kept = new WeakMap<K, { readonly made: V }>();
  return (part, around) => {
    const known = kept.get(part);
    if (known) return known.made;
    const before = around.reads.asked;
    const made = make(part, around);
    if (around.reads.asked === before) kept.set(part, { made });
    return made;
  };
}

export const AUTH = '@auth';
