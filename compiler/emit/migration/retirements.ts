/**
 * Retains what the previous release needs: in a separate schema, where Postgres looks first on its connections. Each of
 * these has a later part that removes it again.
 */
import type { ChangeOf, DetachReference, KeepView, RetireColumn, TableNow } from '../../change/change.ts';
import { REMOVAL_KIND } from '../../definition/files.ts';
import type { Column } from '../../definition/schema.ts';
import { quotedText } from '../../definition/sql/literals.ts';
import { quotedName, typeName } from '../../definition/sql/sql.ts';
import { JOBS } from '../../definition/work.ts';
import { bodySql, routineSql } from '../sql/routines.ts';
import { defaultSql } from '../sql/schema-sql.ts';
import { nullAllowed, requiredAgain } from './columns.ts';
import { altered, later, lock, locks, type PhasedStep, scan, undoneBy, within } from './phased-step.ts';

// ── The schema ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Creates the schema for every role: a view checks the rights on the table behind it. `migrate` has created it before
 * its servers came, and they stay when the release is undone, so it is then emptied and not dropped.
 */
export function madeSchema(schema: string): readonly PhasedStep[] {
  const name = quotedName(schema);
  const make = `CREATE SCHEMA IF NOT EXISTS ${name};`;
  const grant = `GRANT USAGE ON SCHEMA ${name} TO PUBLIC;`;
  const drop = `DROP SCHEMA ${name} CASCADE;`;
  const emptied = within('drop-schema', `${drop}\n${make}\n${grant}`, 'empty the schema of the previous release');
  return [
    undoneBy(within('keep', make, 'create the schema for what the previous release needs'), emptied),
    undoneBy(within('keep', grant, 'let every role use it')),
    ...later([within('drop-schema', drop, 'drop the schema of the previous release')]),
  ];
}

/** A name that is found whatever the search path is. */
export function inSchema(schema: string, name: string): string {
  return `${quotedName(schema)}.${quotedName(name)}`;
}

export function tableSql({ name, isRetired }: TableNow, schema: string): string {
  return isRetired ? inSchema(schema, name) : quotedName(name);
}

// ── Tables, columns, enums ──────────────────────────────────────────────────────────────────────────────────────────

export function keepView({ table, defaults }: KeepView, schema: string): readonly PhasedStep[] {
  const view = inSchema(schema, table.name);
  const columns = table.columns.map(({ name }) => quotedName(name)).join(', ');
  // `xmin` is the version of a record, which a view does not have by itself.
  const create = `CREATE VIEW ${view} WITH (security_invoker = true) AS\n  SELECT ${columns}, xmin FROM ${quotedName(table.name)};`;
  const grant = `GRANT SELECT, INSERT, UPDATE, DELETE ON ${view} TO PUBLIC;`;
  const gone = within('hide', `DROP VIEW ${view};`, `drop the view of "${table.name}" for the previous release`);
  return [
    undoneBy(within('keep', create, `show "${table.name}" to the previous release as it is now`), gone),
    undoneBy(within('keep', grant, 'let every role use it that has rights on the table')),
    ...defaults.map((column) => undoneBy(keptDefault(view, table.name, column))),
    ...later([gone]),
  ];
}

/** Sets the default of a column of a view. Without one it has that of the table; a plain NULL would count as none. */
function keptDefault(view: string, table: string, { name, type, default: value }: Column): PhasedStep {
  const sql = value ? defaultSql(value, type) : `nullif('', '')::${typeName(type)}`;
  const says = `keep the default of "${name}" in "${table}" for the previous release`;
  return within('keep', `ALTER VIEW ${view} ALTER COLUMN ${quotedName(name)} SET DEFAULT ${sql};`, says);
}

export function retireTable(
  { table: { name }, what, files = [] }: ChangeOf<'retire-table'>,
  schema: string,
): readonly PhasedStep[] {
  const act = `SET SCHEMA ${quotedName(schema)}`;
  return [
    undoneBy(
      altered('retire', name, act, `keep the table "${name}" for the previous release`),
      within('retire', broughtBack('TABLE', inSchema(schema, name)), `bring the table "${name}" back`, [lock(name)]),
    ),
    ...files.flatMap((column) => removedFiles(inSchema(schema, name), name, column)),
    ...later([
      within('drop-table', `DROP TABLE ${inSchema(schema, name)};`, `drop the table "${name}"`, [
        lock(name),
        { kind: 'data-loss', what },
      ]),
    ]),
  ];
}

