/** Records and accounts for the tests of an application: they are made and read as they are, whatever its API allows. */
import { passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { insertJobSql } from '../../../compiler/definition/sql/job-sql.ts';
import { joined, sql } from '../../../compiler/definition/sql/sql.ts';
import { jobKind, jobsByName } from '../../../compiler/definition/work.ts';
import { ApiError, type InputError } from '../../errors/api-error.ts';
import { parserOf } from '../../values/kinds.ts';
import type { Value } from '../../values/value.ts';
import { listText } from './cells.ts';
import type { SignedIn } from './data-forms.ts';
import { DataModels, type KnownModel } from './data-models.ts';
import { type DataSource, dataDatabase, execute, reading, value, writing } from './data-statements.ts';
import { changing, insertRecord, writtenFrom } from './record-writes.ts';

/** Values by field or reference; a reference takes a record, or its id. `password` is that of an account. */
type Values = Readonly<Record<string, unknown>>;
/** The fields of a record without secrets. */
type Found = Readonly<Record<string, Value>>;

export interface Fixtures {
  create(model: string, values: Values): Promise<Found>;
  find(model: string, values: Values): Promise<readonly Found[]>;
  /** Stores a job with these inputs; what takes a record takes its id, too. */
  run(job: string, values: Values): Promise<void>;
  /** Gives a token. */
  signIn(login: string): Promise<string>;
}

interface FixtureTools extends DataSource {
  readonly signIn: ((id: string) => Promise<SignedIn | null>) | null;
}

export function fixturesOf(definition: Definition, tools: FixtureTools): Fixtures {
  const models = new DataModels(definition);
  const from = dataDatabase(tools);
  const { signal } = new AbortController();
  const find = async (name: string, values: Values) => {
    const known = models.model(name);
    const conditions = (await writtenFrom(byField(values, known), known)).map(
      ({ column, value: given }) => sql`${column.name} IS NOT DISTINCT FROM ${value(given, column.sqlType)}`,
    );
    const shown = known.columns.filter(({ form }) => !form.isSecret);
    const columns = shown.map(({ name: column, field: { type } }) =>
      type.many ? listText(sql`${column}`, type.kind) : sql`${column}`,
    );
    const where = joined([sql`true`, ...conditions], ' AND ');
    const select = sql`SELECT ${joined(columns, ', ')} FROM ${known.table} WHERE ${where} ORDER BY ${known.id.name}`;
    const { rows } = await reading(from, signal, (connection) => execute(connection, select));
    return rows.map((row) =>
      Object.fromEntries(shown.map(({ field }, at) => [field.name, parserOf(field.type)(row.text(at))])),
    );
  };
  return {
    find,
    async create(name, values) {
      const known = models.model(name);
      const written = await writtenFrom(byField(values, known), known);
      const file = written.find(({ column, value: given }) => column.form.type === 'file' && given !== null);
      if (file) throw new ApiError('validation-failed', { errors: [notTaken(file.column.form.name)] });
      const id = await changing(from, known, signal, (connection) => insertRecord(connection, known, written));
      const isText = known.id.field.type.kind === 'uuid';
      const [created] = await find(name, { id: isText ? id : Number(id) });
      return created as Found;
    },
    async run(name, values) {
      const job = jobsByName(definition).get(name);
      if (!job) throw new Error(`There is no job ${name}.`);
      const input = Object.fromEntries(
        Object.entries(values).map(([each, given]) => {
          const taken = job.inputs.find((one) => one.name === each || one.name === `${each}_id`);
          if (!taken) throw new Error(`The job ${name} has no input ${each}.`);
          return [taken.name, idOf(given)];
        }),
      );
      const kind = value(jobKind(job, definition), sql`text`);
      const stored = { kind, input: value(JSON.stringify(input), sql`jsonb`), due: null, once: null, line: null };
      await writing(from, signal, (connection) => execute(connection, insertJobSql(stored)));
    },
    async signIn(login) {
      const auth = passwordAuthOf(definition);
      if (!auth || !tools.signIn) throw new Error('The application has no accounts with passwords.');
      const [account] = await find(auth.model, { [auth.password.login]: login });
      const signedIn = account && (await tools.signIn(String(account.id)));
      if (!signedIn) throw new Error(`There is no ${auth.model} with the ${auth.password.login} ${login}.`);
      return signedIn.token;
    },
  };
}

function notTaken(path: string): InputError {
  return { path, code: 'wrong-type', message: 'is a file, which only an endpoint takes', params: {} };
}

function byField(values: Values, { model, columns }: KnownModel): Values {
  const password = columns.find(({ form }) => form.isPassword)?.field.name ?? 'password';
  const fields = new Map([
    ['password', password],
    ...model.references.map(({ name, field }) => [name, field] as const),
  ]);
  return Object.fromEntries(
    Object.entries(values).map(([name, given]) => {
      const field = fields.get(name);
      return field === undefined ? [name, given] : [field, idOf(given)];
    }),
  );
}

function idOf(given: unknown): unknown {
  return given !== null && typeof given === 'object' && 'id' in given ? given.id : given;
}

/** The reason of a failed request, for the test that has made it. */
export function fixtureRefusal(error: unknown): string {
  const errors = error instanceof ApiError ? error.errors : [];
  const message = error instanceof Error ? error.message : String(error);
  return errors.length === 0 ? message : errors.map(({ path, message: why }) => `${path} ${why}`).join('; ');
}
