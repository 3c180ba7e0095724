/** Addresses within the data view, and the path back through them. */
import type { JSX } from 'preact';
import type { DataModel } from '../../runtime/console/data/data-forms.ts';
import { hrefTo, withQuery } from '../state/route.ts';

/** The props of a page about a model, or about a record of it. */
export interface ModelPageProps {
  readonly model: DataModel;
  readonly query: URLSearchParams;
}

/** The table settings in the address. */
export interface TableWish {
  readonly sort: string;
  readonly filters: readonly string[];
  readonly page: number;
}

/** The records that somebody came from, the first one first: `Post/12`. */
export type Trail = readonly string[];

const LONGEST_TRAIL = 4;

export function tableWishFrom(query: URLSearchParams): TableWish {
  const page = Number(query.get('page') ?? '1');
  return {
    sort: query.get('sort') ?? '',
    filters: query.getAll('filter'),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

export function trailFrom(query: URLSearchParams): Trail {
  return query.getAll('from');
}

export function tableHref(model: string, wish: Partial<TableWish> = {}, trail: Trail = []): string {
  return hrefTo('data', [model], { ...queryOf(wish), from: trail.slice(-LONGEST_TRAIL) });
}

export function recordHref(model: string, id: string, trail: Trail): string {
  return hrefTo('data', [model, id], { from: trail.slice(-LONGEST_TRAIL) });
}

/** The path in the console's API, whose parameters have the same names. */
export function pagePath(model: string, wish: TableWish, whole = ''): string {
  return withQuery(`data/${encodeURIComponent(model)}`, { ...queryOf(wish), whole });
}

export function recordPath(model: string, id: string): string {
  return `data/${encodeURIComponent(model)}/${encodeURIComponent(id)}`;
}

function queryOf({ sort = '', filters = [], page = 1 }: Partial<TableWish>) {
  return { sort, filter: filters, page: page === 1 ? '' : String(page) };
}

interface BreadcrumbProps {
  readonly trail: Trail;
  readonly model: string;
  /** The name of the page itself; absent on the table of the model. */
  readonly current?: string;
}

/** The path back: the records that were passed, the table, and the current page. */
export function Breadcrumb({ trail, model, current }: BreadcrumbProps): JSX.Element {
  const passed = trail.map((from, at) => {
    const [name = '', id = ''] = from.split('/');
    return [`${name} ${shortId(id)}`, recordHref(name, id, trail.slice(0, at))] as const;
  });
  const above = [['Data', hrefTo('data')] as const, ...passed];
  const steps = current === undefined ? above : [...above, [model, tableHref(model)] as const];
  return (
    <nav class="data-trail" aria-label="Breadcrumb">
      <ol class="soft small">
        {steps.map(([text, href]) => (
          <li key={href} class="ellipsis">
            <a class="link is-quiet" href={href}>
              {text}
            </a>
          </li>
        ))}
        <li class="ellipsis" aria-current="page">
          {current ?? model}
        </li>
      </ol>
    </nav>
  );
}

/** The end of a UUID: those that were made at the same time begin alike. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}
