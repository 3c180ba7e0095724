/**
 * Data of the console: what is in the tables, as it is. Whoever makes the routes decides who may call them; nothing here
 * asks for it again.
 */

import { passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import { literalPath, type Segment } from '../../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { integer, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import { type Database, DatabaseError, type DataConnection } from '../../query/database.ts';
import type { Answer, Exchange, Route } from '../../request/exchange.ts';
import { malformed, queryParameters } from '../../request/query-string.ts';
import type { ActionProgress, ConsoleActions } from '../api/console-options.ts';
import { countAll } from './counts.ts';
import type { ActionState, DataAccounts, DataModel, DataOverview, SignedIn } from './data-forms.ts';
import { columnOf, DataModels, type KnownModel } from './data-models.ts';
import { type Handle, json, type MakeRoute, NO_CONTENT } from './data-route.ts';
import { type DataDatabase, execute, reading, writing } from './data-statements.ts';
import { containsText } from './filters.ts';
import { labelSql } from './labels.ts';
import { createOperations } from './record-operations.ts';
import { pageFrom, readPage } from './record-page.ts';
import { readRecord } from './record-view.ts';
import { deleteRecord, insertRecord, updateRecord, writtenFrom } from './record-writes.ts';
import { columnsOfConstraint, refusedWrite } from './refused-write.ts';

export interface DataTools {
  readonly definition: Definition;
  readonly database: Database;
  /** In milliseconds; 0 where the server leaves it to the database. */
  readonly statementTimeout: number;
  /** Missing where nobody may sign in as somebody else. */
  readonly signIn?: AccountTools['signIn'] | null | undefined;
  /** Missing where the database must not be filled or emptied from here. */
  readonly actions?: ConsoleActions | undefined;
}

/** In milliseconds: a person waits for it. */
const LONGEST = 5000;

const MODEL: Segment = { kind: 'parameter', name: 'model' };
const ID: Segment = { kind: 'parameter', name: 'id' };
const DATA = literalPath('data');

export function dataRoutes(tools: DataTools, route: MakeRoute): readonly Route[] {
  const { definition, database, statementTimeout, signIn, actions } = tools;
  const models = new DataModels(definition);
  const from = { database, timeout: Math.min(statementTimeout || LONGEST, LONGEST) };
  return [
    route('GET', DATA, async ({ signal }) => json(await overview(from, signal, models, tools))),
    route('GET', [...DATA, MODEL], (exchange) => pageAnswer(exchange, from, models)),
    route('POST', [...DATA, MODEL], (exchange) => createAnswer(exchange, from, models)),
    route('GET', [...DATA, MODEL, ID], (exchange) => recordAnswer(exchange, from, models)),
    route('PATCH', [...DATA, MODEL, ID], (exchange) => updateAnswer(exchange, from, models)),
    route('DELETE', [...DATA, MODEL, ID], (exchange) => deleteAnswer(exchange, from, models)),
    ...(signIn ? accountRoutes({ from, models, signIn }, route) : []),
    ...(actions ? actionRoutes(definition, actions, route) : []),
  ];
}

async function overview(
  from: DataDatabase,
  signal: AbortSignal,
  models: DataModels,
  { signIn, actions, definition }: DataTools,
): Promise<DataOverview> {
  const counts = await reading(from, signal, (connection) => countAll(connection, models.all));
  const populators = definition.populators.map(({ name, doc }) => ({ name, doc }));
  return {
    models: models.all.map((known) => modelForm(known, counts.get(known.model.name), models)),
    populators: actions ? populators : [],
    canReset: actions !== undefined,
    canSignIn: Boolean(signIn),
  };
}

function modelForm(known: KnownModel, rows: DataModel['rows'] | undefined, models: DataModels): DataModel {
  const { model, columns, label, referredBy } = known;
  return {
    creates: createOperations(known, models),
    name: model.name,
    doc: model.doc,
    rows: rows ?? { count: 0, isExact: false },
    columns: columns.map(({ form }) => form),
    label: label?.form.name ?? null,
    referredBy,
  };
}

async function pageAnswer(
  { params, queryString, signal }: Exchange,
  from: DataDatabase,
  models: DataModels,
): Promise<Answer> {
  const known = models.model(params[0] as string);
  const sent = queryParameters(queryString, REPEATABLE);
  const unknown = Object.keys(sent).find((name) => !['sort', 'page', 'filter'].includes(name));
  if (unknown !== undefined) throw malformed(unknown, 'is not known here');
  const { sort = '', page = '1', filter = [] } = sent as { sort?: string; page?: string; filter?: readonly string[] };
  return json(await readPage(from, signal, known, { sort, filters: filter, page: pageFrom(page) }, models));
}

const REPEATABLE: ReadonlySet<string> = new Set(['filter']);

async function recordAnswer({ params, signal }: Exchange, from: DataDatabase, models: DataModels): Promise<Answer> {
  const { known, id } = recordIn(params, models);
  return json(await reading(from, signal, (connection) => readRecord(connection, known, id, models)));
}

function recordIn(
  [model, id]: readonly string[],
  models: DataModels,
): { readonly known: KnownModel; readonly id: string } {
  return { known: models.model(model as string), id: id as string };
}

async function createAnswer(exchange: Exchange, from: DataDatabase, models: DataModels): Promise<Answer> {
  const known = models.model(exchange.params[0] as string);
  const written = await writtenFrom(await valuesIn(exchange), known, models);
  const write = (connection: DataConnection) => insertRecord(connection, known, written);
  return json({ id: await changing(exchange, from, known, models, write) }, 201);
}

async function updateAnswer(exchange: Exchange, from: DataDatabase, models: DataModels): Promise<Answer> {
  const { known, id } = recordIn(exchange.params, models);
  const written = await writtenFrom(await valuesIn(exchange), known, models);
  await changing(exchange, from, known, models, (connection) => updateRecord(connection, known, id, written));
  return NO_CONTENT;
}

async function deleteAnswer(exchange: Exchange, from: DataDatabase, models: DataModels): Promise<Answer> {
  const { known, id } = recordIn(exchange.params, models);
  await changing(exchange, from, known, models, (connection) => deleteRecord(connection, known, id));
  return NO_CONTENT;
}

async function valuesIn(exchange: Exchange): Promise<Readonly<Record<string, unknown>>> {
  const { values } = await exchange.readBody();
  if (typeof values === 'object' && values !== null && !Array.isArray(values)) return values as Record<string, unknown>;
  throw new ApiError('malformed-request', {
    detail: 'The body must have an object `values`, with a value for each column.',
  });
}

async function changing<T>(
  { signal, request: { method } }: Exchange,
  from: DataDatabase,
  known: KnownModel,
  models: DataModels,
  write: (connection: DataConnection) => Promise<T>,
): Promise<T> {
  try {
    return await writing(from, signal, write);
  } catch (error) {
    // The transaction is over: what the constraint is about is read in another one.
    const columnsOf = (constraint: string) =>
      reading(from, signal, (connection) => columnsOfConstraint(connection, constraint, known));
    throw error instanceof DatabaseError
      ? await refusedWrite(error, known, models, { isDelete: method === 'DELETE', columnsOf })
      : error;
  }
}

// ── Action routes ────────────────────────────────────────────────────────────────────────────────────────────────────

// Filling and emptying the development database from the console. One such action runs at a time.

type Report = (progress: ActionProgress) => void;

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

/** Not of the routes: they are made again with every change of the sources, also while an action runs. */
const STATES = new WeakMap<ConsoleActions, ActionState>();

async function alone(
  actions: ConsoleActions,
  running: string,
  run: (report: Report) => Promise<void>,
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
function accountsOf({ from, models }: AccountTools): Handle {
  return async ({ queryString, signal }) => {
    const auth = passwordAuthOf(models.definition);
    if (!auth) throw new ApiError('not-found', { detail: 'The application has no accounts with passwords.' });
    const { search = '' } = queryParameters(queryString, new Set()) as { search?: string };
    const known = models.model(auth.model);
    const row = sql`"#row"`;
    const login = sql`"#row".${columnOf(known, auth.password.login).name}`;
    const found = await reading(from, signal, (connection) =>
      execute(
        connection,
        sql`SELECT "#row".${known.id.name}, ${login}, ${labelSql(known, row, models)} FROM ${known.table} AS "#row"${matching(login, search)} ORDER BY "#row".${known.id.name} LIMIT ${integer(MOST + 1)}`,
      ),
    );
    const accounts = found.rows.slice(0, MOST).map((each) => {
      const [id, name, label] = each.fields as readonly [string, string, string | null];
      return { id, login: name, label: label === name ? null : label };
    });
    const answer: DataAccounts = { model: auth.model, accounts, hasMore: found.rows.length > MOST };
    return json(answer);
  };
}

function matching(login: Sql, search: string): Sql {
  return search === '' ? sql`` : sql` WHERE ${containsText(login, search)}`;
}
