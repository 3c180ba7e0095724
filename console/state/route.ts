/**
 * The route in the fragment of the address: `#/` is the reference, `#/postList` one operation of it, `#/tag/post` a
 * group; `#/models`, `#/data`, `#/work`, `#/mail` and `#/live` are the other views, and the rest is for the view itself. Fragments of
 * earlier pages, `#models/Order` and `#/post/postList`, still lead to the right place.
 */
import { quietly } from './quietly.ts';
import { createStore, type Store } from './store.ts';

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
    // It may be any text.
    .map((part) => quietly(() => decodeURIComponent(part)) ?? part);
  const view = NAMED.find((name) => name === parts[0]);
  return { view: view ?? 'reference', path: view ? parts.slice(1) : parts, query: new URLSearchParams(query) };
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
const DEADLINE = 10_000;
/** The time in milliseconds for which the place must be right: what is drawn later, such as rules, moves the rest. */
const CALM = 1000;

let page = '';
/** The address that the page shows. That of the browser may be the next one already. */
let shown = '';
let saving: ReturnType<typeof setTimeout> | undefined;
/** The turn that returns to a place; null if none does. */
let returning: object | null = null;

export function keepPlaces(): void {
  history.scrollRestoration = 'manual';
  const save = (): void => {
    if (returning === null && location.hash === shown) history.replaceState({ place: scrollY }, '');
  };
  const saveSoon = (): void => {
    clearTimeout(saving);
    // A browser refuses to save with every step.
    saving = setTimeout(save, 50);
  };
  addEventListener('scroll', saveSoon, { passive: true });
  // A link that is followed sooner than that leads away from the entry of the history.
  addEventListener('click', save, { capture: true, passive: true });
  // The reader scrolls elsewhere.
  const leave = (): void => {
    returning = null;
  };
  for (const kind of ['wheel', 'touchstart', 'keydown', 'pointerdown'])
    addEventListener(kind, leave, { passive: true });
  followRoute();
  route.subscribe(followRoute);
}

function followRoute(): void {
  clearTimeout(saving);
  shown = location.hash;
  const next = pageOf(route.get());
  const known = (history.state as { readonly place: number } | null)?.place;
  returning = null;
  if (known !== undefined) returnTo(known);
  else {
    history.replaceState({ place: 0 }, '');
    if (next !== page) scrollTo(0, 0);
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
  const turn = {};
  let calmSince = performance.now();
  returning = turn;
  const look = (): void => {
    if (returning !== turn) return;
    const now = performance.now();
    if (Math.abs(scrollY - place) > 1) {
      scrollTo(0, place);
      calmSince = now;
    }
    if (now < end && now - calmSince < CALM) requestAnimationFrame(look);
    else returning = null;
  };
  requestAnimationFrame(look);
}
