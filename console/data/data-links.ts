/** Addresses within the data view. */
import { hrefTo, withQuery } from '../state/route.ts';

/** The table settings in the address. */
export interface TableWish {
  readonly sort: string;
  readonly filters: readonly string[];
  readonly page: number;
}

export function tableWishFrom(query: URLSearchParams): TableWish {
  const page = Number(query.get('page') ?? '1');
  return {
    sort: query.get('sort') ?? '',
    filters: query.getAll('filter'),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

export function tableHref(model: string, wish: Partial<TableWish> = {}): string {
  return hrefTo('data', [model], queryOf(wish));
}

export function recordHref(model: string, id: string): string {
  return hrefTo('data', [model, id]);
}

/** The path in the console's API, whose parameters have the same names. */
export function pagePath(model: string, wish: TableWish, hide: readonly string[], whole = ''): string {
  return withQuery(`data/${encodeURIComponent(model)}`, { ...queryOf(wish), hide, whole });
}

export function recordPath(model: string, id: string): string {
  return `data/${encodeURIComponent(model)}/${encodeURIComponent(id)}`;
}

function queryOf({ sort = '', filters = [], page = 1 }: Partial<TableWish>) {
  return { sort, filter: filters, page: page === 1 ? '' : String(page) };
}

/** The end of a UUID: those that were made at the same time begin alike. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}
