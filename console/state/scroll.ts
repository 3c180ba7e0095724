/**
 * Where the reader was in each entry of the history. A new entry begins at the top, unless it is the same page with
 * other values. Back, forward and a reload return to the place. The browser cannot do that: the content is drawn later.
 */
import { keepText, keptText, TAB } from './kept.ts';
import { type Route, route } from './route.ts';

const NAME = 'kiln-console-scroll';
/** In milliseconds: content that comes later than that is not waited for. */
const PATIENCE = 2000;
/** For so many frames the place must be right: a view scrolls too, when it has been drawn. */
const CALM = 10;

interface Entry {
  readonly entry: string;
}

const places = new Map<string, number>(keptPlaces());
let entry = '';
let page = '';
let isReturning = false;

export function keepPlaces(): void {
  history.scrollRestoration = 'manual';
  addEventListener('scroll', () => isReturning || places.set(entry, scrollY), { passive: true });
  addEventListener('pagehide', () => keepText(TAB, NAME, JSON.stringify([...places])));
  // The reader goes elsewhere meanwhile.
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
  return view === 'data' || view === 'live' ? [view, ...path].join('/') : view;
}

/** As soon as the page is long enough, unless the reader is faster. */
function returnTo(place: number): void {
  const end = performance.now() + PATIENCE;
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

function keptPlaces(): readonly (readonly [string, number])[] {
  try {
    return JSON.parse(keptText(TAB, NAME) ?? '[]') as readonly (readonly [string, number])[];
  } catch {
    return [];
  }
}
