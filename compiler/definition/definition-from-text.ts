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
  for (const key in item) return `{${JSON.stringify(key)}:${JSON.stringify((item as Item)[key])}`;
  return '';
}

type Item = Readonly<Record<string, unknown>>;

class SharedItems {
  /** By the beginning of the line that each one is written as: a whole line is long, and to find it would take as long. */
  readonly #known = new Map<string, object>();
  readonly #used: unknown[] = [];
  readonly #texts = new ItemTexts();

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
    if (item === undefined || !this.#texts.isWrittenAs(item, isFollowed ? line.slice(0, -1) : line)) return line;
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

/** A text that no definition has in it, in the place of a selection. */
const GAP = '\u0000selection';
const WRITTEN_GAP = JSON.stringify(GAP);

/** The endpoints of an entrypoint share a selection, which is the longest part of each: its text is made once. */
class ItemTexts {
  readonly #selections = new Map<unknown, string>();

  isWrittenAs(item: object, line: string): boolean {
    const { response } = item as { readonly response?: Item };
    if (!Array.isArray(response?.select)) return JSON.stringify(item) === line;
    const around = JSON.stringify({ ...item, response: { ...response, select: GAP } });
    const at = around.indexOf(WRITTEN_GAP);
    const [head, tail] = [around.slice(0, at), around.slice(at + WRITTEN_GAP.length)];
    const selection = this.#textOf(response.select);
    return (
      line.length === head.length + selection.length + tail.length &&
      line.startsWith(head) &&
      line.startsWith(selection, head.length) &&
      line.endsWith(tail)
    );
  }

  #textOf(selection: unknown): string {
    const known = this.#selections.get(selection) ?? JSON.stringify(selection);
    this.#selections.set(selection, known);
    return known;
  }
}
