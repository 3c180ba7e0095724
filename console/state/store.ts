/** A value that components share. A component that reads it with `useStore` is drawn again when it changes. */
import { useEffect, useState } from 'preact/hooks';
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import { jsonFrom, OPENAPI } from './page.ts';
import { quietly } from './quietly.ts';

export interface Store<T> {
  get(): T;
  set(next: T): void;
  /** Subscribes a listener. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get);
  useEffect(() => {
    const refresh = (): void => setValue(() => store.get());
    refresh();
    return store.subscribe(refresh);
  }, [store]);
  return value;
}

/** Storage that lasts as long as the tab is open. */
export const TAB = (): Storage => sessionStorage;
/** Storage that lasts until somebody deletes it. */
export const BROWSER = (): Storage => localStorage;

/** A text in the storage of the browser. If the browser stores nothing, it is used until the page is left. */
export function storedText(storage: () => Storage, name: string): Store<string | null> {
  const store = createStore(quietly(() => storage().getItem(name)) ?? null);
  store.subscribe(() => {
    const text = store.get();
    quietly(() => (text === null ? storage().removeItem(name) : storage().setItem(name, text)));
  });
  return store;
}

// ── API document ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The API's own description, read once when the page opens.

export interface Loaded<T> {
  /** The value; null until it is loaded. */
  readonly value: T | null;
  /** The reason why it was not loaded. */
  readonly error: string | null;
}

export const apiDocument = createStore<Loaded<OpenApiDocument>>({ value: null, error: null });

export async function loadApiDocument(): Promise<void> {
  apiDocument.set(
    await jsonFrom<OpenApiDocument>(OPENAPI).then(
      (value) => ({ value, error: null }),
      ({ message }: Error) => ({ value: null, error: message }),
    ),
  );
}
