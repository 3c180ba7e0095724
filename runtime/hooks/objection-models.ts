/**
 * The models of the application as Objection's, for the code of hooks. What is known from the definition is made once;
 * a model is bound to a transaction when a hook first asks for it there.
 */

import knexFactory, { type Knex } from 'knex';
import { type AnyQueryBuilder, Model, type ModelClass, type RelationMappings, type TransactionOrKnex } from 'objection';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Definition, Model as Described, Field } from '../../compiler/definition/definition.ts';
import { REMOVAL_KIND, type StoredFile } from '../../compiler/definition/files.ts';
import { once } from '../../compiler/definition/memo.ts';
import type { Scalar } from '../../compiler/definition/scalars.ts';
import { JOBS } from '../../compiler/definition/work.ts';
import { fileFault, newFiles } from '../values/file-rules.ts';
import { parserOf } from '../values/kinds.ts';
import { uuidV7 } from '../values/uuid.ts';
import type { HookDatabase } from './context.ts';

export type HookDatabases = (session: () => DriverSession, log: Logger) => HookDatabase;

export function hookDatabases(definition: Definition, files: HookDatabase['files']): HookDatabases {
  const described = new Map(definition.models.map((model) => [model.name, model]));
  const models = new Map(definition.models.map((model) => [model.name, modelOf(model, described)]));
  const columns = columnsByName(definition);
  const columnOf = (name: string) => columns.get(name) ?? name;
  return (session, log) => boundModels(models, files, () => knexInTransaction({ session, columnOf, log }));
}

/** Objection's own way binds all models that relations lead to, for every request. */
function boundModels(
  models: ReadonlyMap<unknown, ModelOfDefinition>,
  files: HookDatabase['files'],
  open: () => Knex.Transaction,
): HookDatabase {
  const bound = new Map<unknown, ModelClass<Model>>();
  const transaction = once(open);
  const modelNamed = (name: unknown) => {
    const model = models.get(name);
    if (model && !bound.has(name)) bound.set(name, boundModel(model, transaction(), modelNamed));
    return bound.get(name) as ModelClass<Model>;
  };
  const get = (_: object, name: unknown) => {
    if (name === 'files') return modelNamed(name) ?? files;
    return modelNamed(name) ?? (name === 'knex' ? transaction() : undefined);
  };
  return new Proxy({}, { get }) as HookDatabase;
}

type ModelNamed = (name: string) => ModelClass<Model>;

function boundModel({ unbound, relations }: ModelOfDefinition, knex: Knex, modelNamed: ModelNamed): ModelClass<Model> {
  const bound = class extends unbound {
    static override relationMappings = () => relations(modelNamed);
  };
  const query = (transaction?: TransactionOrKnex) => unbound.query.call(bound, transaction).onBuild(selectOwnColumns);
  Object.defineProperty(bound, 'name', { value: unbound.name });
  bound.knex(knex);
  return Object.assign(bound, { query }) as ModelClass<Model>;
}

/** Columns that were dropped, secrets among them, are in the table until the previous release is gone. */
function selectOwnColumns(query: AnyQueryBuilder): void {
  if (!query.isFind() || query.hasSelects() || query.has('from')) return;
  const table = query.tableRefFor(query.modelClass());
  const { columns } = query.modelClass().tableMetadata();
  query.select(columns.map((column) => `${table}.${column}`));
}

interface ModelOfDefinition {
  readonly unbound: ModelClass<Model>;
  readonly relations: (modelNamed: ModelNamed) => RelationMappings;
}

function modelOf(described: Described, all: ReadonlyMap<string, Described>): ModelOfDefinition {
  const unbound = unboundModel(described);
  if (described.fields.some(({ file }) => file)) Object.assign(unbound, ownFilesOnly([...all.values()]));
  Object.defineProperty(unbound, 'name', { value: described.name });
  const isRenamed = described.fields.some(({ name, column }) => name !== column);
  if (isRenamed) unbound.columnNameMappers = columnNameMappers(unbound);
  const relations = relationsOf(described, all);
  return {
    unbound,
    relations: (modelNamed) =>
      Object.fromEntries(
        relations.map(({ name, relation, to, join }) => [name, { relation, modelClass: () => modelNamed(to), join }]),
      ) as RelationMappings,
  };
}

