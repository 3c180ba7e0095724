/**
 * The route in the fragment of the address: `#/` is the reference, `#/postList` one operation of it, `#/tag/post` a
 * group; `#/models`, `#/data`, `#/work`, `#/mail` and `#/live` are the other views, and the rest is for the view itself. Fragments of
 * earlier pages, `#models/Order` and `#/post/postList`, still lead to the right place.
 */
import { createStore, type Store, storedText, TAB } from './store.ts';

export type ViewName = 'reference' | 'models' | 'data' | 'work' | 'mail' | 'live';

export interface ViewProps {
  /** The path behind the name of the view, decoded. */
  readonly path: readonly string[];
  /** The query behind a `?` in the fragment. */
  readonly query: URLSearchParams;
}

export interface Route extends ViewProps {
  readonly view: ViewName;
}

const NAMED: readonly ViewName[] = ['models', 'data', 'work', 'mail', 'live'];

function routeFrom(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const view = NAMED.find((name) => name === parts[0]);
  return { view: view ?? 'reference', path: view ? parts.slice(1) : parts, query: new URLSearchParams(query) };
}

/** Decodes a part of the address, which may be any text. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Values by their names, or several values of one name. Empty values are left out. */
type Query = Readonly<Record<string, string | readonly string[]>>;

/** The address for a link: `#/models/Order`. */
export function hrefTo(view: ViewName, path: readonly string[] = [], query: Query = {}): string {
  return withQuery(`#/${[...(view === 'reference' ? [] : [view]), ...path].map(encodeURIComponent).join('/')}`, query);
}

export function withQuery(address: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  const text = new URLSearchParams(pairs.filter(([, value]) => value !== '')).toString();
  return text === '' ? address : `${address}?${text}`;
}

export function goTo(href: string): void {
  location.hash = href;
}

export const route: Store<Route> = createStore(routeFrom(location.hash));
addEventListener('hashchange', () => route.set(routeFrom(location.hash)));

// ── Scroll positions ─────────────────────────────────────────────────────────────────────────────────────────────────

// The scroll position of each entry of the history. A new entry begins at the top, unless it is the same page with
// other values. Back, forward and a reload return to the position. The browser cannot do that: the content is drawn
// later.

/** The time in milliseconds after which content is no longer waited for. */
const DEADLINE = 2000;
/** The number of frames for which the place must be right: a view scrolls too, when it has been drawn. */
const CALM = 10;

interface Entry {
  readonly entry: string;
}

const storedPlaces = storedText(TAB, 'kiln-console-scroll');
const places = new Map<string, number>(placesFrom(storedPlaces.get()));
let entry = '';
let page = '';
let isReturning = false;

export function keepPlaces(): void {
  history.scrollRestoration = 'manual';
  addEventListener('scroll', () => isReturning || places.set(entry, scrollY), { passive: true });
  addEventListener('pagehide', () => storedPlaces.set(JSON.stringify([...places])));
  // The reader scrolls elsewhere.
  const leave = (): void => {
    isReturning = false;
  };
  for (const kind of ['wheel', 'touchstart', 'keydown', 'pointerdown'])
    addEventListener(kind, leave, { passive: true });
  followRoute();
  route.subscribe(followRoute);
}

function followRoute(): void {
  const next = pageOf(route.get());
  const known = (history.state as Entry | null)?.entry;
  entry = known ?? String(Date.now());
  if (known === undefined) {
    history.replaceState({ entry } satisfies Entry, '');
    isReturning = false;
    if (next !== page) scrollTo(0, 0);
  } else {
    returnTo(places.get(known) ?? 0);
  }
  page = next;
}

/** The reference scrolls by itself to the operation of the address. The diagram stays where it is for all its models. */
function pageOf({ view, path }: Route): string {
  return view === 'reference' || view === 'models' ? view : [view, ...path].join('/');
}

/** Returns to a place as soon as the page is long enough, unless the reader scrolls first. */
function returnTo(place: number): void {
  const end = performance.now() + DEADLINE;
  const target = entry;
  let calm = 0;
  isReturning = true;
  const look = (): void => {
    if (!isReturning || entry !== target) return;
    calm = Math.abs(scrollY - place) <= 1 ? calm + 1 : 0;
    if (calm === 0) scrollTo(0, place);
    isReturning = performance.now() < end && calm < CALM;
    if (isReturning) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

function placesFrom(text: string | null): readonly (readonly [string, number])[] {
  try {
    return JSON.parse(text ?? '[]') as readonly (readonly [string, number])[];
  } catch {
    return [];
  }
}
