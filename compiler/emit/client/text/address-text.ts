/** Where requests go. */
export const ADDRESS_CODE = String.raw`// ── Addresses ───────────────────────────────────────────────────────────────────────────────────────────────────────

function baseFrom(baseUrl: string | URL): string {
  const base = String(baseUrl);
  if (/[?#]/.test(base)) throw new TypeError('baseUrl must not have a query or a fragment: ' + base);
  if (!/^([a-z][a-z0-9+.-]*:\/\/|\/|$)/i.test(base))
    throw new TypeError('baseUrl must begin with "https://" or "/", or be "" for the origin of the page: ' + base);
  return base.replace(/\/+$/, '');
}

function pathFrom(template: string, values: readonly PathValue[]): string {
  let next = 0;
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => segmentFrom(name, values[next++]));
}

/** An empty segment, "." and ".." would name another path, even when they are encoded. */
function segmentFrom(name: string, value: PathValue | null | undefined): string {
  const text = String(value ?? '');
  if (text === '' || text === '.' || text === '..')
    throw new TypeError('"' + text + '" cannot stand in a path, so there is no record with such a ' + name);
  return encodeURIComponent(text);
}

/** What is undefined or null is left out. */
function queryFrom(input: unknown): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((input ?? {}) as Readonly<Record<string, unknown>>)) {
    if (value !== undefined && value !== null) query.append(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : '?' + text;
}
`;
