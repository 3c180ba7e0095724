import type { Normaliser, Read, Snapshot, Type } from '../definition/expression.ts';
import type * as program from '../program/program.ts';

export function typeFrom({ base, nullable, many, nullItems }: program.Type): Type {
  return flagged(bareFrom(base), nullable, many, nullItems);
}

function bareFrom(base: program.Base): Type {
  switch (base.kind) {
    case 'enum':
      return { kind: 'enum', enum: base.enum.name };
    case 'record':
      return { kind: 'record', model: base.model.name };
    case 'object':
      return { kind: 'json' };
    case 'null':
      return { kind: 'any' };
    default:
      return { kind: base.kind, ...('digits' in base && { digits: base.digits }) };
  }
}

/** The type with these flags and no others. */
export function flagged(
  { nullable: _, many: __, nullItems: ___, ...type }: Type,
  nullable: boolean,
  many = false,
  nullItems = false,
): Type {
  return { ...type, ...(nullable && { nullable }), ...(many && { many }), ...(many && nullItems && { nullItems }) };
}

export const BOOLEAN: Type = { kind: 'boolean' };
export const FLOAT: Type = { kind: 'float' };

export function idTypeOf(model: program.Model): Type {
  return typeFrom((model.members.get('id') as program.Field).type);
}

/** The normalisers of a field; left out if there are none. */
export function normaliseFrom(normalise: readonly Normaliser[]): { readonly normalise?: readonly Normaliser[] } {
  return normalise.length === 0 ? {} : { normalise };
}

// ── Reads ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Collects the reads of each record of an endpoint. A read is named after what it reads, so that two equal requests are
 * one.
 */
export class Reads {
  readonly #byRecord = new Map<string, Map<string, Read>>();

  /** Requests a value of a record, and returns the expression for it. */
  ask(record: string, read: Read, type: Type): Snapshot {
    const reads = this.#byRecord.get(record) ?? new Map<string, Read>();
    this.#byRecord.set(record, reads.set(read.name, read));
    return { kind: 'snapshot', record, read: read.name, type };
  }

  /** The reads of a record, sorted by name, so that the order of expressions does not matter. */
  of(record: string): readonly Read[] {
    const reads = [...(this.#byRecord.get(record)?.values() ?? [])];
    return reads.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

export const AUTH = '@auth';
