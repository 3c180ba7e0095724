/** The routes of the view Live: the stream, one request, the plans of its statements; and what the last save changed. */

import { literalPath, type Segment } from '../../../compiler/definition/contract/routes.ts';
import { ApiError } from '../../errors/api-error.ts';
import { type Database, runUnprepared, type Transaction } from '../../query/database.ts';
import type { Exchange, Route } from '../../request/exchange.ts';
import type { ConsoleOptions, SourceActions } from '../api/console-options.ts';
import { json, type MakeRoute, NO_CONTENT } from '../api/console-route.ts';
import type { LiveDetails, StatementPlan } from './live-event.ts';
import type { LiveRecorder } from './live-recorder.ts';
import { LONGEST_STATEMENT } from './recorded-database.ts';

export interface LiveParts {
  readonly recorder: LiveRecorder;
  /** The database without the recorder: its own statements belong to no request. */
  readonly database: Database;
}

const LIVE = literalPath('live');
const REQUEST: readonly Segment[] = [...LIVE, { kind: 'parameter', name: 'request' }];

export function liveRoutes(
  { changes, place, sources }: ConsoleOptions,
  { recorder, database }: LiveParts,
  route: MakeRoute,
): readonly Route[] {
  const explain: Route['handle'] = async (exchange) =>
    json(await explainStatements(detailsFor(exchange, recorder).texts, database));
  return [
    route('GET', LIVE, async (exchange) => stream(exchange, recorder)),
    route('DELETE', LIVE, async () => {
      recorder.clear();
      return NO_CONTENT;
    }),
    route('GET', REQUEST, async (exchange) => json(detailsFor(exchange, recorder))),
    route('GET', literalPath('changes'), async () => json((await changes?.()) ?? null)),
    ...(sources ? sourceRoutes(sources, route) : []),
    // A database in production has other things to do than to explain.
    ...(place === 'root' ? [route('GET', [...REQUEST, ...literalPath('plans')], explain)] : []),
  ];
}

function sourceRoutes({ answer, fix }: SourceActions, route: MakeRoute): readonly Route[] {
  return [
    route('POST', literalPath('answer'), async (exchange) => {
      const body = await exchange.readBody();
      answer(String(body.question), String(body.answer));
      return NO_CONTENT;
    }),
    route('POST', literalPath('fix'), async (exchange) => {
      const { at, message } = await exchange.readBody();
      if (fix(Number(at), String(message))) return NO_CONTENT;
      throw new ApiError('conflict', { detail: 'The sources have changed in the meantime.' });
    }),
  ];
}

/** Stays open until the browser or the server ends it. */
function stream({ response }: Exchange, recorder: LiveRecorder): null {
  response.writeHead(200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // nginx would otherwise collect the events.
    'x-accel-buffering': 'no',
  });
  recorder.attach(response);
  return null;
}

function detailsFor({ params: [text = ''] }: Exchange, recorder: LiveRecorder): LiveDetails {
  const details = recorder.details(text);
  if (details) return details;
  throw new ApiError('not-found', { detail: `The request ${text} is not among the last requests of this server.` });
}

// ── Explain statements ───────────────────────────────────────────────────────────────────────────────────────────────

// Plans of statements, without running them: Postgres plans for values that nobody knows.

/** `EXPLAIN (GENERIC_PLAN)` came with it. */
const OLDEST_SERVER = 16;

const TIMEOUT_MS = 2000;

async function explainStatements(texts: readonly string[], database: Database): Promise<readonly StatementPlan[]> {
  return database.transaction(
    async (transaction) => {
      const version = await versionOf(transaction);
      if (version < OLDEST_SERVER) return texts.map((_, text) => tooOld(text, version));
      await runUnprepared(transaction, `SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${TIMEOUT_MS}`);
      const plans: StatementPlan[] = [];
      for (const [at, text] of texts.entries()) plans.push(await explained(at, text, transaction));
      return plans;
    },
    { isRepeatable: true },
  );
}

function tooOld(text: number, version: number): StatementPlan {
  const problem = `PostgreSQL ${version} cannot explain a statement without its values. PostgreSQL ${OLDEST_SERVER} can.`;
  return { text, plan: null, problem };
}

async function versionOf(transaction: Transaction): Promise<number> {
  const [row] = await runUnprepared(transaction, 'SHOW server_version_num');
  return Math.floor(Number(row?.server_version_num) / 10_000);
}

/** The statements that can be explained. `EXPLAIN` itself runs none of them. */
const EXPLAINED = /^\s*(select|insert|update|delete|with|merge|values|table)\b/i;

/** A statement that cannot be explained leaves the transaction as it was. */
async function explained(at: number, text: string, transaction: Transaction): Promise<StatementPlan> {
  if (text.length >= LONGEST_STATEMENT)
    return { text: at, plan: null, problem: 'The statement is too long. Only its beginning was kept.' };
  if (!EXPLAINED.test(text) || hasSeveral(text))
    return { text: at, plan: null, problem: 'Postgres has no plan for this kind of statement.' };
  await runUnprepared(transaction, 'SAVEPOINT kiln_explain');
  try {
    const rows = await runUnprepared(transaction, `EXPLAIN (GENERIC_PLAN) ${text}`);
    await runUnprepared(transaction, 'RELEASE SAVEPOINT kiln_explain');
    return { text: at, plan: rows.map((row) => String(row['QUERY PLAN'])), problem: null };
  } catch (error) {
    await runUnprepared(transaction, 'ROLLBACK TO SAVEPOINT kiln_explain');
    return { text: at, plan: null, problem: `Postgres cannot explain it: ${(error as Error).message}.` };
  }
}

/** Whether there are several statements: only the first would be explained, and the others would be run. */
function hasSeveral(text: string): boolean {
  return text.replace(/;\s*$/, '').includes(';');
}
