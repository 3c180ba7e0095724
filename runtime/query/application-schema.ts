import { COMPATIBILITY_SCHEMAS, compatibilitySchemaIn } from '../../compiler/definition/migration.ts';
import type { ImageRelease } from './image-release.ts';

/**
 * The schema that the tables of an application are in, by the search path of a connection, as SQL. Compatibility schemas
 * come before it in the path. Null where no schema of the path exists, or the role may use none of them.
 */
export const APPLICATION_SCHEMA = `(
  SELECT name FROM unnest(current_schemas(false)) WITH ORDINALITY AS listed(name, place)
  WHERE name !~ '${COMPATIBILITY_SCHEMAS}' ORDER BY place LIMIT 1)`;

/** For the connections of a server. `path` is the one that they would have had. */
export function searchPathOf({ fingerprint }: ImageRelease, schema: string, path: string): string {
  return `${compatibilitySchemaIn(schema, fingerprint)}, ${withoutCompatibility(path)}`;
}

const FIRST = /^([^,]*),\s*/;
const COMPATIBILITY_SCHEMA = new RegExp(COMPATIBILITY_SCHEMAS);

/** Without that of some other release, where a pooler has left it. */
export function withoutCompatibility(path: string): string {
  return path.replace(FIRST, (text, name: string) => (COMPATIBILITY_SCHEMA.test(name) ? '' : text));
}
