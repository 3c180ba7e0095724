import type { Read, Snapshot, Type } from '../definition/definition.ts';

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
