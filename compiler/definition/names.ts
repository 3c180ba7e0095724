/** Names in the database: at most 63 bytes long, and each for one thing only. */

/** Postgres cuts off what is longer, without an error. Identifiers are ASCII, so a character is a byte. */
const LONGEST = 63;

/**
 * One name space. The first claim of a name gets it unchanged; a later one, or one that is too long, gets a fingerprint
 * in it. So names depend only on the claims and their order.
 */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** `post_author_id_fkey` from `post`, `author_id` and `_fkey`, or a name that reads much like it. */
  claim(parts: readonly string[], suffix = ''): string {
    for (let attempt = 0; ; attempt++) {
      const name = candidate(parts, suffix, attempt);
      if (name.length > LONGEST || this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
  }

  /** Claims the names that authors wrote. All that fit stay as they are, whatever the others are shortened to. */
  claimAll(written: readonly string[]): ReadonlyMap<string, string> {
    const fitting = written.filter((name) => name.length <= LONGEST);
    const others = written.filter((name) => name.length > LONGEST);
    return new Map([...fitting.sort(), ...others.sort()].map((name) => [name, this.claim([name])]));
  }
}

function candidate(parts: readonly string[], suffix: string, attempt: number): string {
  if (attempt === 0) return parts.join('_') + suffix;
  // No identifier has a dot in it: the fingerprints of `a_b` + `c` and of `a` + `b_c` differ.
  const end = `_${fingerprint(`${parts.join('.')}${suffix}.${attempt}`)}${suffix}`;
  return parts.join('_').slice(0, LONGEST - end.length) + end;
}

/** FNV-1a of 32 bits: the same on every machine, and small enough to be part of a name. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** `BlogPost` → `blog_post`, `HTTPServer` → `http_server`. Names of tables, columns and segments of paths. */
export function snakeCase(name: string): string {
  if (name === name.toLowerCase()) return name;
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}
