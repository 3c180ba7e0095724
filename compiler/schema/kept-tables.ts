/**
 * The tables of models that are the same objects as before. `kiln dev` makes the schema again after every edit, and most
 * models stay. A table that is kept is the same object too, so that whoever compares schemas need not look into it.
 */
import type { Model } from '../definition/definition.ts';
import { type Names, plainName } from '../definition/names.ts';
import type { Table } from '../definition/schema.ts';
import { type TableDraft, tableFromDraft } from './table-from-draft.ts';

interface KeptTable {
  readonly table: Table;
  /** What the table is made of beside the model. */
  readonly others: string;
  /** The names that it has claimed. */
  readonly names: readonly string[];
}

const KEPT = new WeakMap<Model, KeptTable>();

/** `others` is what the draft is made of beside the model. */
export function keptTable(model: Model, others: readonly unknown[], names: Names, draft: () => TableDraft): Table {
  const key = JSON.stringify(others);
  const kept = KEPT.get(model);
  if (kept?.others === key && names.claimAgain(kept.names)) return kept.table;
  const claims = new Claims(names);
  const table = tableFromDraft(draft(), claims);
  if (claims.arePlain) KEPT.set(model, { table, others: key, names: claims.names });
  return table;
}

/** Remembers what was claimed. A name with a fingerprint depends on the tables before, and so does its table. */
class Claims {
  readonly names: string[] = [];
  arePlain = true;
  readonly #space: Names;

  constructor(space: Names) {
    this.#space = space;
  }

  claim(parts: readonly string[], suffix = ''): string {
    const name = this.#space.claim(parts, suffix);
    this.names.push(name);
    this.arePlain &&= name === plainName(parts, suffix);
    return name;
  }
}
