/** Texts that the browser keeps. One that keeps nothing is no reason to show nothing. */
export function keptText(storage: () => Storage, name: string): string | null {
  try {
    return storage().getItem(name);
  } catch {
    return null;
  }
}

export function keepText(storage: () => Storage, name: string, text: string | null): void {
  try {
    if (text === null) storage().removeItem(name);
    else storage().setItem(name, text);
  } catch {
    // The value is still used until the page is left.
  }
}

/** As long as the tab is open. */
export const TAB = (): Storage => sessionStorage;
/** Until somebody deletes it. */
export const BROWSER = (): Storage => localStorage;
