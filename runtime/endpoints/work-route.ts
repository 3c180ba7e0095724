/**
 * A job as an endpoint that no request reaches. Its last transaction also ends the job, so that a job without code is
 * done exactly once.
 */

import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { PROBLEMS } from '../../compiler/definition/contract/problems.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { once } from '../../compiler/definition/memo.ts';
import type { Job } from '../../compiler/definition/work.ts';
import { HookRefusal } from '../errors/api-error.ts';
import { usesHooks } from '../plan/mentions.ts';
import { type Database, type DataConnection, type Statement, withTransactions } from '../query/database.ts';
import type { Prepared } from '../query/prepared.ts';
import type { Exchange, RunningJob } from '../request/exchange.ts';
import type { Sent } from '../request/inputs.ts';
import type { DoneRequest } from './action-tools.ts';
import { ANONYMOUS, type Application, Attempt, type Compiled } from './attempt.ts';
import { compiledEndpoint } from './endpoint-route.ts';

export interface WorkRoute {
  /** Whether it runs custom code. */
  readonly usesHooks: boolean;
  /** The inputs that name records. */
  readonly records: ReadonlySet<string>;
  perform(work: Work): Promise<void>;
  statements(): readonly Prepared[];
}

/** One try of a job. */
interface Work extends RunningJob {
  readonly log: Logger;
  readonly input: Sent;
  /** How many jobs have led to it, each by running the next. */
  readonly depth: number;
  /** Ends the job, in its last transaction. */
  readonly end: (transaction: DataConnection) => Promise<void>;
}

export function tookLonger({ timeout }: Pick<Job, 'timeout'>): string {
  return `it took longer than ${timeout} s`;
}

export function workRoute(endpoint: Endpoint, job: Pick<Job, 'timeout'>, application: Application): WorkRoute {
  // The clock of a hook and that of its job end together, and either may be first.
  const late = () => new HookRefusal(PROBLEMS['took-too-long'].status, tookLonger(job), undefined);
  const hooks = { ...application.hooks, timeout: job.timeout * 1000, late };
  const ready = once(() => compiledEndpoint(endpoint, { ...application, hooks }));
  return {
    usesHooks: usesHooks(endpoint, application.definition),
    records: new Set(endpoint.request.inputs.flatMap((input) => ('finds' in input && input.finds ? [input.name] : []))),
    statements: () => ready().statements.all,
    perform: (work) => perform(ready(), work, application),
  };
}

async function perform({ work: steps, ...compiled }: Compiled, work: Work, application: Application): Promise<void> {
  const { mayStoreJobs, usesHooks: hasCode } = compiled.plan;
  const answer = async ({ scope }: DoneRequest) => {
    await work.end(scope.connection);
    return null;
  };
  const ending = { ...compiled, work: { ...steps, answer } };
  const database = mayStoreJobs || hasCode ? deeper(application.database, work.depth + 1) : application.database;
  const attempt = new Attempt(ending, exchangeFor(work), { ...application, database }, { sent: work.input });
  try {
    await attempt.inTransaction(ANONYMOUS);
  } catch (error) {
    throw await attempt.explained(error);
  } finally {
    if (mayStoreJobs) application.storedJobs?.();
    application.changed?.();
  }
}

const NO_REQUEST = { headers: {} } as IncomingMessage;

function exchangeFor({ id, attempt, signal, log, input }: Work): Exchange {
  return {
    at: () => undefined as never,
    id,
    log,
    request: NO_REQUEST,
    response: undefined as never,
    params: [],
    queryString: '',
    readBody: async () => input,
    offerBody: async () => undefined,
    readForm: async () => null,
    takeBody: async () => undefined,
    readVerified: async () => input,
    signal,
    job: { id, attempt, signal },
  };
}

const SET_DEPTH: Statement = {
  name: 'kiln_job_depth',
  text: `SELECT set_config('kiln.job_depth', $1, true)`,
  isRepeatable: false,
};

/** The database for a job: what its transactions run is deeper in the chain of jobs than itself. */
function deeper(database: Database, depth: number): Database {
  return withTransactions(
    database,
    (within) => (work, options) =>
      within.transaction(async (transaction) => {
        const [, result] = await Promise.all([transaction.run(SET_DEPTH, [String(depth)]), work(transaction)]);
        return result;
      }, options),
  );
}
