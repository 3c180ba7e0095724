/** Signing in to the API, and the token of the requests. */
import { accountPath, pathTemplate } from '../../compiler/definition/contract/routes.ts';
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import { successOf } from './console-api.ts';
import { responseOf, SERVER } from './page.ts';
import { enumValues, fieldsOf, resolved } from './schema.ts';
import { apiDocument, createStore, storedText, TAB } from './store.ts';

/** The token. It is stored as long as the tab is open, so a reload does not ask for it again. */
export const token = storedText(TAB, 'kiln-docs-token');

/** Whether the sign-in dialog is open. Any component that needs a token may open it. */
export const signInWanted = createStore(false);

export interface Login {
  readonly path: string;
  /** The property beside `password`. */
  readonly name: string;
}

const LOGIN = pathTemplate(accountPath('login'));
const ME = pathTemplate(accountPath('me'));

/** The login; null if the application has no login with a password. */
export function loginIn(document: OpenApiDocument): Login | null {
  const schema = document.paths[LOGIN]?.post?.requestBody?.content['application/json']?.schema ?? {};
  const name = fieldsOf(schema, document).find((field) => field.name !== 'password')?.name;
  return name === undefined ? null : { path: LOGIN, name };
}

/** The hint about tokens; null if nobody is asked for one. */
export function tokenHintIn({ components }: OpenApiDocument): string | null {
  return components.securitySchemes?.bearer?.description ?? null;
}

/** Logs in. Throws the server's own sentence if the login fails. */
export async function logIn(url: string, credentials: Readonly<Record<string, string>>): Promise<void> {
  const response = await successOf(await responseOf(url, { method: 'POST', body: JSON.stringify(credentials) }));
  token.set(((await response.json()) as { readonly token: string }).token);
}

/** The header of requests to the API; empty if nobody is signed in. */
export function authorization(): Readonly<Record<string, string>> {
  const current = token.get();
  return current === null ? {} : { authorization: `Bearer ${current}` };
}

// ── Account ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The account that the token belongs to: `ann@example.com · admin`. Null if nobody is signed in, or nothing tells who. */
export const account = createStore<string | null>(null);

/** The account before this one, to which one click goes back. Null after signing out. */
export const accountBefore = createStore<{ readonly token: string; readonly name: string } | null>(null);

let used = token.get();

function keepAccountBefore(): void {
  const next = token.get();
  const name = account.get() ?? 'the token before';
  accountBefore.set(used === null || next === null ? null : { token: used, name });
  used = next;
}

async function readAccount(): Promise<void> {
  const { value: document } = apiDocument.get();
  const login = document && loginIn(document);
  const sent = token.get();
  account.set(null);
  if (sent === null || !login) return;
  const response = await responseOf(`${SERVER}${ME}`, { headers: authorization() }).catch(() => null);
  if (!response?.ok || token.get() !== sent) return;
  const me = (await response.json()) as Readonly<Record<string, unknown>>;
  const words = [me[login.name], ...rolesIn(document).map((name) => me[name])];
  account.set(words.filter((word) => typeof word === 'string').join(' · ') || null);
}

/** The fields of an account that are an enum, as a role is. */
function rolesIn(document: OpenApiDocument): readonly string[] {
  const response = document.paths[ME]?.get?.responses['200'];
  const schema = response && 'content' in response ? response.content?.['application/json']?.schema : undefined;
  const fields = schema ? fieldsOf(schema, document) : [];
  return fields.filter((each) => enumValues(resolved(each.schema, document)).length > 0).map(({ name }) => name);
}

/** Keeps `account` up to date from now on. */
export function followAccount(): void {
  void readAccount();
  token.subscribe(() => {
    keepAccountBefore();
    void readAccount();
  });
  apiDocument.subscribe(() => void readAccount());
}
