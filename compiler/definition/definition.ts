/**
 * The definition: all that the rest of Kiln knows of an application. Plain JSON without source text or positions,
 * so that two sources that mean the same give the same bytes. Every name in it is a key that exists: of a model, a
 * member, a parameter, an input or a record. Nothing that reads a definition resolves names or checks types.
 */
import type {
  Api,
  Auth,
  DroppedJob,
  Endpoint,
  EndpointLocks,
  Entrypoint,
  Job,
  Reaction,
  Schedule,
  Serializable,
  Webhook,
} from './endpoint.ts';
import type { Expression, Hook, Normaliser, Query, Shape, Type, Validation, Validator } from './expression.ts';

// All types of the definition are imported from this file.
export type * from './endpoint.ts';
export type * from './expression.ts';
export type { Scalar } from './scalars.ts';

/** The version. It is raised whenever an older reader could misunderstand a newer definition. */
export const DEFINITION_VERSION = 1;

export interface Definition {
  readonly version: 1;
  /** The enums, sorted by name. */
  readonly enums: readonly Enum[];
  /** The models, sorted by name. */
  readonly models: readonly Model[];
  /** Models of the previous release that are to be dropped with their data. */
  readonly droppedModels: readonly string[];
  /** The validators, sorted by name. */
  readonly validators: readonly Validator[];
  /** The shapes, ordered by name. Absent where there are none. */
  readonly shapes?: readonly Shape[];
  /** The settings, ordered by name. Absent where there are none. */
  readonly settings?: readonly Setting[];
  readonly auth: Auth | null;
  /** The APIs, sorted by name, the one without a name first. */
  readonly apis: readonly Api[];
  /** The entrypoints, sorted by id. */
  readonly entrypoints: readonly Entrypoint[];
  /** The endpoints, sorted by path, then by method. */
  readonly endpoints: readonly Endpoint[];
  /** The serializable endpoints, sorted by id. Absent in a definition of an earlier Kiln. */
  readonly serializable?: readonly Serializable[];
  /** By the ids of their endpoints. Absent where there are none. */
  readonly locks?: readonly EndpointLocks[];
  /** The jobs, sorted by name. Absent where there are none. */
  readonly jobs?: readonly Job[];
  readonly droppedJobs?: readonly DroppedJob[];
  /** The reactions, sorted by model, event and text. Absent where there are none. */
  readonly reactions?: readonly Reaction[];
  /** The schedules, sorted by name. Absent where there are none. */
  readonly schedules?: readonly Schedule[];
  /** The webhooks, sorted by name. Absent where there are none. */
  readonly webhooks?: readonly Webhook[];
  /** The populators, sorted by name. */
  readonly populators: readonly Populator[];
  readonly generators: readonly Generator[];
}

/** A variable of the environment that the application declares. */
export interface Setting {
  readonly name: string;
  readonly doc: string | null;
  readonly type: Type;
  /** As it would be written in the environment; null where the variable must be set. */
  readonly default: string | null;
  readonly secret: boolean;
}

// ── Models ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Enum {
  readonly name: string;
  /** Its name in the database, final as those of tables are. */
  readonly type: string;
  readonly was: string | null;
  readonly doc: string | null;
  /** The values in the order of the source, which is their sort order. */
  readonly values: readonly EnumValue[];
  readonly drops: readonly string[];
}

export interface EnumValue {
  readonly name: string;
  readonly was: string | null;
  readonly doc: string | null;
}

export interface Model {
  readonly name: string;
  /** Its name in the database: at most 63 bytes, and of no other table or type. */
  readonly table: string;
  readonly was: string | null;
  readonly doc: string | null;
  /** The columns: `id` first, then fields and keys of references as they were written. */
  readonly fields: readonly Field[];
  readonly references: readonly Reference[];
  readonly relations: readonly Relation[];
  readonly computed: readonly Computed[];
  readonly queries: readonly ModelQuery[];
  readonly hooks: readonly ModelHook[];
  readonly uniques: readonly (readonly string[])[];
  readonly indexes: readonly (readonly IndexPart[])[];
  /** Members of the previous release that are to be dropped with their data. */
  readonly drops: readonly string[];
}

export interface Field {
  readonly name: string;
  /** Its name in the database: at most 63 bytes, and of no other column of the table. */
  readonly column: string;
  readonly doc: string | null;
  readonly type: Type;
  readonly unique: boolean;
  readonly index: boolean;
  readonly secret: boolean;
  readonly normalise?: readonly Normaliser[];
  /** The default. The server evaluates it when a record is created without a value for the field. */
  readonly default: Expression | null;
  readonly validate: Validation | null;
  /**
   * The value for existing rows, computed over the record in the database. The backfill of the key of a reference is
   * the id of a record.
   */
  readonly backfill: Expression | null;
  readonly was: string | null;
  /** The reference whose key this is. */
  readonly reference: string | null;
  /** Present where the type is `file`. */
  readonly file?: FileRules;
}

export interface FileRules {
  /** The media types, sorted: `image/png`, `image/*`. Absent where every type is taken. */
  readonly accept?: readonly string[];
  /** The largest size in bytes. */
  readonly max: number;
}

export interface Reference {
  readonly name: string;
  readonly doc: string | null;
  /** The field that holds the key. */
  readonly field: string;
  readonly to: string;
  readonly unique: boolean;
  readonly nullable: boolean;
  readonly onDelete: 'cascade' | 'set null' | 'restrict';
  readonly was: string | null;
}

export interface Relation {
  readonly name: string;
  readonly doc: string | null;
  readonly from: string;
  /** The reference of `from` whose reverse side this is. */
  readonly through: string;
  readonly many: boolean;
}

export interface Computed {
  readonly name: string;
  readonly doc: string | null;
  readonly value: Expression;
}

export interface ModelQuery {
  readonly name: string;
  readonly doc: string | null;
  readonly query: Query;
}

export interface ModelHook {
  readonly name: string;
  readonly doc: string | null;
  readonly hook: Hook;
}

export interface IndexPart {
  readonly field: string;
  readonly descending: boolean;
}

// ── Populators and generators ───────────────────────────────────────────────────────────────────────────────────────

export interface Populator {
  readonly name: string;
  readonly doc: string | null;
  readonly populates: readonly Populate[];
}

export interface Populate {
  readonly record: string;
  readonly model: string;
  /** The field that takes the parent's id; null at the top. */
  readonly parent: string | null;
  /** `current` goes from `start` to `end`. */
  readonly repeat: { readonly name: string | null; readonly start: number; readonly end: number };
  readonly values: readonly { readonly field: string; readonly value: Expression }[];
  readonly populates: readonly Populate[];
}

export type Generator =
  | { readonly kind: 'client'; readonly target: 'ts' | 'js'; readonly output: string }
  | { readonly kind: 'apidocs'; readonly basePath: string };
