import type { Definition } from './definition.ts';

/**
 * Reads what `definitionText` has written. Most of a large definition is the same in the next release: models, endpoints
 * and other items that `like` has too are not read again but taken from it. So they need no memory of their own, and are
 * soon seen to be equal. Throws where the text is no JSON.
 */
export function definitionFromText(text: string, like: Definition): unknown {
  const shared = new SharedItems(like);
  const definition: unknown = JSON.parse(
    text
      .split('\n')
      .map((line) => shared.replaced(line))
      .join('\n'),
  );
  // Every number that was written must have been read as an item, otherwise the lines of the text are not items.
  return shared.putBack(definition) ? definition : JSON.parse(text);
}

/** The first property, which is the name or the id: `{"name":"Post"`. */
const BEGINNING = /^\{"\w+":"(?:[^"\\]|\\.)*"/;

function beginningOf(item: object): string {
  const [first] = Object.entries(item);
  return `{${JSON.stringify(first?.[0])}:${JSON.stringify(first?.[1])}`;
}

class SharedItems {
  /** By the beginning of the line that each one is written as: a whole line is long, and to find it would take as long. */
  readonly #known = new Map<string, object>();
  readonly #used: unknown[] = [];

  constructor(like: Definition) {
    for (const items of Object.values(like)) {
      if (!Array.isArray(items)) continue;
      for (const item of items) if (typeof item === 'object') this.#known.set(beginningOf(item), item);
    }
  }

  /** The line with a number in place of an item that is known. No item of a definition is a number. */
  replaced(line: string): string {
    const isFollowed = line.endsWith(',');
    const item = this.#known.get(BEGINNING.exec(line)?.[0] ?? '');
    if (item === undefined || JSON.stringify(item) !== (isFollowed ? line.slice(0, -1) : line)) return line;
    const number = this.#used.push(item) - 1;
    return isFollowed ? `${number},` : `${number}`;
  }

  /** Whether all of them were found. */
  putBack(definition: unknown): boolean {
    let found = 0;
    for (const items of Object.values(definition ?? {})) {
      if (!Array.isArray(items)) continue;
      for (const [at, item] of items.entries()) {
        if (typeof item !== 'number') continue;
        items[at] = this.#used[item];
        found++;
      }
    }
    return found === this.#used.length;
  }
}
