/**
 * The type of the second argument of every hook, as TypeScript. It has the parts of Express, pino, Objection and Knex
 * that hooks need most.
 */
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import { hasFiles } from '../../compiler/definition/files.ts';
import { propertyText, typeText, wrapped } from './type-text.ts';

export function contextText(definition: Definition): string {
  const { models } = definition;
  const classes = models.map(({ name, doc }) => propertyText(name, doc, `ModelClass<'${name}'>`, '  '));
  const records = models.map((model) => propertyText(model.name, model.doc, recordText(model, definition), '  '));
  const texts: Readonly<Record<string, string>> = {
    AUTH_TYPE: authText(definition),
    SETTINGS: settingsText(definition),
    MODELS: classes.join(''),
    RECORDS: records.join(''),
    FILES: hasFiles(definition) ? '  readonly files: Files;\n' : '',
  };
  const text = `${TEXT}${hasFiles(definition) ? FILES_TEXT : ''}${definition.jobs ? JOB_TEXT : ''}`;
  // All at once: what an author has written may hold such a word.
  return text.replace(/AUTH_TYPE|SETTINGS|MODELS|RECORDS|FILES/g, (word) => texts[word] as string);
}

function recordText({ fields, references, relations }: Model, { enums }: Definition): string {
  const properties = [
    ...fields.map(({ name, doc, type }) => propertyText(name, doc, typeText(type, enums), '    ')),
    ...references.map(({ name, doc, to, nullable }) => fetchedText(name, doc, to, { nullable })),
    ...relations.map(({ name, doc, from, many }) => fetchedText(name, doc, from, { many, nullable: !many })),
  ];
  return `{\n${properties.join('')}  }`;
}

function fetchedText(name: string, doc: string | null, model: string, ends: Parameters<typeof wrapped>[1]): string {
  return propertyText(`${name}?`, doc, wrapped(`Instance<'${model}'>`, ends), '    ');
}

function authText({ auth, models, enums }: Definition): string {
  const model = models.find(({ name }) => name === auth?.model);
  if (!model) return 'null';
  const fields = model.fields.filter(({ secret }) => !secret);
  const properties = fields.map(({ name, doc, type }) => propertyText(name, doc, typeText(type, enums), '    '));
  return `{\n${properties.join('')}  } | null`;
}

function settingsText({ settings = [], enums }: Definition): string {
  if (settings.length === 0) return '';
  const properties = settings.map(({ name, doc, type }) => propertyText(name, doc, typeText(type, enums), '    '));
  return `  /** The settings of the application, from the environment of the server. */\n  readonly settings: {\n${properties.join('')}  };\n`;
}

const FILES_TEXT = `
/** A file as a record has it. Its bytes are elsewhere. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/** The bytes of files. */
export interface Files {
  read(file: StoredFile): Promise<AsyncIterable<Uint8Array>>;
  /** Stores a file. A record has to take what it gives: \`patch({ cover: await db.files.write(…) })\`. */
  write(file: { readonly name: string; readonly type: string; readonly bytes: Uint8Array }): Promise<StoredFile>;
}
`;

const JOB_TEXT = `
/** What a hook of a job gets besides its arguments: a job has no request and no caller. */
export interface JobContext extends Omit<Context, 'request' | 'response' | 'auth'> {
  /** The id is the same for each try, so another service can tell that it has seen the job before. The signal aborts at the timeout. */
  readonly job: { readonly id: string; readonly attempt: number; readonly signal: AbortSignal };
}
`;

