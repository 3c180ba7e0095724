/** Translates errors of the driver: by SQLSTATE where the server answered, by the socket's code where none did. */
import { WaitTimeout } from '../../values/semaphore.ts';
import { DatabaseError, type DatabaseErrorKind, OWN_STATES } from '../database.ts';

export function databaseErrorFrom(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  return new DatabaseError(kindOf(error), placeOf(error), error);
}

export function unavailable(cause: unknown): DatabaseError {
  return cause instanceof DatabaseError ? cause : new DatabaseError('unavailable', {}, cause);
}

/** Postgres gave one of several transactions up, and the same work may well go through the next time. */
export function isLostRace(error: unknown): boolean {
  return isConflict(error) || isForgotten(error);
}

/** A serialization failure or a deadlock: other transactions got in the way. */
export function isConflict(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '40001' || state === '40P01';
}

/** The statement was not run, because the connection does not have it prepared as we thought. */
export function isForgotten(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === NOT_PREPARED || state === PREPARED_ALREADY || isOutdatedPlan(error);
}

/** "cached plan must not change result type": a table was altered. 0A000 says more than that, the routine does not. */
export function isOutdatedPlan(error: unknown): boolean {
  return sqlStateOf(error) === '0A000' && textOf(error, 'routine') === 'RevalidateCachedQuery';
}

/** Whether the connection ended under the statement, so that nobody knows what became of it. */
export function isLostConnection(error: unknown): boolean {
  if (textOf(error, 'severity') === 'FATAL') return true;
  const code = sqlStateOf(error);
  return code === undefined ? isEndOfClient(error) : SOCKET_CODES.has(code);
}

/**
 * Whether we have waited for the server long enough, so that the connection is taken for dead. The statement may still be
 * running there: nobody runs it again.
 */
export function isOwnTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Whether Postgres has said it. Code of hooks has files and sockets of its own, whose failures are not the database's. */
export function isFromServer(error: unknown): boolean {
  return error instanceof DatabaseError || textOf(error, 'severity') !== undefined;
}

export function sqlStateOf(error: unknown): string | undefined {
  return textOf(error, 'code');
}

/** A sentence on the host of the address, where there is none of this name. */
export function unknownHost(error: unknown): string | null {
  const [code, host] = [sqlStateOf(error), textOf(error, 'hostname')];
  if (code === 'ENOTFOUND') return `There is no host \`${host}\``;
  return code === 'EAI_AGAIN' ? `The host \`${host}\` cannot be looked up` : null;
}

export const NOT_PREPARED = '26000';
export const PREPARED_ALREADY = '42P05';
export const LOCK_TIMEOUT = '55P03';
/** The code of a standby, or of a read-only setting. */
export const READ_ONLY = '25006';

/** The kinds by SQLSTATE, or by its first two letters. */
const KINDS: Readonly<Record<string, DatabaseErrorKind>> = {
  '23505': 'unique',
  '23503': 'foreign-key',
  '23001': 'foreign-key',
  '23514': 'check',
  '23502': 'not-null',
  '22003': 'out-of-range',
  '22008': 'out-of-range',
  '2201W': 'bad-limit',
  '2201X': 'bad-limit',
  '22007': 'bad-value',
  '22009': 'bad-value',
  '22P02': 'bad-value',
  '22P05': 'bad-value',
  '22021': 'bad-value',
  '22023': 'bad-value',
  '54000': 'too-long',
  ...OWN_STATES,
  '40001': 'contention',
  '40P01': 'contention',
  [LOCK_TIMEOUT]: 'contention',
  [NOT_PREPARED]: 'contention',
  [PREPARED_ALREADY]: 'contention',
  '57014': 'timeout',
  '57P01': 'unavailable',
  '57P02': 'unavailable',
  '57P03': 'unavailable',
  '57P05': 'unavailable',
  [READ_ONLY]: 'unavailable',
  '3D000': 'unavailable',
  '42P01': 'other-schema',
  '42703': 'other-schema',
  '42704': 'other-schema',
  '3F000': 'other-schema',
  '08': 'unavailable',
  '28': 'unavailable',
  '53': 'unavailable',
};

const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
]);

function kindOf(error: unknown): DatabaseErrorKind {
  if (isOutdatedPlan(error)) return 'contention';
  if (isOwnTimeout(error)) return 'timeout';
  if (error instanceof WaitTimeout) return 'busy';
  const code = sqlStateOf(error) ?? '';
  return KINDS[code] ?? KINDS[code.slice(0, 2)] ?? (isLostConnection(error) ? 'unavailable' : 'other');
}

/** The driver's own errors have no code. */
function isEndOfClient(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return /^(Connection terminated|Client has encountered|Client was closed|timeout expired)/.test(message);
}

function placeOf(error: unknown) {
  return {
    constraint: textOf(error, 'constraint'),
    table: textOf(error, 'table'),
    column: textOf(error, 'column'),
    key: keyOf(textOf(error, 'detail')),
    reason: reasonOf(error),
  };
}

function reasonOf(error: unknown): string | undefined {
  const state = sqlStateOf(error) ?? '';
  if (state === READ_ONLY) return 'The database is read-only.';
  return state in OWN_STATES ? textOf(error, 'message') : undefined;
}

/** Parses `Key (team_id, number)=(1, 7) already exists`, whatever the language of its words. */
function keyOf(detail: string | undefined) {
  const [, column, value] = /\(([^()]+)\)=\((.*)\)/s.exec(detail ?? '') ?? [];
  return column === undefined || value === undefined ? undefined : { column: column.replaceAll('"', ''), value };
}

function textOf(error: unknown, property: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, property);
  return typeof value === 'string' ? value : undefined;
}
