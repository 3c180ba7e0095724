/** The rules of the application about who may call what. The server tells them in development alone. */
import type { ConsoleAccess } from '../../runtime/console/api/console-access.ts';
import { apiDocument } from './api-document.ts';
import { consoleApi, consoleKey } from './console-api.ts';
import { IS_DEVELOPMENT } from './page.ts';
import { createStore } from './store.ts';

/** By `GET /api/post/{post_slug}`. Empty until they are loaded. */
export const accessRules = createStore<Readonly<Record<string, ConsoleAccess>>>({});

let isWanted = false;

/** From now on they are loaded, and again whenever the sources or the key have changed. */
export function wantAccessRules(): void {
  if (isWanted || !IS_DEVELOPMENT) return;
  isWanted = true;
  void load();
  apiDocument.subscribe(() => void load());
  consoleKey.subscribe(() => void load());
}

async function load(): Promise<void> {
  // Without them the reference says less, and is still right.
  accessRules.set(await consoleApi.json<Readonly<Record<string, ConsoleAccess>>>('access').catch(() => ({})));
}
