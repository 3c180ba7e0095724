import type { Normaliser, Read, Snapshot, Type } from '../definition/expression.ts';
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
      return flagged({ kind: base.kind, ...('digits' in base && { digits: base.digits }) }, nullable, many);
  }
}

/** The type with these flags and no others. */
export function flagged({ nullable: _, many: __, ...type }: Type, nullable: boolean, many = false): Type {
  return { ...type, ...(nullable ? { nullable } : {}), ...(many ? { many } : {}) };
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

  /** Asks for a value of a record, and gives the expression that stands for it. */
  ask(record: string, read: Read, type: Type): Snapshot {
    const reads = this.#byRecord.get(record) ?? new Map<string, Read>();
    this.#byRecord.set(record, reads.set(read.name, read));
    return { kind: 'snapshot', record, read: read.name, type };
  }

  /** By name, so that the order in which expressions were met does not show. */
  of(record: string): readonly Read[] {
    const reads = [...(this.#byRecord.get(record)?.values() ?? [])];
    return reads.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

export const AUTH = '@auth';
