/** The migration as a process of its own, to be killed: started with the address of a database. */
import { runMigrate } from '../../../runtime/migrate/run-migrate.ts';
import { TEN_RELEASES } from './ten-releases.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const write = (line: string) => void process.stdout.write(`${line}\n`);
const batches = { first: 12, most: 12 };
process.exitCode = await runMigrate(TEN_RELEASES, { databaseUrl, write, writeError: write, json: true, batches });
