import type { Definition } from '../../compiler/definition/definition.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { PopulateError } from '../../runtime/populate/populate-error.ts';
import type { Report } from '../../runtime/populate/progress.ts';
import { withClient } from '../database/connect.ts';
import { POPULATOR } from '../dev/dev-server.ts';

interface Populating {
  readonly databaseUrl: string;
  readonly definition: Definition;
  readonly hooks: HookModules;
  readonly populator: string;
  readonly seed?: number;
  readonly scale?: number;
  /** Also gets what the bar shows. */
  readonly report?: Report;
}

/** Fills the database, with a bar on a terminal and a line elsewhere. Gives the sentence that says what came of it. */
export async function populateDatabase({
  definition,
  populator,
  report: told,
  ...options
}: Populating): Promise<string> {
  const { populate } = await import('../../runtime/populate/populate.ts');
  const { progressOutput } = await import('../../runtime/populate/progress-output.ts');
  const { report, end } = progressOutput(process.stderr);
  const both: Report = (progress) => {
    report(progress);
    told?.(progress);
  };
  try {
    const { rows, seconds } = await populate(definition, populator, { ...options, report: both });
    return `Populated with ${populator}: ${rows.toLocaleString('en')} records in ${seconds.toFixed(1)} s`;
  } catch (error) {
    throw await withAdvice(error, definition, populator, options.databaseUrl);
  } finally {
    end();
  }
}

const UNIQUE_VIOLATION = '23505';

/** Records from before may have the values that must be unique: most often those of the same populator. */
async function withAdvice(error: unknown, definition: Definition, populator: string, url: string): Promise<unknown> {
  if (!(error instanceof PopulateError) || codeOf(error.cause) !== UNIQUE_VIOLATION) return error;
  const model = definition.models.find(({ name }) => name === error.place?.model);
  if (!model || !(await hasRecords(url, model.table).catch(() => false))) return error;
  const advice =
    populator === POPULATOR
      ? '`kiln db reset --populate` empties and fills it'
      : '`kiln db reset` empties it; then populate it again';
  const reason = `${error.message}. The database already has records of ${model.name}: ${advice}`;
  return new PopulateError(reason, null, error.cause);
}

function hasRecords(url: string, table: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(`SELECT 1 FROM ${client.escapeIdentifier(table)} LIMIT 1`);
    return rows.length > 0;
  });
}

function codeOf(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
}
