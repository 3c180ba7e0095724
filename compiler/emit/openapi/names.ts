/** Names in the document: each for one thing only, and the same for as long as the source says the same. */

/** One name space. Whoever asks first gets the name that it likes best. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** The first of the names that is free, or the last one with a number. */
  claim(...wanted: readonly string[]): string {
    const name = wanted.find((each) => !this.#taken.has(each)) ?? this.#numbered(wanted.at(-1) ?? '');
    this.#taken.add(name);
    return name;
  }

  #numbered(name: string): string {
    for (let number = 2; ; number++) if (!this.#taken.has(`${name}${number}`)) return `${name}${number}`;
  }
}

/** `MyTicketsWaiting` from `my-tickets.waiting`. */
export function pascalCase(id: string): string {
  const words = decoded(id)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** `myTicketsWaiting` from `my-tickets.waiting`: an identifier in most languages. */
export function camelCase(id: string): string {
  const name = pascalCase(id);
  return /^[A-Z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : `_${name}`;
}

/** `Published at` from `published_at`, `Close solved` from `close-solved`. */
export function wordsFrom(name: string): string {
  const text = decoded(name).replace(/[_-]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A path that the source names is URL-encoded in an id. */
function decoded(name: string): string {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** `Cache-Control` from `cache-control`. */
export function headerName(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}
