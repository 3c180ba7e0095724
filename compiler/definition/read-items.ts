/**
 * What expressions, selections and queries read. An item is a field of a model (`Room.capacity`), or which records of a
 * model there are (`Booking#records`).
 */
import type { Definition } from './definition.ts';
import type { Expression, Origin, Query, Read, Selected, Step } from './expression.ts';
import { modelIn } from './lookup.ts';

export type Item = string;

/** Which records of a model there are. */
export function recordsOf(model: string): Item {
  return `${model}#records`;
}

export function fieldOf(model: string, field: string): Item {
  return `${model}.${field}`;
}

/** No name has a dot or a hash in it. */
export function modelOf(item: Item): string {
  const dot = item.indexOf('.');
  return item.slice(0, dot === -1 ? item.indexOf('#') : dot);
}

/** What a value over a row is computed from, through references, computed members and queries too. */
export function readsOfValue(value: Expression, model: string, definition: Definition): ReadonlySet<Item> {
  const reads = new ReadItems(definition, () => undefined);
  reads.add([{ value }], at(model));
  return reads.items;
}

export interface RowReads {
  /** Fields of the row itself. */
  readonly own: ReadonlySet<string>;
  /** Models of which it reads other records. */
  readonly others: ReadonlySet<string>;
}

/** The same, by whether another write to the row changes the value, or one to other records. */
export function rowReads(value: Expression, model: string, definition: Definition): RowReads {
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

/** Whether a value is read through a query that ends in `one`. Whether there is that record is for the rows to say. */
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
}

export const NOTHING_LOCKED: ReadonlySet<string> = new Set();

export function pathName(path: readonly Step[]): string {
  return path.map(({ name }) => name).join('.');
}

/** Whether the order decides what is read: only some of what is found is taken. */
export function isPart({ limit, offset, cardinality }: Query): boolean {
  return limit !== null || offset !== null || cardinality !== 'many';
}

export class ReadItems {
  readonly items = new Set<Item>();
  readonly #definition: Definition;
  readonly #modelOfRecord: (record: string) => string | undefined;
  readonly #collections = new Set<string>();
  readonly #seen = new Set<unknown>();

  constructor(definition: Definition, modelOfRecord: (record: string) => string | undefined) {
    this.#definition = definition;
    this.#modelOfRecord = modelOfRecord;
  }

  /** What is read of models whose records are counted, searched or listed. */
  ofCollections(): readonly Item[] {
    return [...this.items].filter((item) => this.#collections.has(modelOf(item)));
  }

  add(parts: readonly (Read | Selected | { readonly value: Expression })[], row: RowAt): void {
    this.#visit(parts, row);
  }

  addQuery(query: Query, row: RowAt | null): void {
    this.#origin(query, row);
    const each = at(query.model);
    this.#visit(query.filter, each);
    if (isPart(query)) this.#visit(query.orderBy, each);
  }

  /** What is read for the code of hooks. */
  addHookQuery(query: Query, select: readonly Selected[]): void {
    this.addQuery(query, null);
    this.#visit(select, at(query.model));
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
        this.#path(part.path, row.model);
        if (!row.lockedPaths.has(pathName(part.path))) this.#field(part.model, part.field);
        return;
      case 'computed':
        this.#path(part.path, row.model);
        this.#computed(part.model, part.computed, part.path.length === 0 ? row : at(part.model));
        return;
      case 'collect':
      case 'aggregate':
        this.#visit(part.value, this.#path(part.path, row.model));
        return;
      case 'records': {
        const origin: Origin = 'origin' in part ? part.origin : { kind: 'row' };
        this.#origin({ ...part, origin }, row);
        this.#visit(part.select, part.path.length === 0 && origin.kind === 'row' ? row : at(part.model));
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
      if (query) this.addQuery(query, row);
      this.#visit(query ? select : argument, query ? at(query.model) : row);
    }
  }

  #computed(model: string, name: string, row: RowAt): void {
    const computed = modelIn(this.#definition, model)?.computed.find((member) => member.name === name);
    const isNew = computed !== undefined && (row.lockedPaths.size > 0 || !this.#seen.has(computed));
    if (!isNew) return;
    if (row.lockedPaths.size === 0) this.#seen.add(computed);
    this.#visit(computed.value, row);
  }

  #origin({ origin, path, model }: Pick<Query, 'origin' | 'path' | 'model'>, row: RowAt | null): void {
    if (origin.kind === 'model') this.#records(model);
    const start = origin.kind === 'record' ? this.#modelOfRecord(origin.id.record) : row?.model;
    if (start !== undefined) this.#path(path, start);
  }

  #path(path: readonly Step[], start: string): RowAt {
    let from = start;
    for (const step of path) {
      if (step.kind === 'reference') this.#field(from, step.field);
      if (step.kind === 'relation') {
        this.#records(step.model);
        this.#field(step.model, step.field);
      }
      if (step.kind === 'query') this.#modelQuery(step.of, step.name);
      from = step.model;
    }
    return at(from);
  }

  #modelQuery(model: string, name: string): void {
    const query = modelIn(this.#definition, model)?.queries.find((member) => member.name === name)?.query;
    if (query === undefined || this.#seen.has(query)) return;
    this.#seen.add(query);
    this.addQuery(query, at(model));
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

export function at(model: string): RowAt {
  return { model, lockedPaths: NOTHING_LOCKED };
}
