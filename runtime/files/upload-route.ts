/** Takes the bytes of uploads, where the store has no address of its own. */
import { UPLOAD_PATH } from '../../compiler/definition/contract/routes.ts';
import { type Exchange, plainRoute, type Route } from '../request/exchange.ts';
import type { FileStore } from './store.ts';

export function uploadRoutes(store: FileStore): readonly Route[] {
  const { receive } = store;
  if (!receive) return [];
  const take = async (exchange: Exchange) => {
    const [id = ''] = exchange.params;
    const query = new URLSearchParams(exchange.queryString);
    await exchange.takeBody((request) => receive(id, query, request));
    return { status: 204, headers: null, body: null };
  };
  return [plainRoute('PUT', UPLOAD_PATH, take)];
}