const TEXT = `/** What a hook gets besides its arguments. */
export interface Context {
  /** Express's. */
  readonly request: Request;
  /** Express's. A hook writes to it where its action says \`responds\`. */
  readonly response: Response;
  /** The authenticated record without its secrets; null where nobody is authenticated. */
  readonly auth: AUTH_TYPE;
SETTINGS  /** Its lines carry the id of the request. */
  readonly log: Log;
  /** Of a \`call\`. The id is the same each time that a client repeats a request with its \`Idempotency-Key\`. */
  readonly call?: { readonly id: string };
  /** Of a job, which has neither \`request\` nor \`response\`. The id is the same for each try. */
  readonly job?: { readonly id: string; readonly attempt: number; readonly signal: AbortSignal };
  /** The models of the application, in the transaction of the request. The code of a \`call\` has none. */
  readonly db: Database;
}

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly originalUrl: string;
  readonly path: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly ip?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly params: Readonly<Record<string, string | string[]>>;
  /** Parsed by Express: a parameter that is repeated is a list. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The JSON that the client has sent, with all its keys; a copy. Undefined where the body is empty or no JSON. */
  readonly body?: any;
  /** The bytes of a JSON body, such as for a signature. Any other body can be read from the request as a stream. */
  readonly rawBody?: Uint8Array | undefined;
  get(header: string): string | undefined;
}

/** What a hook throws to answer with an error: \`throw { status: 409, message: 'Sold out' } satisfies HookError\`. */
export interface HookError {
  /** From 400 to 599. */
  readonly status: number;
  /** The \`detail\` of the answer. */
  readonly message?: string;
  /** For programs to decide by; otherwise the one that belongs to the status. */
  readonly code?: string;
  /** The errors of single inputs. */
  readonly errors?: readonly {
    readonly path: string;
    readonly code: string;
    readonly message: string;
    readonly params?: Readonly<Record<string, unknown>>;
  }[];
}

export interface Response {
  statusCode: number;
  readonly headersSent: boolean;
  status(code: number): this;
  set(header: string, value: string | readonly string[]): this;
  setHeader(header: string, value: string | number | readonly string[]): this;
  getHeader(header: string): string | number | string[] | undefined;
  removeHeader(header: string): void;
  type(type: string): this;
  json(body: unknown): this;
  send(body?: unknown): this;
  redirect(url: string): void;
  redirect(status: number, url: string): void;
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string | Uint8Array): this;
}

export interface Log {
  trace: LogMethod;
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
  fatal: LogMethod;
}

export interface LogMethod {
  (message: string, ...values: readonly unknown[]): void;
  (facts: object, message?: string, ...values: readonly unknown[]): void;
}

/** The models of the application, as Objection has them. */
export interface Database extends Omit<Transaction, keyof Records> {
MODELS}

interface Transaction {
  /** The transaction itself, for SQL: \`await db.knex.raw('SELECT …', [value])\`. */
  readonly knex: Knex;
FILES}

/** The fields of each model, secret ones too, and the records beside it once they were fetched. */
export interface Records {
RECORDS}

export interface ModelClass<Name extends keyof Records> {
  query(transaction?: Knex): Query<Name>;
  fromJson(values: Values<Name>): Instance<Name>;
  /** A savepoint: what throws is undone up to here. */
  transaction<T>(work: (transaction: Knex) => Promise<T>): Promise<T>;
  knex(): Knex;
  [member: string]: any;
}

/** A record. Its JSON has no secrets. */
export type Instance<Name extends keyof Records> = Records[Name] & {
  $query(transaction?: Knex): Query<Name, Instance<Name>>;
  $fetchGraph(relations: string): Query<Name, Instance<Name>>;
  $relatedQuery(relation: string, transaction?: Knex): any;
  toJSON(): Partial<Records[Name]>;
};

export type Values<Name extends keyof Records> = {
  readonly [Field in keyof Records[Name]]?: Records[Name][Field] | Raw<unknown>;
};

type Column<Name extends keyof Records> = keyof Records[Name] | (string & {});

/** A query of Objection. Every method that is not here can be called too: what it gives is not known. */
export interface Query<Name extends keyof Records, R = Instance<Name>[]> extends PromiseLike<R> {
  select(...columns: readonly (Column<Name> | Raw<unknown>)[]): this;
  where(values: Values<Name>): this;
  where(group: (query: Query<Name>) => void): this;
  where(column: Column<Name>, value: unknown): this;
  where(column: Column<Name>, operator: string, value: unknown): this;
  orWhere(column: Column<Name>, value: unknown): this;
  orWhere(column: Column<Name>, operator: string, value: unknown): this;
  whereIn(column: Column<Name>, values: readonly unknown[]): this;
  whereNull(column: Column<Name>): this;
  whereNotNull(column: Column<Name>): this;
  orderBy(column: Column<Name>, direction?: 'asc' | 'desc'): this;
  limit(count: number): this;
  offset(count: number): this;
  forUpdate(): this;
  /** Reads what relations lead to: \`author\`, \`[author, comments.author]\`. */
  withGraphFetched(relations: string, options?: object): this;
  withGraphJoined(relations: string, options?: object): this;
  joinRelated(relations: string, options?: object): this;
  first(): Query<Name, Instance<Name> | undefined>;
  findById(id: number | string): Query<Name, Instance<Name> | undefined>;
  findByIds(ids: readonly (number | string)[]): Query<Name>;
  findOne(values: Values<Name>): Query<Name, Instance<Name> | undefined>;
  findOne(column: Column<Name>, value: unknown): Query<Name, Instance<Name> | undefined>;
  throwIfNotFound(): Query<Name, NonNullable<R>>;
  page(page: number, size: number): Query<Name, { results: Instance<Name>[]; total: number }>;
  resultSize(): Promise<number>;
  insert(values: Values<Name>): Query<Name, Instance<Name>>;
  insert(values: readonly Values<Name>[]): Query<Name, Instance<Name>[]>;
  insertAndFetch(values: Values<Name>): Query<Name, Instance<Name>>;
  patch(values: Values<Name>): Query<Name, number>;
  patchAndFetchById(id: number | string, values: Values<Name>): Query<Name, Instance<Name> | undefined>;
  increment(column: Column<Name>, by?: number): Query<Name, number>;
  decrement(column: Column<Name>, by?: number): Query<Name, number>;
  delete(): Query<Name, number>;
  deleteById(id: number | string): Query<Name, number>;
  returning(columns: string | readonly string[]): Query<Name>;
  [method: string]: any;
}

export interface Knex {
  raw<Row = Record<string, unknown>>(
    sql: string,
    bindings?: readonly unknown[] | Readonly<Record<string, unknown>>,
  ): Raw<{ readonly rows: Row[]; readonly rowCount: number | null }>;
  transaction<T>(work: (transaction: Knex) => Promise<T>): Promise<T>;
  [member: string]: any;
}

/** Awaited it runs; in a query it is a part of it. */
export interface Raw<R> extends PromiseLike<R> {
  toQuery(): string;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
`;
