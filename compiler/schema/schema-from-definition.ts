/**
 * Definition in, schema out. The order in which keys were written makes no difference; what Postgres would make under
 * a name of its own choice (the indexes of keys, the sequences of ids) has its name here too.
 */
import {
  accountMails,
  LOGIN_FAILURES,
  MAIL_TOKENS,
  type PasswordAuth,
  passwordAuthOf,
  TOKENS,
  UNVERIFIED,
} from '../definition/accounts.ts';
import { columnDefault } from '../definition/column-default.ts';
import type { Definition, Field, Model, Scalar } from '../definition/definition.ts';
import { numericType } from '../definition/digits.ts';
import type { Type } from '../definition/expression.ts';
import { hasFiles, UPLOAD_TABLE } from '../definition/files.ts';
import { CHANGES, liveLists } from '../definition/live.ts';
import { groupedBy } from '../definition/lookup.ts';
import { memoized } from '../definition/memo.ts';
import { Names } from '../definition/names.ts';
import { SCALARS } from '../definition/scalars.ts';
import type { ColumnType, IndexColumn, Schema } from '../definition/schema.ts';
import { RECEIVED, takesSigned } from '../definition/signed-requests.ts';
import { JOBS, SCHEDULES } from '../definition/work.ts';
import { liveTriggers } from './live-triggers.ts';
import { reactionTriggers } from './reactions.ts';
import { byName, type ColumnDraft, type Search, type TableDraft, tableFromDraft } from './table-from-draft.ts';

/** Memoized, because a change is compared, fingerprinted and carried out, and each of them needs it. */
export const schemaFromDefinition = memoized((definition: Definition): Schema => {
  const given = givenNames(definition);
  const searched = searchedFields(definition);
  // The tables are sorted by name, because the names of keys are claimed in that order.
  const tables = [
    ...definition.models.map((model) => ({
      name: model.table,
      make: () => tableFromDraft({ ...draftOf(model, given), searches: searchesOf(model, searched) }, given.names),
    })),
    ...ownTables(definition, given).map((draft) => ({
      name: draft.name,
      make: () => tableFromDraft(draft, given.names),
    })),
  ].sort(byName);
  return {
    enums: definition.enums
      .map(({ name, values }) => ({ name: given.typeOf(name), values: values.map((value) => value.name) }))
      .sort(byName),
    tables: tables.map(({ make }) => make()),
    ...triggersOf(definition),
  };
});

function triggersOf(definition: Definition): Pick<Schema, 'reactions'> {
  if (!definition.reactions && liveLists(definition).length === 0) return {};
  return { reactions: [...reactionTriggers(definition), ...liveTriggers(definition)].sort(byName) };
}

function ownTables(definition: Definition, given: GivenNames): readonly TableDraft[] {
  return [
    ...sessionsOf(definition, given),
    ...(definition.jobs ? [JOBS_DRAFT] : []),
    ...(definition.schedules ? [SCHEDULES_DRAFT] : []),
    ...(takesSigned(definition) ? [RECEIVED_DRAFT] : []),
    ...(liveLists(definition).length > 0 ? [CHANGES_DRAFT] : []),
    ...(hasFiles(definition) ? [UPLOADS_DRAFT] : []),
  ];
}

function sessionsOf(definition: Definition, { tableOf }: GivenNames): readonly TableDraft[] {
  const auth = passwordAuthOf(definition);
  const model = definition.models.find(({ name }) => name === auth?.model);
  if (!auth || !model) return [];
  return sessionTables(auth, tableOf(model.name), model.fields.find(isId)?.type.kind === 'uuid');
}

function draftOf(model: Model, given: GivenNames): TableDraft {
  const column = columnNames(model);
  return {
    name: given.tableOf(model.name),
    columns: model.fields.map((field) => columnOf(field, given)),
    primaryKey: [column('id')],
    uniques: uniquesOf(model).map((fields) => fields.map(column)),
    foreignKeys: model.references.map(({ field, to, onDelete }) => ({
      column: column(field),
      to: { table: given.tableOf(to), column: 'id' },
      onDelete,
    })),
    indexes: indexesOf(model).map((parts) => parts.map(({ name, descending }) => ({ name: column(name), descending }))),
  };
}

