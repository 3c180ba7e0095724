/** A value that components share. Whoever reads it with `useStore` is drawn again when it changes. */
import { useEffect, useState } from 'preact/hooks';

export interface Store<T> {
  get(): T;
  set(next: T): void;
  /** Gives a function that ends it. */
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

/** As long as the tab is open. */
export const TAB = (): Storage => sessionStorage;
/** Until somebody deletes it. */
export const BROWSER = (): Storage => localStorage;

/** A text that the browser keeps. One that keeps nothing is no reason to show nothing: then it is used until the page is left. */
export function storedText(storage: () => Storage, name: string): Store<string | null> {
  const store = createStore(quietly(() => storage().getItem(name)) ?? null);
  store.subscribe(() => {
    const text = store.get();
    quietly(() => (text === null ? storage().removeItem(name) : storage().setItem(name, text)));
  });
  return store;
}

function quietly<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
