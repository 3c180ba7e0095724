/** What every Postgres of the tests has in common, wherever it runs. */
export interface Cluster {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

export const USER = 'postgres';
export const PASSWORD = 'postgres';

/** Nothing has to survive a crash of the machine, and a database of a test is gone before tidying it up would be worth it. */
const HURRIED = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off', 'jit=off'];
export const IN_A_HURRY = HURRIED.flatMap((setting) => ['-c', setting]);
/** Every database of a run keeps a connection until its end. */
export const ROOM_FOR_ALL = ['-c', 'max_connections=500'];
/** What is sorted and printed does not depend on the machine. */
export const INITDB_FLAGS = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-sync',
  // Postgres hashes the password of whoever connects so often, which took more time than all else that a connection needs.
  '--set=scram_iterations=1',
];