function unboundModel({ name: model, table, fields }: Described): ModelClass<Model> {
  const columns = fields.map(({ column }) => column);
  const fieldOf = new Map(fields.map(({ name, column }) => [column, name]));
  const columnOf = new Map(fields.map(({ name, column }) => [name, column]));
  const json = fields.filter(({ type }) => type.kind === 'json');
  const files = fields.filter(({ file }) => file);
  const enumLists = fields.filter(({ type }) => type.kind === 'enum' && type.many).map(({ name }) => name);
  const secrets = fields.filter(({ secret }) => secret).map(({ name }) => name);
  const hasUuid = fields.some(({ name, type }) => name === 'id' && type.kind === 'uuid');
  return class extends Model {
    static override tableName = table;
    static override useLimitInFirst = true;
    // Objection finds them by making a record for each, again in each transaction.
    static override columnNameToPropertyName = (column: string) => fieldOf.get(column) ?? column;
    static override propertyNameToColumnName = (name: string) => columnOf.get(name) ?? name;
    declare id: unknown;

    /** Without these, Objection would read them from the catalog, where a previous release has views in their place. */
    static override tableMetadata = () => ({ columns });

    override $beforeInsert(): void {
      if (hasUuid) this.id ??= uuidV7();
    }

    /** pg would make an array of Postgres from a list, and take a string for the text of a JSON value. */
    override $formatDatabaseJson(values: Values): Values {
      for (const field of files) requireFile(values[field.name], field, model);
      const given = json.filter(({ name }) => values[name] !== undefined && values[name] !== null);
      return super.$formatDatabaseJson({
        ...values,
        ...Object.fromEntries(given.map(({ name, type }) => [name, jsonTexts(values[name], type.many === true)])),
      });
    }

    /** pg does not know the types of enums, so their arrays come as text. */
    override $parseDatabaseJson(values: Values): Values {
      const parsed = super.$parseDatabaseJson(values);
      for (const name of enumLists) parsed[name] = listFromText(parsed[name]);
      return parsed;
    }

    /** Leaves out secrets: what a hook returns or logs is written as JSON. */
    override $formatJson(values: Values): Values {
      const shown = super.$formatJson(values);
      for (const name of secrets) delete shown[name];
      return shown;
    }
  };
}

type Values = Record<string, unknown>;

/** Checks what `files.write` has returned. Raw SQL is not looked at. */
function requireFile(value: unknown, { name, file }: Field, model: string): void {
  const fault = file && isFile(value) && fileFault(value, file);
  if (fault) throw new Error(`\`${model}.${name}\` ${fault}`);
}

function isFile(value: unknown): value is StoredFile {
  return typeof value === 'object' && value !== null && 'id' in value && 'size' in value;
}

const NOT_OWN = 'this file is of another record: read it by `db.files.read`, and write a copy by `db.files.write`';

/**
 * The bytes of a file are removed with its record, so no other record may have it. The check is a division by zero, after
 * which the hook can store nothing at all. It reads whole tables, so a new file that is stored once goes without.
 */
function ownFilesOnly(models: readonly Described[]): Pick<typeof Model, 'afterInsert' | 'afterUpdate'> {
  const holders = models.flatMap(({ table, fields }) =>
    fields.flatMap(({ file, column }) => (file ? [`SELECT 1 FROM "${table}" WHERE "${column}" ->> 'id' = :id`] : [])),
  );
  const removal = `SELECT 1 FROM "${JOBS}" WHERE "kind" = '${REMOVAL_KIND}' AND "input" ->> 'file' = :id`;
  const check = `SELECT 1 / (count(*) < 2)::int FROM (${[...holders, removal].join(' UNION ALL ')}) AS holder`;
  const afterInsert: (typeof Model)['afterInsert'] = async ({ inputItems, transaction, result }) => {
    const isOnce = result.length <= inputItems.length && !(result[0] > 1);
    for (const file of inputItems.flatMap((item) => Object.values(item)).filter(isFile)) {
      if (isOnce && newFiles.delete(file)) continue;
      await transaction.raw(check, { id: String(file.id) }).catch((error) => {
        throw error.code === '22012' ? new Error(NOT_OWN) : error;
      });
    }
  };
  return { afterInsert, afterUpdate: afterInsert };
}

/** Serialises a JSON value; for a list, each of its items. */
function jsonTexts(value: unknown, isList: boolean): unknown {
  return isList ? (value as readonly unknown[]).map((item) => JSON.stringify(item)) : JSON.stringify(value);
}

function listFromText(value: unknown): unknown {
  return typeof value === 'string' ? textsInArray(value) : value;
}

function columnNameMappers({ columnNameToPropertyName, propertyNameToColumnName }: ModelClass<Model>) {
  return {
    parse: (values: Values) => renamed(values, columnNameToPropertyName),
    format: (values: Values) => renamed(values, propertyNameToColumnName),
  };
}

function renamed(values: Values, nameOf: (name: string) => string): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [nameOf(name), value]));
}

/** Maps names in queries to columns. A name that is a column itself stays as it is, and so does an ambiguous one. */
function columnsByName({ models }: Definition): ReadonlyMap<string, string> {
  const fields = models.flatMap((model) => model.fields);
  const columns = new Map(fields.map(({ name, column }) => [name, column]));
  for (const { name, column } of fields) if (columns.get(name) !== column) columns.delete(name);
  for (const { column } of fields) columns.delete(column);
  return columns;
}

