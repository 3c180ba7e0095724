/**
 * The items that expressions, selections and queries read. An item is a field of a model (`Room.capacity`), or the set
 * of records of a model (`Booking#records`).
 */
import type { Definition } from './definition.ts';
import type { Expression, Origin, Query, Read, Selected, Step } from './expression.ts';
import { modelIn } from './lookup.ts';

export type Item = string;

/** The item for the set of records of a model. */
export function recordsOf(model: string): Item {
  return `${model}#records`;
}

export function fieldOf(model: string, field: string): Item {
  return `${model}.${field}`;
}

/** The model of an item. No name contains a dot or a hash. */
export function modelOf(item: Item): string {
  const dot = item.indexOf('.');
  return item.slice(0, dot === -1 ? item.indexOf('#') : dot);
}

/** The items that a value over a row is computed from, also through references, computed members and queries. */
export function readsOfValue(value: Expression, model: string, definition: Definition): ReadonlySet<Item> {
  const reads = new ReadItems(definition, () => undefined);
  reads.add([{ value }], at(model));
  return reads.items;
}

export interface RowReads {
  /** Fields of the row itself. */
  readonly own: ReadonlySet<string>;
  /** The models whose other records it reads. */
  readonly others: ReadonlySet<string>;
}

/**
 * The same reads, split: those that another write to the row changes, and those that writes to other records change.
 */
export function rowReads(value: Expression | Read, model: string, definition: Definition): RowReads {
  const own = new Set<string>();
  const others = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { kind, path = [], ...part } = node as Expression & { readonly path?: readonly Step[] };
    const [first] = path;
    if (first === undefined) {
      if (kind === 'field' && 'field' in part && part.field !== 'id') own.add(part.field);
      if (kind === 'computed' && 'computed' in part)
        visit(modelIn(definition, model)?.computed.find(({ name }) => name === part.computed)?.value);
      else for (const inner of Object.values(part)) visit(inner);
      return;
    }
    const key = first.kind === 'reference' ? fieldOf(model, first.field) : undefined;
    if (first.kind === 'reference') own.add(first.field);
    for (const item of readsOfValue(node as Expression, model, definition)) if (item !== key) others.add(modelOf(item));
  };
  visit(value);
  return { own, others };
}

/** Whether a value is read through a query that ends in `one`. The existing rows decide whether that record exists. */
export function promisesRecord(part: unknown, definition: Definition): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { kind, many, nullable, model, computed } = part as Readonly<Record<string, unknown>>;
  if (kind === 'query' && many === false && nullable === false) return true;
  const owner = kind === 'computed' ? modelIn(definition, String(model)) : undefined;
  const behind = owner?.computed.find(({ name }) => name === computed);
  return [...Object.values(part), behind].some((inner) => promisesRecord(inner, definition));
}

/** The record that an expression is about, and the paths from it whose ends are locked. */
interface RowAt {
  readonly model: string;
  readonly lockedPaths: ReadonlySet<string>;
  /** References of other models to this record, as items: while it is locked, nobody changes the records that have them. */
  readonly lockedRelations?: ReadonlySet<Item> | undefined;
}

export const NOTHING_LOCKED: ReadonlySet<string> = new Set();
/** The path without steps. */
export const ITSELF: ReadonlySet<string> = new Set(['']);

export function pathName(path: readonly Step[]): string {
  return path.map(({ name }) => name).join('.');
}

/** Whether the order decides what is read, because only a part of the found records is taken. */
export function isPart({ limit, offset, cardinality }: Query): boolean {
  return limit !== null || offset !== null || cardinality !== 'many';
}

export class ReadItems {
  readonly items = new Set<Item>();
  readonly #definition: Definition;
  readonly #rowOfRecord: (record: string) => RowAt | undefined;
  readonly #collections = new Set<string>();
  readonly #seen = new Set<unknown>();

  constructor(definition: Definition, rowOfRecord: (record: string) => RowAt | undefined) {
    this.#definition = definition;
    this.#rowOfRecord = rowOfRecord;
  }

