/** What `access` gives; undefined if it fails, as for a text that is no JSON, or in a browser that stores nothing. */
export function quietly<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