function columnOf(field: Field, given: GivenNames): ColumnDraft {
  const type = columnType(field.type, given.typeOf);
  const isCounted = isId(field) && type === 'bigint';
  return { name: field.column, type, nullable: field.type.nullable ?? false, default: columnDefault(field), isCounted };
}

/** The id is unique as the primary key. */
function uniquesOf({ fields, uniques }: Model): readonly (readonly string[])[] {
  const single = fields.filter((field) => field.unique && !isId(field));
  return [...single.map(({ name }) => [name]), ...uniques];
}

function indexesOf({ fields, indexes }: Model): readonly (readonly IndexColumn[])[] {
  const single = fields.filter(({ index }) => index).map(({ name }) => [{ name, descending: false }]);
  const several = indexes.map((parts) => parts.map(({ field, descending }) => ({ name: field, descending })));
  return [...single, ...several];
}

/** The searches by model. Their columns are still the names of fields. */
function searchedFields({ endpoints }: Definition) {
  const searches = endpoints.flatMap(({ response }) => {
    if (response.kind !== 'list' || !response.searchable) return [];
    const language = response.search?.language;
    const columns = response.searchable.map(({ value }) => value.field);
    return [{ model: response.query.model, columns, ...(language && { language }) }];
  });
  return groupedBy(searches, ({ model }) => model);
}

/** The order in which the fields of a search are written makes no difference to what it finds. */
function searchesOf(model: Model, searched: ReturnType<typeof searchedFields>): readonly Search[] {
  const own = searched.get(model.name);
  if (!own) return [];
  const column = columnNames(model);
  return own.map(({ model: _, columns, ...how }) => ({ columns: columns.map(column).sort(), ...how }));
}

function isId({ name }: Field): boolean {
  return name === 'id';
}

// ── Column type ──────────────────────────────────────────────────────────────────────────────────────────────────────

function columnType({ kind, enum: name, many, digits }: Type, typeOf: (enumName: string) => string): ColumnType {
  if (name !== undefined) return { enum: typeOf(name), ...(many ? { many } : {}) };
  const column = digits ? numericType(digits) : SCALARS[kind as Scalar].column;
  return many ? `${column}[]` : column;
}

// ── Given names ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The names that the definition gives to tables, types and columns, and the name space that they leave.

interface GivenNames {
  /**
   * The name space that tables, types, sequences, indexes and constraints share. Postgres has several, which overlap.
   */
  readonly names: Names;
  readonly tableOf: (model: string) => string;
  readonly typeOf: (enumName: string) => string;
}

function givenNames({ models, enums }: Definition): GivenNames {
  const tables = new Map(models.map(({ name, table }) => [name, table]));
  const types = new Map(enums.map(({ name, type }) => [name, type]));
  return {
    names: new Names([...tables.values(), ...types.values()]),
    tableOf: (model) => tables.get(model) as string,
    typeOf: (enumName) => types.get(enumName) as string,
  };
}

/** The names of columns, by those of the fields. */
function columnNames({ fields }: Model): (field: string) => string {
  const columns = new Map(fields.map(({ name, column }) => [name, column]));
  return (field) => columns.get(field) as string;
}

// The tables of Kiln beside those of the models: for login by password, and for jobs.

function sessionTables(auth: PasswordAuth, accounts: string, byUuid: boolean): readonly TableDraft[] {
  const account = column('user_id', byUuid ? 'uuid' : 'bigint');
  const foreignKeys = [{ column: account.name, to: { table: accounts, column: 'id' }, onDelete: 'cascade' }] as const;
  const expiring = { foreignKeys, indexes: [indexOn('expires_at')] };
  return [
    ownTable(TOKENS, sessionColumns(account), expiring),
    FAILURES,
    ...(accountMails(auth).length > 0 ? [ownTable(MAIL_TOKENS, mailTokenColumns(account), expiring)] : []),
    // Accounts whose address is not verified yet. All others are, also those from before.
    ...(auth.password.verify ? [ownTable(UNVERIFIED, [account], { foreignKeys })] : []),
  ];
}

/** The first column is the primary key. */
function ownTable(name: string, columns: readonly ColumnDraft[], more: Partial<TableDraft> = {}): TableDraft {
  const primaryKey = columns.slice(0, 1).map((each) => each.name);
  return { name, columns, primaryKey, uniques: [], foreignKeys: [], indexes: [], ...more };
}

