/** Whether two pieces of abstract syntax say the same, wherever they stand. */
export function isSameContent(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a, b);
  // A flag is stored as its position, so two flags are always equal.
  if (isPlace(a)) return isPlace(b);
  const [before, after] = [a, b] as readonly Readonly<Record<string, unknown>>[] as [Keyed, Keyed];
  const keys = Object.keys(before);
  return keys.length === Object.keys(after).length && keys.every((key) => isSameContent(before[key], after[key]));
}

type Keyed = Readonly<Record<string, unknown>>;

function isSameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => isSameContent(item, b[index]));
}

function isPlace(value: object): boolean {
  return 'file' in value && 'start' in value && 'end' in value;
}
