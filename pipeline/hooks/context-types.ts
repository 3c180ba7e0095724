/** What every hook gets as its second argument, as TypeScript. Of Express, pino and knex it says what hooks need most. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { propertyText, typeText } from './type-text.ts';

export function contextText(definition: Definition): string {
  const names = definition.models.map(({ name }) => `    readonly ${name}: Model;`);
  return TEXT.replace('AUTH_TYPE', () => authText(definition)).replace('    MODEL_NAMES', () => names.join('\n'));
}

function authText({ auth, models, enums }: Definition): string {
  const model = models.find(({ name }) => name === auth?.model);
  if (!model) return 'null';
  const fields = model.fields.filter(({ secret }) => !secret);
  const properties = fields.map(({ name, doc, type }) => propertyText(name, doc, typeText(type, enums), '    '));
  return `{\n${properties.join('')}  } | null`;
}

const TEXT = `/** What a hook gets besides its arguments. */
export interface Context {
  /** Express's. */
  readonly request: Request;
  /** Express's. A hook writes to it where its action says \`responds\`. */
  readonly response: Response;
  /** The authenticated record without its secrets; null where nobody is authenticated. */
  readonly auth: AUTH_TYPE;
  /** Its lines carry the id of the request. */
  readonly log: Log;
  /** The transaction of the request, as knex has it. */
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
  /** What is wrong with single inputs. */
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

export interface Database {
  (table: string): Query;
  raw<R = Row>(sql: string, bindings?: readonly unknown[] | Readonly<Record<string, unknown>>): PromiseLike<Result<R>>;
  /** Objection's models, bound to the transaction. */
  readonly models: {
    MODEL_NAMES
  };
}

export type Row = Record<string, unknown>;

export interface Result<R> {
  readonly rows: R[];
  readonly rowCount: number | null;
}

export interface Model {
  query(): Query;
}

/** A query of knex or Objection. Every method that is not here can be called too: what it gives is not known. */
export interface Query<R = Row[]> extends PromiseLike<R> {
  select(...columns: readonly unknown[]): Query<R>;
  where(...condition: readonly unknown[]): Query<R>;
  andWhere(...condition: readonly unknown[]): Query<R>;
  orWhere(...condition: readonly unknown[]): Query<R>;
  whereIn(column: string, values: readonly unknown[] | Query<unknown>): Query<R>;
  whereNull(column: string): Query<R>;
  whereNotNull(column: string): Query<R>;
  join(table: string, ...condition: readonly unknown[]): Query<R>;
  leftJoin(table: string, ...condition: readonly unknown[]): Query<R>;
  groupBy(...columns: readonly string[]): Query<R>;
  orderBy(column: string, direction?: 'asc' | 'desc'): Query<R>;
  limit(count: number): Query<R>;
  offset(count: number): Query<R>;
  forUpdate(): Query<R>;
  returning(columns: string | readonly string[]): Query<Row[]>;
  first(): Query<Row | undefined>;
  findById(id: number | string): Query<Row | undefined>;
  count(column?: string): Query<Row[]>;
  insert(rows: Readonly<Row> | readonly Readonly<Row>[]): Query<unknown>;
  update(values: Readonly<Row>): Query<number>;
  patch(values: Readonly<Row>): Query<number>;
  delete(): Query<number>;
  [method: string]: any;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
`;
