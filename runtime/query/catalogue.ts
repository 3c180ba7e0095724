/** The names of the definition, as Postgres knows them. */
import { COLUMN_TYPES } from '../../compiler/definition/column-types.ts';
import type {
  Computed,
  Definition,
  Field,
  Model,
  ModelHook,
  Query,
  Scalar,
  Type,
} from '../../compiler/definition/definition.ts';
import { quoted } from './sql.ts';

export class Catalogue {
  readonly #models: ReadonlyMap<string, CataloguedModel>;
  readonly #enums: ReadonlyMap<string, string>;

  constructor(definition: Definition) {
    this.#models = new Map(definition.models.map((model) => [model.name, new CataloguedModel(model)]));
    this.#enums = new Map(definition.enums.map(({ name, type }) => [name, type]));
  }

  model(name: string): CataloguedModel {
    return known(this.#models.get(name), name);
  }

  /** What a value of this type is cast to. */
  sqlType({ kind, enum: name, many }: Type): string {
    const type = name === undefined ? TYPES[kind as Scalar] : quoted(known(this.#enums.get(name), name));
    return many ? `${known(type, kind)}[]` : known(type, kind);
  }
}

export class CataloguedModel {
  readonly definition: Model;
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #computed: ReadonlyMap<string, Computed>;
  readonly #queries: ReadonlyMap<string, Query>;
  readonly #hooks: ReadonlyMap<string, ModelHook>;

  constructor(model: Model) {
    this.definition = model;
    this.#fields = byName(model.fields);
    this.#computed = byName(model.computed);
    this.#queries = new Map(model.queries.map(({ name, query }) => [name, query]));
    this.#hooks = byName(model.hooks);
  }

  get table(): string {
    return quoted(this.definition.table);
  }

  field(name: string): Field {
    return known(this.#fields.get(name), name);
  }

  column(name: string): string {
    return quoted(this.field(name).column);
  }

  computed(name: string): Computed {
    return known(this.#computed.get(name), name);
  }

  query(name: string): Query {
    return known(this.#queries.get(name), name);
  }

  hook(name: string): ModelHook {
    return known(this.#hooks.get(name), name);
  }
}

function byName<T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.name, item]));
}

/** The compiler has resolved every name, so a missing one is a definition that was changed by hand. */
function known<T>(found: T | undefined, name: string): T {
  if (found === undefined) throw new Error(`the definition uses \`${name}\`, but does not define it`);
  return found;
}

/** What custom code gives is bound as text. */
const TYPES: Readonly<Partial<Record<Type['kind'], string>>> = { ...COLUMN_TYPES, any: 'text' };