  /** The items of models whose records are counted, searched or listed. */
  ofCollections(): readonly Item[] {
    return [...this.items].filter((item) => this.#collections.has(modelOf(item)));
  }

  add(parts: readonly (Read | Selected | { readonly value: Expression })[], row: RowAt): void {
    this.#visit(parts, row);
  }

  /** Gives the records of the query as rows. */
  addQuery(query: Query, row: RowAt | null): RowAt {
    const each = this.#origin(query, row);
    this.#visit(query.filter, each);
    if (isPart(query)) this.#visit(query.orderBy, each);
    return each;
  }

  /** Adds the reads of a query for the code of a hook. */
  addHookQuery(query: Query, select: readonly Selected[]): void {
    this.#visit(select, this.addQuery(query, null));
  }

  #visit(node: unknown, row: RowAt): void {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const inner of node) this.#visit(inner, row);
      return;
    }
    const part = node as Expression | Selected | Read | { readonly kind?: undefined };
    switch (part.kind) {
      case 'field':
        this.#path(part.path, row);
        if (!row.lockedPaths.has(pathName(part.path))) this.#field(part.model, part.field);
        return;
      case 'computed':
        this.#path(part.path, row);
        this.#computed(part.model, part.computed, part.path.length === 0 ? row : at(part.model));
        return;
      case 'collect':
      case 'aggregate':
        this.#visit(part.value, this.#path(part.path, row));
        return;
      case 'records': {
        const origin: Origin = 'origin' in part ? part.origin : { kind: 'row' };
        const each = this.#origin({ ...part, origin }, row);
        this.#visit(part.select, part.path.length === 0 && origin.kind === 'row' ? row : each);
        return;
      }
      case 'hook':
        this.#hook(part.hook, row);
        return;
      default:
        for (const inner of Object.values(part)) this.#visit(inner, row);
    }
  }

  #hook(hook: unknown, row: RowAt): void {
    const known =
      typeof hook === 'string' ? modelIn(this.#definition, row.model)?.hooks.find(({ name }) => name === hook) : null;
    const { arguments: args } = (known?.hook ?? hook) as { arguments: readonly { kind: string }[] };
    for (const argument of args) {
      const { query, select } = argument as { query?: Query; select?: readonly Selected[] };
      const each = query ? this.addQuery(query, row) : row;
      this.#visit(query ? select : argument, each);
    }
  }

  #computed(model: string, name: string, row: RowAt): void {
    const computed = modelIn(this.#definition, model)?.computed.find((member) => member.name === name);
    const isNew = computed !== undefined && (row.lockedPaths.size > 0 || !this.#seen.has(computed));
    if (!isNew) return;
    if (row.lockedPaths.size === 0) this.#seen.add(computed);
    this.#visit(computed.value, row);
  }

  #origin({ origin, path, model }: Pick<Query, 'origin' | 'path' | 'model'>, row: RowAt | null): RowAt {
    if (origin.kind === 'model') this.#records(model);
    const start = origin.kind === 'record' ? this.#rowOfRecord(origin.id.record) : row;
    return start && path.length > 0 ? this.#path(path, start) : at(model);
  }

  #path(path: readonly Step[], start: RowAt): RowAt {
    let from = start;
    for (const step of path) from = this.#step(step, from);
    return from === start ? at(start.model) : from;
  }

  #step(step: Step, from: RowAt): RowAt {
    switch (step.kind) {
      case 'reference':
        this.#field(from.model, step.field);
        return at(step.model);
      case 'relation':
        if (from.lockedRelations?.has(fieldOf(step.model, step.field)))
          return { model: step.model, lockedPaths: ITSELF };
        this.#records(step.model);
        this.#field(step.model, step.field);
        return at(step.model);
      case 'query':
        return this.#modelQuery(step.of, step.name, from) ?? at(step.model);
    }
  }

  #modelQuery(model: string, name: string, row: RowAt): RowAt | undefined {
    const query = modelIn(this.#definition, model)?.queries.find((member) => member.name === name)?.query;
    if (query === undefined || (row.lockedRelations === undefined && this.#seen.has(query))) return undefined;
    if (row.lockedRelations === undefined) this.#seen.add(query);
    return this.addQuery(query, { model, lockedPaths: NOTHING_LOCKED, lockedRelations: row.lockedRelations });
  }

  #records(model: string): void {
    this.#collections.add(model);
    this.items.add(recordsOf(model));
  }

  /** An id never changes. */
  #field(model: string, field: string): void {
    if (field !== 'id') this.items.add(fieldOf(model, field));
  }
}

function at(model: string): RowAt {
  return { model, lockedPaths: NOTHING_LOCKED };
}
