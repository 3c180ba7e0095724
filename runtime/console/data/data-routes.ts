/**
 * The data of the console: the contents of the tables, as they are. The caller that makes the routes decides who may
 * call them; there is no further check here.
 */

import { randomUUID } from 'node:crypto';
import { passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import { literalPath, type Segment } from '../../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { type StoredFile, UPLOAD_TABLE } from '../../../compiler/definition/files.ts';
import { integer, quotedName, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import { fileAnswer } from '../../files/file-answer.ts';
import type { FileStore } from '../../files/store.ts';
import type { DataConnection } from '../../query/database.ts';
import type { Answer, Exchange, Route } from '../../request/exchange.ts';
import { malformed, queryParameters } from '../../request/query-string.ts';
import type { SettingValues } from '../../values/settings.ts';
import { canonicalUuid } from '../../values/uuid.ts';
import type { ActionProgress, ConsoleActions } from '../api/console-options.ts';
import { json, type MakeRoute, NO_CONTENT } from '../api/console-route.ts';
import { labelSql } from './cells.ts';
import { countAll } from './counts.ts';
import type { ActionState, DataAccounts, DataModel, DataOverview, SignedIn } from './data-forms.ts';
import { columnOf, DataModels, type KnownModel, type ShownColumn } from './data-models.ts';
import { type DataDatabase, execute, reading, text, type Work, writing } from './data-statements.ts';
import { containsText, pageFrom, readPage, withoutSlow } from './record-page.ts';
import { createOperations, idCondition, missingRecord, readRecord } from './record-view.ts';
import { changing, deleteRecord, insertRecord, updateRecord, type Written, writtenFrom } from './record-writes.ts';

export interface DataTools {
  readonly definition: Definition;
  readonly settings?: SettingValues | undefined;
  readonly from: DataDatabase;
  /** Null where the application has no files. */
  readonly store?: FileStore | null | undefined;
  /** Missing where nobody may sign in as somebody else. */
  readonly signIn?: AccountTools['signIn'] | null | undefined;
  /** Missing where the database must not be filled or emptied from here. */
  readonly actions?: ConsoleActions | undefined;
}

const MODEL: Segment = { kind: 'parameter', name: 'model' };
const ID: Segment = { kind: 'parameter', name: 'id' };
const COLUMN: Segment = { kind: 'parameter', name: 'column' };
const DATA = literalPath('data');

export function dataRoutes(tools: DataTools, route: MakeRoute): readonly Route[] {
  const { definition, from, store, signIn, actions } = tools;
  const models = new DataModels(definition, tools.settings);
  const ofModel = (
    method: string,
    path: readonly Segment[],
    answer: (request: DataRequest) => Promise<Answer>,
    above = DATA,
  ): Route =>
    route(method, [...above, MODEL, ...path], async (exchange) => {
      const [model = '', id = ''] = exchange.params;
      return answer({ exchange, from, store, known: models.model(model), id });
    });
  return [
    route('GET', DATA, async ({ signal }) => json(await overview(tools, signal, models))),
    ofModel('GET', [], pageAnswer),
    ofModel('POST', [], createAnswer),
    ofModel('GET', [ID], recordAnswer),
    ofModel('PATCH', [ID], updateAnswer),
    ofModel('DELETE', [ID], deleteAnswer),
    ...(store
      ? [
          ofModel('GET', [ID, COLUMN], (request) => downloadAnswer(request, store)),
          ofModel('POST', [COLUMN], (request) => uploadAnswer(request, store), literalPath('files')),
        ]
      : []),
    ...(signIn ? accountRoutes({ from, models, signIn }, route) : []),
    ...(actions ? actionRoutes(definition, actions, route) : []),
  ];
}

/** A request about a model, or about one record of it. */
interface DataRequest {
  readonly exchange: Exchange;
  readonly from: DataDatabase;
  readonly store: FileStore | null | undefined;
  readonly known: KnownModel;
  /** Empty where it is about the model. */
  readonly id: string;
}

async function overview(
  { from, actions, definition }: DataTools,
  signal: AbortSignal,
  models: DataModels,
): Promise<DataOverview> {
  const counts = await reading(from, signal, (connection) => countAll(connection, models.all));
  const populators = definition.populators.map(({ name, doc }) => ({ name, doc }));
  return {
    models: models.all.map((known) => modelForm(known, counts.get(known.model.name))),
    populators: actions ? populators : [],
    canReset: actions !== undefined,
  };
}

function modelForm(known: KnownModel, rows: DataModel['rows'] | undefined): DataModel {
  const { model, shown, label } = known;
  return {
    creates: createOperations(known),
    name: model.name,
    doc: model.doc,
    rows: rows ?? { count: 0, isExact: false },
    columns: shown.map(({ form }) => form),
    label: label?.form.name ?? null,
  };
}

async function pageAnswer({ exchange: { queryString, signal }, from, known }: DataRequest): Promise<Answer> {
  const sent = queryParameters(queryString, REPEATABLE);
  const unknown = Object.keys(sent).find((name) => !['sort', 'page', 'filter', 'hide', 'whole'].includes(name));
  if (unknown !== undefined) throw malformed(unknown, 'is not known here');
  const {
    sort = '',
    page = '1',
    filter = [],
    hide = [],
  } = sent as Partial<Record<'sort' | 'page', string>> & Partial<Record<'filter' | 'hide', readonly string[]>>;
  const form = 'whole' in sent ? 'record' : 'table';
  return json(await readPage(from, signal, known, { sort, filters: filter, page: pageFrom(page), form, hidden: hide }));
}

const REPEATABLE: ReadonlySet<string> = new Set(['filter', 'hide']);

async function recordAnswer({ exchange: { signal }, from, known, id }: DataRequest): Promise<Answer> {
  const read = (hidden: readonly string[]) =>
    reading(from, signal, (connection) => readRecord(connection, known, id, hidden));
  return json(await withoutSlow(known, [], read));
}

async function createAnswer(request: DataRequest): Promise<Answer> {
  const written = await writtenFrom(await valuesIn(request.exchange), request.known);
  const id = await changed(request, async (connection) =>
    insertRecord(connection, request.known, await withFiles(connection, written, request)),
  );
  return json({ id }, 201);
}

async function updateAnswer(request: DataRequest): Promise<Answer> {
  const { exchange, known, id } = request;
  const written = await writtenFrom(await valuesIn(exchange), known);
  await changed(request, async (connection) =>
    updateRecord(connection, known, id, await withFiles(connection, written, request)),
  );
  return NO_CONTENT;
}

async function deleteAnswer(request: DataRequest): Promise<Answer> {
  await changed(request, (connection) => deleteRecord(connection, request.known, request.id));
  return NO_CONTENT;
}

/** Files are sent before: the value of one is the id of an upload. */
async function withFiles(
  connection: DataConnection,
  written: readonly Written[],
  { known, store }: DataRequest,
): Promise<readonly Written[]> {
  const all: Written[] = [];
  for (const { column, value } of written) {
    const isUpload = column.form.type === 'file' && typeof value === 'string' && store;
    all.push({ column, value: isUpload ? await takenUpload(connection, known, column, value, store) : value });
  }
  return all;
}

async function uploadAnswer({ exchange, from, known, id }: DataRequest, store: FileStore): Promise<Answer> {
  const column = fileColumn(known, id);
  const body = await exchange.readBody();
  const offer = await writing(from, exchange.signal, (connection) =>
    offerUpload(connection, known, column, body, store),
  );
  return json(offer, 201);
}

async function downloadAnswer({ exchange, from, known, id }: DataRequest, store: FileStore): Promise<Answer> {
  const column = fileColumn(known, exchange.params[2] ?? '');
  const file = await reading(from, exchange.signal, (connection) => storedFile(connection, known, column, id));
  // A browser would send the key of the console along with a redirect to a bucket.
  return fileAnswer({ ...store, downloadAddress: async () => null }, file, exchange);
}

async function valuesIn(exchange: Exchange): Promise<Readonly<Record<string, unknown>>> {
  const { values } = await exchange.readBody();
  if (typeof values === 'object' && values !== null && !Array.isArray(values)) return values as Record<string, unknown>;
  throw new ApiError('malformed-request', {
    detail: 'The body must have an object `values`, with a value for each column.',
  });
}

function changed<T>({ exchange: { signal, request }, from, known }: DataRequest, write: Work<T>): Promise<T> {
  return changing(from, known, signal, write, request.method === 'DELETE');
}

// ── Action routes ────────────────────────────────────────────────────────────────────────────────────────────────────

// Filling and emptying the development database from the console. One such action runs at a time.

function actionRoutes({ populators }: Definition, actions: ConsoleActions, route: MakeRoute): readonly Route[] {
  return [
    route('GET', literalPath('action'), async () => json(STATES.get(actions) ?? IDLE)),
    route('POST', literalPath('populate'), async (exchange) => {
      const { populator } = await exchange.readBody();
      const found = populators.find(({ name }) => name === populator);
      if (!found) throw new ApiError('not-found', { detail: 'There is no populator with this name.' });
      const { signal } = exchange;
      return alone(actions, `populate ${found.name}`, (report) => actions.populate(found.name, report, signal));
    }),
    route('POST', literalPath('reset'), ({ signal }) => alone(actions, 'reset', () => actions.reset(signal))),
  ];
}

const IDLE: ActionState = { running: null, progress: null };

/**
 * The states belong to the actions, not to the routes, which are made again with every change of the sources, even
 * while an action runs.
 */
const STATES = new WeakMap<ConsoleActions, ActionState>();

async function alone(
  actions: ConsoleActions,
  running: string,
  run: (report: (progress: ActionProgress) => void) => Promise<void>,
): Promise<Answer> {
  const before = STATES.get(actions)?.running;
  if (before) throw new ApiError('conflict', { detail: `\`${before}\` is still running. Wait until it is done.` });
  STATES.set(actions, { running, progress: null });
  try {
    await run((progress) => void STATES.set(actions, { running, progress }));
  } catch (cause) {
    throw new ApiError('conflict', { detail: sentenceFrom(cause), cause });
  } finally {
    STATES.delete(actions);
  }
  return NO_CONTENT;
}

function sentenceFrom(error: unknown): string {
  const message = error instanceof Error ? error.message : 'the action failed';
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

// ── Account routes ───────────────────────────────────────────────────────────────────────────────────────────────────

// "Sign in as", for development: the accounts that there are, and a token for one of them without its password.

interface AccountTools {
  readonly from: DataDatabase;
  readonly models: DataModels;
  /** Null where there is no account with this id. */
  readonly signIn: (id: string) => Promise<SignedIn | null>;
}

const MOST = 50;

function accountRoutes(tools: AccountTools, route: MakeRoute): readonly Route[] {
  return [
    route('GET', literalPath('accounts'), accountsOf(tools)),
    route('POST', literalPath('sign-in'), async (exchange) => {
      const { id } = await exchange.readBody();
      if (typeof id !== 'string')
        throw new ApiError('malformed-request', { detail: 'The body must have the `id` of an account, as a string.' });
      const signedIn = await tools.signIn(id);
      if (signedIn === null) throw new ApiError('not-found', { detail: `There is no account with the id ${id}.` });
      return json(signedIn);
    }),
  ];
}

/** `?search=` finds those whose login contains the text. */
function accountsOf({ from, models }: AccountTools): Route['handle'] {
  return async ({ queryString, signal }) => {
    const auth = passwordAuthOf(models.definition);
    if (!auth) throw new ApiError('not-found', { detail: 'The application has no accounts with passwords.' });
    const { search = '' } = queryParameters(queryString, new Set()) as { search?: string };
    const known = models.model(auth.model);
    const row = sql`"#row"`;
    const login = columnOf(known, auth.password.login).place(row);
    const roles = known.columns.find(({ form }) => form.type === 'enum' && !form.isList && !form.isSecret);
    const role = roles ? roles.place(row) : sql`NULL`;
    const found = await reading(from, signal, (connection) =>
      execute(
        connection,
        sql`SELECT "#row".${known.id.name}, ${login}, ${labelSql(known, row)}, ${role} FROM ${known.table} AS "#row"${matching(login, search)} ORDER BY "#row".${known.id.name} LIMIT ${integer(MOST + 1)}`,
      ),
    );
    const accounts = found.rows.slice(0, MOST).map((each) => {
      const [id, name, label, ofRole] = each.fields as readonly [string, string, string | null, string | null];
      return { id, login: name, label: label === name ? null : label, role: ofRole };
    });
    const answer: DataAccounts = { model: auth.model, accounts, hasMore: found.rows.length > MOST };
    return json(answer);
  };
}

function matching(login: Sql, search: string): Sql {
  return search === '' ? sql`` : sql` WHERE ${containsText(login, search)}`;
}

// ── Files of records ─────────────────────────────────────────────────────────────────────────────────────────────────

// Files of records. What the console has uploaded waits in the table of uploads, as what other callers upload does,
// but the rules of the field (`accept`, `max`) are not applied.

const TABLE = quotedName(UPLOAD_TABLE);
/** No other caller is called so: the others have a model and an id, or an address. */
const OWNER = text('console');

/** Throws an ApiError where the column is no file. */
function fileColumn(known: KnownModel, name: string): ShownColumn {
  const column = columnOf(known, name);
  if (column.form.type === 'file') return column;
  throw new ApiError('malformed-request', { detail: `\`${name}\` of \`${known.model.name}\` is no file.` });
}

/** Says where the browser sends a file. */
async function offerUpload(
  connection: DataConnection,
  { model }: KnownModel,
  { form }: ShownColumn,
  body: Readonly<Record<string, unknown>>,
  store: FileStore,
): Promise<object> {
  const { name, type, size } = body;
  if (typeof name !== 'string' || typeof type !== 'string' || !Number.isSafeInteger(size) || (size as number) < 1)
    throw new ApiError('malformed-request', { detail: 'The body must have the `name`, `type` and `size` of a file.' });
  const id = randomUUID();
  const address = await store.uploadAddress(id, { type, size: size as number });
  await execute(
    connection,
    sql`INSERT INTO ${TABLE} ("id", "owner", "model", "field", "name", "type", "size") VALUES (${text(id)}::uuid, ${OWNER}, ${text(model.name)}, ${text(form.name)}, ${text(name)}, ${text(type)}, ${text(String(size))}::bigint)`,
  );
  return { file: id, ...address };
}

/** The value that a record stores for an upload, which no other record can take then. */
async function takenUpload(
  connection: DataConnection,
  { model }: KnownModel,
  { form: { name: path } }: ShownColumn,
  id: string,
  store: FileStore,
): Promise<string> {
  const { rows } = await execute(
    connection,
    sql`UPDATE ${TABLE} SET "attached" = true WHERE "id" = ${text(canonicalUuid(id) ?? '')}::uuid AND "owner" = ${OWNER} AND "model" = ${text(model.name)} AND "field" = ${text(path)} AND NOT "attached" RETURNING "name", "type", "size"`,
  );
  const [row] = rows;
  if (row && (await store.keep(id, () => undefined)))
    return JSON.stringify({ id, name: row.text(0), type: row.text(1), size: Number(row.text(2)) } as StoredFile);
  const errors = [{ path, code: 'file-missing', message: 'must be uploaded again', params: {} }];
  throw new ApiError('validation-failed', { errors });
}

async function storedFile(
  connection: DataConnection,
  known: KnownModel,
  { place }: ShownColumn,
  id: string,
): Promise<StoredFile> {
  const { rows } = await execute(
    connection,
    sql`SELECT ${place(sql`"#row"`)} FROM ${known.table} AS "#row" WHERE ${idCondition(known, id, sql`"#row"`)}`,
  );
  const found = rows[0]?.text(0);
  if (!found) throw missingRecord(known, id);
  return JSON.parse(found) as StoredFile;
}
