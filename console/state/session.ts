/** Signing in to the API, and the token of the requests. */
import { accountPath, pathTemplate } from '../../compiler/definition/contract/routes.ts';
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import { responseOf } from './page.ts';
import { createStore, storedText, TAB } from './store.ts';

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

/** The login; null if the application has no login with a password. */
export function loginIn({ paths, components }: OpenApiDocument): Login | null {
  const schema = paths[LOGIN]?.post?.requestBody?.content['application/json']?.schema;
  const named = schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  const name = Object.keys(named?.properties ?? {}).find((property) => property !== 'password');
  return name === undefined ? null : { path: LOGIN, name };
}

/** The hint about tokens; null if nobody is asked for one. */
export function tokenHintIn({ components }: OpenApiDocument): string | null {
  return components.securitySchemes?.bearer?.description ?? null;
}

/** Logs in. Throws the server's own sentence if the login fails. */
export async function logIn(url: string, credentials: Readonly<Record<string, string>>): Promise<void> {
  const response = await responseOf(url, { method: 'POST', body: JSON.stringify(credentials) });
  const body = (await response.json().catch(() => ({}))) as { readonly token?: string; readonly detail?: string };
  if (body.token === undefined) throw new Error(body.detail ?? `The server answered ${response.status}.`);
  token.set(body.token);
}