function column(name: string, type: ColumnType, more: Partial<ColumnDraft> = {}): ColumnDraft {
  return { name, type, nullable: false, default: null, isCounted: false, ...more };
}

function indexOn(...columns: readonly string[]): readonly IndexColumn[] {
  return columns.map((name) => ({ name, descending: false }));
}

const NULLABLE = { nullable: true };
const NOW = { default: { kind: 'now' } } as const;
const ZERO = { default: { kind: 'value', text: '0' } } as const;

/**
 * The sessions and when they end. Only the hash of a token is stored, so that a copy of the database opens no account.
 * `password_digest` is a digest of the password hash at login. When the hash changes, it no longer matches, and the
 * token is invalid.
 */
function sessionColumns(account: ColumnDraft): readonly ColumnDraft[] {
  return [
    column('token_hash', 'bytea'),
    account,
    column('created_at', 'timestamptz', NOW),
    column('expires_at', 'timestamptz'),
    column('password_digest', 'bytea', NULLABLE),
  ];
}

/** The tokens that mails bring. Like a session, one is over when the password changes. */
function mailTokenColumns(account: ColumnDraft): readonly ColumnDraft[] {
  return [
    column('token_hash', 'bytea'),
    account,
    column('purpose', 'text'),
    column('expires_at', 'timestamptz'),
    column('password_digest', 'bytea'),
  ];
}

/** A key is a digest, and `ends_at` is when it is forgotten. */
const KEY = column('key', 'bytea');
const ENDS_AT = column('ends_at', 'timestamptz');
const ENDING = { indexes: [indexOn('ends_at')] };

/** Failed logins, by who has failed. */
const FAILURES = ownTable(LOGIN_FAILURES, [KEY, column('failures', 'bigint'), ENDS_AT], ENDING);

/** The signed requests that were done, by the endpoint and the id. */
const RECEIVED_DRAFT = ownTable(RECEIVED, [KEY, ENDS_AT], ENDING);

/** What clients have uploaded, or may. `owner` is the caller, or where the request of nobody came from. */
const UPLOADS_DRAFT = ownTable(
  UPLOAD_TABLE,
  [
    column('id', 'uuid'),
    column('owner', 'text'),
    column('model', 'text'),
    column('field', 'text'),
    column('name', 'text'),
    column('type', 'text'),
    column('size', 'bigint'),
    column('created_at', 'timestamptz', NOW),
    column('attached', 'boolean', { default: { kind: 'value', text: 'false' } }),
  ],
  { indexes: [indexOn('owner', 'attached'), indexOn('created_at')] },
);

/** One row for each schedule: a due time that is not after `due_at` has been dealt with, so it is never run twice. */
const SCHEDULES_DRAFT = ownTable(SCHEDULES, [column('name', 'text'), column('due_at', 'timestamptz')]);

/**
 * What statements have changed, for live lists: the table, and the values by which its rows are found; null where there
 * are too many. `xid` is the transaction, because rows are not visible in the order of their ids.
 */
const CHANGES_DRAFT: TableDraft = {
  ...ownTable(CHANGES, [
    column('xid', 'bigint'),
    column('id', 'bigint', { isCounted: true }),
    column('source', 'text'),
    column('keys', 'text[]', NULLABLE),
  ]),
  primaryKey: ['xid', 'id'],
  unlogged: true,
};

/**
 * The jobs that wait, run or have failed. A job that is claimed is due again when the claim ends, so that one whose server
 * has died is found like any other; one that has failed is never due (`infinity`). `once` and `line` begin with the name
 * of the job.
 */
const JOBS_DRAFT = ownTable(
  JOBS,
  [
    column('id', 'bigint', { isCounted: true }),
    column('kind', 'text'),
    column('input', 'jsonb'),
    column('due_at', 'timestamptz', NOW),
    column('attempt', 'bigint', ZERO),
    column('depth', 'bigint', ZERO),
    column('line', 'text', NULLABLE),
    column('once', 'text', NULLABLE),
    column('created_at', 'timestamptz', NOW),
    column('running_on', 'text', NULLABLE),
    column('failed_at', 'timestamptz', NULLABLE),
    column('error', 'text', NULLABLE),
  ],
  { uniques: [['once']], indexes: [indexOn('kind', 'due_at'), indexOn('line', 'id')] },
);
