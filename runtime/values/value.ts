/**
 * A value of the server, in the form that it has in JSON. Decimals, dates, timestamps and UUIDs are texts in their one
 * canonical form: `12.50`, `2026-11-15`, `2026-11-15T04:56:40.12Z` (UTC, at most six digits of a second, no zeros at
 * the end), lower-case UUIDs.
 */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };
