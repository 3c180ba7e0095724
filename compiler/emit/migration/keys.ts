/** Writes the changes of keys and indexes of existing tables, so that others wait as little as possible. */
import type { AddForeignKey, ChangeOf } from '../../change/change.ts';
import type { Hazard } from '../../definition/migration.ts';
import type { ForeignKey, Index, Key } from '../../definition/schema.ts';
import { quotedName } from '../../definition/sql/sql.ts';
import {
  addForeignKey as addForeignKeySql,
  columnList,
  createIndex,
  foreignKeySql,
  indexedSql,
} from '../sql/schema-sql.ts';
import { altered, lock, locks, mayFail, type PhasedStep, scan, statementOf, undoneBy, within } from './phased-step.ts';

/** Tells whether a table is new: nobody waits for an index of such a table. */
export type IsNew = (table: string) => boolean;

/** The index is built while others write; the key that takes it over is then there at once. */
export function addUnique({ table, key }: ChangeOf<'add-unique'>): readonly PhasedStep[] {
  const [index, constraint] = uniqueOver(table.name, key);
  return [undoneBy(index, indexGone(table.name, key.name)), undoneBy(constraint, uniqueGone(table.name, key.name))];
}

function uniqueOver(table: string, { name, columns }: Key): readonly [PhasedStep, PhasedStep] {
  const over = `${quotedName(table)} ${columnList(columns)}`;
  const index = statementOf(
    `CREATE UNIQUE INDEX CONCURRENTLY ${quotedName(name)} ON ${over};`,
    `build the index of the unique key "${name}"`,
    [
      lock(table, 'SHARE UPDATE EXCLUSIVE'),
      scan(table),
      mayFail(`rows in "${table}" may have the same ${columns.map((column) => `"${column}"`).join(' and ')}`),
    ],
  );
  const constraint = `ADD CONSTRAINT ${quotedName(name)} UNIQUE USING INDEX ${quotedName(name)}`;
  return [
    { phase: 'index', step: { kind: 'index', name, statement: index } },
    altered('require', table, constraint, `make the unique key "${name}"`),
  ];
}

export function dropUnique({ table, name, columns }: ChangeOf<'drop-unique'>): readonly PhasedStep[] {
  return [undoneBy(uniqueGone(table, name), ...uniqueOver(table, { name, columns }))];
}

function uniqueGone(table: string, name: string): PhasedStep {
  return altered('drop-key', table, `DROP CONSTRAINT ${quotedName(name)}`, `drop the unique key "${name}"`);
}

export function addIndex({ table, index }: ChangeOf<'add-index'>, isNew: IsNew): readonly PhasedStep[] {
  if (isNew(table.name)) return [undoneBy(within('index-new', createIndex(table, index), builds(index)))];
  return [undoneBy(indexOver(table.name, index), indexGone(table.name, index.name))];
}

function indexOver(table: string, index: Index): PhasedStep {
  const sql = `CREATE INDEX CONCURRENTLY ${quotedName(index.name)} ON ${indexedSql(table, index)};`;
  const hazards = [lock(table, 'SHARE UPDATE EXCLUSIVE'), scan(table)];
  const statement = statementOf(sql, builds(index), hazards);
  return { phase: 'index', step: { kind: 'index', name: index.name, statement } };
}

function builds({ name }: Index): string {
  return `build the index "${name}"`;
}

export function dropIndex({ table, index }: ChangeOf<'drop-index'>): readonly PhasedStep[] {
  const { name } = index;
  const gone = within('drop-key', `DROP INDEX ${quotedName(name)};`, `drop the index "${name}"`, [lock(table)]);
  return [undoneBy(gone, indexOver(table, index))];
}

/** One that was never built, or only by half, is gone too; and a key takes its index with it. */
function indexGone(table: string, name: string): PhasedStep {
  const sql = `DROP INDEX IF EXISTS ${quotedName(name)};`;
  return within('drop-key', sql, `drop the index "${name}", if it is there`, [lock(table)]);
}

export function addForeignKey({ table, key, isOverValues }: AddForeignKey, isNew: IsNew): readonly PhasedStep[] {
  const says = `add the foreign key "${key.name}"`;
  const tables = [table.name, key.to.table].filter((name) => !isNew(name));
  const hazards = locks(tables, 'SHARE ROW EXCLUSIVE');
  const undo = foreignKeyGone(table.name, key);
  if (isNew(table.name)) return [undoneBy(within('link', addForeignKeySql(table, key), says, hazards), undo)];
  const added = altered('link', table.name, unproved(key), `${says}, for new rows`, hazards);
  return [undoneBy(added, undo), undoneBy(proved(table.name, key, isOverValues))];
}

/** One key takes the place of the other in one statement: no row slips in between. */
export function changeForeignKey({
  table: { name: table },
  key,
  was,
}: ChangeOf<'change-foreign-key'>): readonly PhasedStep[] {
  const before = { ...key, onDelete: was };
  const undo = [changedForeignKey(table, before), proved(table, before, false)];
  const what = `records of "${table}" from now on, together with the record of "${key.to.table}" that they refer to`;
  const loss = key.onDelete === 'cascade' && was !== 'cascade' ? [{ kind: 'data-loss', what } as const] : [];
  return [undoneBy(changedForeignKey(table, key, loss), ...undo), undoneBy(proved(table, key, false))];
}

function changedForeignKey(table: string, key: ForeignKey, loss: readonly Hazard[] = []): PhasedStep {
  const act = `DROP CONSTRAINT ${quotedName(key.name)},\n  ${unproved(key)}`;
  const says = `let "${key.name}" ${key.onDelete} on delete`;
  return altered('link', table, act, says, [...locks([table, key.to.table], 'ACCESS EXCLUSIVE'), ...loss]);
}

/** Adds the key for new rows. */
function unproved(key: ForeignKey): string {
  return `ADD CONSTRAINT ${foreignKeySql(key)} NOT VALID`;
}

function proved(table: string, { name, column, to }: ForeignKey, mayBeAlone: boolean): PhasedStep {
  const failure = mayBeAlone ? [mayFail(`values of "${column}" in "${table}" may be no ids in "${to.table}"`)] : [];
  const hazards = [lock(table, 'SHARE UPDATE EXCLUSIVE'), scan(table), ...failure];
  const says = `make sure that "${name}" holds for every row`;
  return altered('prove', table, `VALIDATE CONSTRAINT ${quotedName(name)}`, says, hazards);
}

/** Drops a foreign key. Until it is added again, rows may refer to nothing. */
export function dropForeignKey({ table, key }: ChangeOf<'drop-foreign-key'>): readonly PhasedStep[] {
  const hazards = locks([table, key.to.table], 'SHARE ROW EXCLUSIVE');
  const says = `add the foreign key "${key.name}" again, for new rows`;
  const added = altered('link', table, unproved(key), says, hazards);
  return [undoneBy(foreignKeyGone(table, key), added, proved(table, key, true))];
}

function foreignKeyGone(table: string, { name, to }: ForeignKey): PhasedStep {
  const hazards = locks([table, to.table], 'ACCESS EXCLUSIVE');
  return altered('unlink', table, `DROP CONSTRAINT ${quotedName(name)}`, `drop the foreign key "${name}"`, hazards);
}
