/** What Postgres says about a refusal, without the values of rows: these belong in no log of a pipeline. */
import { sqlStateOf } from '../query/connections/database-error-from.ts';

interface PostgresWords {
  readonly message: string;
  readonly constraint: string | null;
}

export function postgresWords(error: unknown): PostgresWords {
  const state = sqlStateOf(error) ?? '';
  const constraint = textOf(error, 'constraint');
  const words = hasValues(state) ? (ABOUT_VALUES[state] ?? 'a value does not fit') : (textOf(error, 'message') ?? '');
  const remedy = REMEDIES[state] ?? '';
  const named = constraint !== null && !words.includes(`"${constraint}"`) ? `, "${constraint}"` : '';
  return { message: `${words}${named} (SQLSTATE ${state})${remedy}`, constraint };
}

/** Where Postgres says what it lacks, but not what to do. */
const REMEDIES: Readonly<Record<string, string>> = {
  '53200':
    '; a transaction locks every table that it creates, and Postgres has too few locks: raise `max_locks_per_transaction` (64 by default) and restart Postgres',
};

/** Data exceptions quote the value in the message itself, and what a trigger raises may. Details always do. */
function hasValues(state: string): boolean {
  return state.startsWith('22') || state.startsWith('P0');
}

const ABOUT_VALUES: Readonly<Record<string, string>> = {
  '22P02': 'a value cannot be read as one of the new type',
  '22003': 'a number is out of range',
  '22001': 'a text is too long',
  '22007': 'a value cannot be read as a date or time',
  '22008': 'a date or time is out of range',
  '22012': 'something is divided by zero',
  '22023': 'a value is not allowed here',
  P0001: 'a trigger or a function has raised an error',
};

function textOf(error: unknown, property: string): string | null {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, property) : null;
  return typeof value === 'string' ? value : null;
}
