/** Paths: how they are written, and those that every application has. */

/** A literal segment is URL-encoded already. */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string };

export function literalPath(...texts: readonly string[]): readonly Segment[] {
  return texts.map((text) => ({ kind: 'literal', text }));
}

/** `/api/post/:post_slug`, for people. */
export function pathPattern(path: readonly Segment[]): string {
  return pathText(path, (name) => `:${name}`);
}

/** `/api/post/{post_slug}`, as OpenAPI writes it. */
export function pathTemplate(path: readonly Segment[]): string {
  return pathText(path, (name) => `{${name}}`);
}

/** `/api/post/:`: the same for paths that differ only in the names of parameters. */
export function pathShape(path: readonly Segment[]): string {
  return pathText(path, () => ':');
}

function pathText(path: readonly Segment[], written: (parameter: string) => string): string {
  let text = '';
  for (const segment of path) text += `/${segment.kind === 'literal' ? segment.text : written(segment.name)}`;
  return text;
}

export function parameterNames(path: readonly Segment[]): readonly string[] {
  return path.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []));
}

/** The first segment of the path of every endpoint. */
export const API = 'api';

/** Several live lists on one connection. */
export const LIVE_PATH = literalPath(API, 'live');

/** Where clients send the bytes of files that the server keeps by itself. */
export const UPLOAD_PATH: readonly Segment[] = [...literalPath(API, '_uploads'), { kind: 'parameter', name: 'id' }];

export const HEALTH = 'healthz';
export const READY = 'readyz';
export const METRICS = 'metrics';
export const OPENAPI = 'openapi.json';

/** The path of the console, unless the sources say otherwise. */
export const DOCS = 'docs';

/** The first segment of the paths of the console's own API, and the header with its key. */
export const CONSOLE = '_console';
export const CONSOLE_KEY_HEADER = 'x-kiln-console';

/** The routes of password login, with their methods. */
export const ACCOUNT_METHODS = {
  register: 'POST',
  login: 'POST',
  logout: 'POST',
  me: 'GET',
  verify: 'POST',
  forgot: 'POST',
  reset: 'POST',
  accept: 'POST',
} as const;

export type AccountRoute = keyof typeof ACCOUNT_METHODS;

/** The mails of `auth` that routes belong to. */
export const PURPOSES: Partial<Readonly<Record<AccountRoute, 'verify' | 'reset' | 'invite'>>> = {
  verify: 'verify',
  forgot: 'reset',
  reset: 'reset',
  accept: 'invite',
};

/** `POST /api/auth/login`. */
export function accountRoute(name: AccountRoute): string {
  return `${ACCOUNT_METHODS[name]} ${pathPattern(accountPath(name))}`;
}

export function accountPath(name: AccountRoute): readonly Segment[] {
  return literalPath(API, 'auth', name);
}

// ── Headers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The server writes what frames an answer; headers of an application that say otherwise would break the connection. */
export const FRAMING: readonly string[] = ['content-length', 'transfer-encoding', 'connection', 'keep-alive'];

/** The headers that Kiln has added to those of HTTP, in lower case as Node has them. */

/** Names the request in the log. A client may send one. */
export const REQUEST_ID = 'x-request-id';

/** The fingerprint of the API: lets a client see that it was made for another one. */
export const CONTRACT = 'kiln-contract';

/** The position in the WAL of what a request has changed; a client that sends it back reads no older data. */
export const POSITION = 'kiln-position';

/** No replica ever has it. */
export const ON_PRIMARY = 'f'.repeat(16);

/** The number of records that a list was cut off at. */
export const TRUNCATED = 'kiln-list-truncated';
