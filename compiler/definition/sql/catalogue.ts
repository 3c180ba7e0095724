/** The names of the definition, as Postgres knows them. */
import type { Computed, Definition, Field, Model, ModelHook } from '../definition.ts';
import type { Query, Type } from '../expression.ts';
import { byName } from '../lookup.ts';
import { isScalar, SCALARS } from '../scalars.ts';
import type { ColumnType } from '../schema.ts';
import { type Name, quotedName, type Sql, sql, typeName } from './sql.ts';

export class Catalogue {
  readonly #definitions: ReadonlyMap<string, Model>;
  readonly #enums: ReadonlyMap<string, string>;
  readonly #models = new Map<string, CataloguedModel>();

  constructor({ models, enums }: Definition) {
    this.#definitions = byName(models);
    this.#enums = new Map(enums.map(({ name, type }) => [name, type]));
  }

  /** The model, made when it is first needed: a migration needs few of them. */
  model(name: string): CataloguedModel {
    const model = this.#models.get(name) ?? new CataloguedModel(known(this.#definitions.get(name), name));
    this.#models.set(name, model);
    return model;
  }

  /** The SQL type that a value of this type is cast to. */
  sqlType({ kind, enum: name, many }: Type): Sql {
    const type = name === undefined ? columnType(kind) : { enum: known(this.#enums.get(name), name) };
    return many ? sql`${typeName(type)}[]` : sql`${typeName(type)}`;
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

  get table(): Name {
    return quotedName(this.definition.table);
  }

  field(name: string): Field {
    return known(this.#fields.get(name), name);
  }

  column(name: string): Name {
    return quotedName(this.field(name).column);
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

/** The compiler has resolved every name, so a missing one is a definition that was changed by hand. */
function known<T>(found: T | undefined, name: string): T {
  if (found === undefined) throw new Error(`the definition uses \`${name}\`, but does not define it`);
  return found;
}

/** The column type of a kind. A value of custom code is bound as text. */
function columnType(kind: Type['kind']): ColumnType {
  return kind === 'any' ? 'text' : known(isScalar(kind) ? SCALARS[kind].column : undefined, kind);
}
