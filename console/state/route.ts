/**
 * What the fragment of the address says: `#/` is the reference, `#/postList` one operation of it, `#/tag/post` a group;
 * `#/models`, `#/data` and `#/live` are the other views, and what follows is for the view itself. Fragments of earlier
 * pages, `#models/Order` and `#/post/postList`, still lead to the right place.
 */
import { createStore, type Store } from './store.ts';

export type ViewName = 'reference' | 'models' | 'data' | 'live';

export interface ViewProps {
  /** What follows the name of the view, decoded. */
  readonly path: readonly string[];
  /** What follows a `?` in the fragment. */
  readonly query: URLSearchParams;
}

export interface Route extends ViewProps {
  readonly view: ViewName;
}

const NAMED: readonly ViewName[] = ['models', 'data', 'live'];

function routeFrom(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const view = NAMED.find((name) => name === parts[0]);
  return { view: view ?? 'reference', path: view ? parts.slice(1) : parts, query: new URLSearchParams(query) };
}

/** Whatever somebody typed into the address. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** For a link: `#/models/Order`. */
export function hrefTo(
  view: ViewName,
  path: readonly string[] = [],
  query: Readonly<Record<string, string>> = {},
): string {
  const parts = [...(view === 'reference' ? [] : [view]), ...path].map(encodeURIComponent);
  const text = new URLSearchParams(query).toString();
  return `#/${parts.join('/')}${text === '' ? '' : `?${text}`}`;
}

export function goTo(href: string): void {
  location.hash = href;
}

export const route: Store<Route> = createStore(routeFrom(location.hash));
addEventListener('hashchange', () => route.set(routeFrom(location.hash)));