/** Stores a job for each file, which removes its bytes. */
function removedFiles(table: string, name: string, column: string): readonly PhasedStep[] {
  const file = quotedName(column);
  const input = `jsonb_build_object('file', ${file} -> 'id')`;
  const sql = `INSERT INTO ${quotedName(JOBS)} ("kind", "input") SELECT ${quotedText(REMOVAL_KIND)}, ${input} FROM ${table} WHERE ${file} IS NOT NULL;`;
  return later([within('fill', sql, `have the files in "${column}" of "${name}" removed`, [scan(name)])]);
}

export function retireColumn({
  table,
  column,
  wasNullable,
  what,
  isCopied,
  isFile,
}: RetireColumn): readonly PhasedStep[] {
  const says = `let "${column}" of "${table}" be null, for rows written without it`;
  const undo = requiredAgain(table, column, quotedName(`kiln_required_${column}`));
  const hazards = [lock(table), ...(isCopied ? [] : [{ kind: 'data-loss', what } as const])];
  return [
    ...(wasNullable ? [] : [undoneBy(nullAllowed('alter', table, column, says), ...undo)]),
    ...(isFile ? removedFiles(quotedName(table), table, column) : []),
    ...later([altered('drop-column', table, `DROP COLUMN ${quotedName(column)}`, `drop ${what}`, hazards)]),
  ];
}

export function retireEnum({ enum: name }: ChangeOf<'retire-enum'>, schema: string): readonly PhasedStep[] {
  const sql = `ALTER TYPE ${quotedName(name)} SET SCHEMA ${quotedName(schema)};`;
  return [
    undoneBy(
      within('retire', sql, `keep the enum "${name}" for the previous release`),
      within('retire', broughtBack('TYPE', inSchema(schema, name)), `bring the enum "${name}" back`),
    ),
  ];
}

/** Moves it back to the schema with the tables of the application. */
function broughtBack(what: 'TABLE' | 'TYPE', name: string): string {
  const move = quotedText(`ALTER ${what} ${name.replaceAll('%', '%%')} SET SCHEMA %I`);
  return `DO ${bodySql(`BEGIN\n  EXECUTE format(${move}, current_schema());\nEND`)};`;
}

// ── References that only the previous release knows ───────────────────────────────────────────────────────────────────

/**
 * Triggers of the same event are run by their names, and the foreign keys' begin with `RI_`: this one is before them, so
 * that they find nothing to restrict or to cascade to.
 */
export function detachReference(
  { of, table, column, key, act }: DetachReference,
  schema: string,
  number: number,
): readonly PhasedStep[] {
  const referring = tableSql(table, schema);
  const unlink = `ALTER TABLE ${referring} DROP CONSTRAINT ${quotedName(key)};`;
  const dropKey = within(
    'unlink',
    unlink,
    `drop the foreign key "${key}" of "${table.name}"`,
    locks([table.name, of.name], 'ACCESS EXCLUSIVE'),
  );
  if (act === 'nothing') return later([dropKey]);
  const target = tableSql(of, schema);
  const trigger = quotedName(`KILN_forget_${number}`);
  const routine = inSchema(schema, `forget_${number}`);
  const where = `WHERE ${quotedName(column)} = OLD."id"`;
  const change = act === 'delete' ? `DELETE FROM ${referring}` : `UPDATE ${referring} SET ${quotedName(column)} = NULL`;
  const says = `let rows of "${of.name}" be deleted that "${table.name}" refers to for the previous release`;
  const gone = within(
    'unfollow',
    `DROP TRIGGER ${trigger} ON ${target};`,
    `drop the trigger for this from "${of.name}"`,
    [lock(of.name)],
  );
  const follows = within(
    'follow',
    `${routineSql(routine, `BEGIN\n  ${change} ${where};\n  RETURN NULL;\nEND`)}\nCREATE TRIGGER ${trigger} AFTER DELETE ON ${target} FOR EACH ROW\n  WHEN (NOT ${isOfBefore(schema)}) EXECUTE FUNCTION ${routine}();`,
    says,
    [lock(of.name, 'SHARE ROW EXCLUSIVE')],
  );
  return [undoneBy(follows, gone), ...later([gone, dropKey])];
}

/** Whether a statement comes from the previous release: its connections look into its schema first. */
export function isOfBefore(schema: string): string {
  return `starts_with(current_setting('search_path'), '${schema},')`;
}
