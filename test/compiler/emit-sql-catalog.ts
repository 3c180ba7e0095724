/** The catalog as the migration job reads it. */
export { schemaInCatalog } from '../../runtime/migrate/catalog.ts';
export { oddities } from '../../runtime/migrate/drift.ts';