function relationsOf({ name: own, references, relations }: Described, all: ReadonlyMap<string, Described>) {
  const columnOf = (model: string, field: string) => {
    const { table, fields } = all.get(model) as Described;
    return `${table}.${fields.find(({ name }) => name === field)?.column}`;
  };
  const toOne = references.map(({ name, field, to }) => {
    const join = { from: columnOf(own, field), to: columnOf(to, 'id') };
    return { name, relation: Model.BelongsToOneRelation, to, join };
  });
  const back = relations.map(({ name, from, through, many }) => {
    const key = all.get(from)?.references.find((reference) => reference.name === through)?.field as string;
    const join = { from: columnOf(own, 'id'), to: columnOf(from, key) };
    return { name, relation: many ? Model.HasManyRelation : Model.HasOneRelation, to: from, join };
  });
  return [...toOne, ...back];
}

// ── Knex in transaction ─────────────────────────────────────────────────────────────────────────────────────────────

// Knex for the code of hooks, within the transaction of a request: it opens no connection and ends no transaction.

/** The connection of a transaction, as far as Knex uses it. */
export interface DriverSession {
  query(config: object, done: (error: Error | null, result: object) => void): void;
}

interface KnexOptions {
  /** Throws when the transaction is over. */
  readonly session: () => DriverSession;
  /** The column that a name in a query means. */
  readonly columnOf: (name: string) => string;
  readonly log: Logger;
}

/** A transaction inside it is a savepoint. */
export function knexInTransaction({ session, columnOf, log }: KnexOptions): Knex.Transaction {
  const knex = knexFactory({
    client: 'pg',
    connectionPool: poolOf({ query: (config, done) => session().query({ ...config, types: TYPES }, done) }),
    wrapIdentifier: (name, wrap) => wrap(columnOf(name)),
    // Values do not belong into the messages of errors.
    compileSqlOnError: false,
    log: knexLog(log),
  });
  const isCompleted = () => isOver(session);
  makeSavepoints(knex, isCompleted);
  return Object.assign(knex, {
    isTransaction: true,
    isCompleted,
    commit: refuseToEnd,
    rollback: refuseToEnd,
    savepoint: knex.transaction.bind(knex),
  }) as unknown as Knex.Transaction;
}

const { INT8, TIMESTAMPTZ, DATE } = pg.types.builtins;

/** The numbers that Postgres has for types of arrays, which pg does not list. */
const ARRAYS = { text: 1009, int8: 1016, timestamptz: 1185, date: 1182, numeric: 1231 };

/** The items of an array that Postgres has printed. */
export const textsInArray: (text: string) => readonly string[] = pg.types.getTypeParser(ARRAYS.text);

function arrayOf(kind: Scalar): (text: string) => unknown {
  const parse = parserOf({ kind });
  return (text) => textsInArray(text).map(parse);
}

/** The parsers for types that pg reads differently from the arguments of hooks. Both read all other types the same. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [INT8, parserOf({ kind: 'integer' })],
  [TIMESTAMPTZ, parserOf({ kind: 'timestamp' })],
  [DATE, parserOf({ kind: 'date' })],
  [ARRAYS.int8, arrayOf('integer')],
  [ARRAYS.timestamptz, arrayOf('timestamp')],
  [ARRAYS.date, arrayOf('date')],
  [ARRAYS.numeric, arrayOf('decimal')],
]);

const TYPES = {
  getTypeParser: (oid: number, format?: 'text') => PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format),
};

/** Makes a pool of one connection for Knex, which recognises a pool by these six methods. */
function poolOf(connection: DriverSession): Knex.TarnPoolLike {
  const pool = {
    acquire: () => ({ promise: Promise.resolve(connection) }),
    release: () => true,
    destroy: async () => undefined,
    numFree: () => 0,
    numUsed: () => 0,
    numPendingAcquires: () => 0,
  };
  return pool;
}

/**
 * Makes Knex behave as within a transaction that it began itself: inner ones are savepoints, and wait for one another.
 * `_lastChild` and `transacting` are private parts of Knex, so it is pinned: see
 * `test/packaging/private-parts.test.ts`.
 */
function makeSavepoints(knex: Knex, isCompleted: () => boolean): void {
  const { client } = knex;
  const outer = { _lastChild: Promise.resolve(), isCompleted, transactor: knex };
  const transaction = client.transaction.bind(client);
  client.transacting = true;
  client.transaction = (work: unknown, config: unknown, parent: unknown) => transaction(work, config, parent ?? outer);
}

function knexLog(log: Logger): Knex.Logger {
  return {
    warn: (message: unknown) => log.warn({ knex: message }, 'a warning of Knex'),
    error: (message: unknown) => log.error({ knex: message }, 'an error of Knex'),
    debug: (message: unknown) => log.debug({ knex: message }, 'Knex'),
    deprecate: (method: string, alternative: string) => log.warn({ method, alternative }, 'deprecated in Knex'),
  };
}

async function refuseToEnd(): Promise<never> {
  throw new Error('the request itself ends its transaction: throw an error to roll it back');
}

function isOver(session: () => DriverSession): boolean {
  try {
    session();
    return false;
  } catch {
    return true;
  }
}
