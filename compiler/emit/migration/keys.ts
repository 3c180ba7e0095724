/** How the changes of keys and indexes are written: on tables that exist, so that others wait as little as possible. */
import type { AddForeignKey, Change, DropForeignKey } from '../../change/change.ts';
import type { ForeignKey, Table } from '../../definition/schema.ts';
import { quotedName } from '../../definition/sql/names.ts';
import {
  addForeignKey as addForeignKeySql,
  columnList,
  createIndex,
  foreignKeySql,
  indexedSql,
} from '../sql/schema-sql.ts';
import { lock, locks, mayFail, type PhasedStep, scan, statementOf, within } from './phased-step.ts';

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>;

/** Nobody waits for an index of a table that is new. */
export type IsNew = (table: string) => boolean;

/** The index is built while others write; the key that takes it over is then there at once. */
export function addUnique({ table, key: { name, columns } }: Of<'add-unique'>): readonly PhasedStep[] {
  const over = `${quotedName(table.name)} ${columnList(columns)}`;
  const index = statementOf(
    `CREATE UNIQUE INDEX CONCURRENTLY ${quotedName(name)} ON ${over};`,
    `build the index of the unique key "${name}"`,
    [
      lock(table.name, 'SHARE UPDATE EXCLUSIVE'),
      scan(table.name),
      mayFail(`rows in "${table.name}" may have the same ${columns.map((column) => `"${column}"`).join(' and ')}`),
    ],
  );
  const constraint = `ADD CONSTRAINT ${quotedName(name)} UNIQUE USING INDEX ${quotedName(name)}`;
  return [
    { phase: 'index', step: { kind: 'index', name, statement: index } },
    within('require', `ALTER TABLE ${quotedName(table.name)} ${constraint};`, `make the unique key "${name}"`, [
      lock(table.name),
    ]),
  ];
}

export function dropUnique({ table, name }: Of<'drop-unique'>): readonly PhasedStep[] {
  const sql = `ALTER TABLE ${quotedName(table)} DROP CONSTRAINT ${quotedName(name)};`;
  return [within('drop-key', sql, `drop the unique key "${name}"`, [lock(table)])];
}

export function addIndex({ table, index }: Of<'add-index'>, isNew: IsNew): readonly PhasedStep[] {
  const says = `build the index "${index.name}"`;
  if (isNew(table.name)) return [within('index-new', createIndex(table, index), says)];
  const sql = `CREATE INDEX CONCURRENTLY ${quotedName(index.name)} ON ${indexedSql(table, index)};`;
  const hazards = [lock(table.name, 'SHARE UPDATE EXCLUSIVE'), scan(table.name)];
  return [{ phase: 'index', step: { kind: 'index', name: index.name, statement: statementOf(sql, says, hazards) } }];
}

export function dropIndex({ table, name }: Of<'drop-index'>): readonly PhasedStep[] {
  return [within('drop-key', `DROP INDEX ${quotedName(name)};`, `drop the index "${name}"`, [lock(table)])];
}

export function addForeignKey({ table, key, isOverValues }: AddForeignKey, isNew: IsNew): readonly PhasedStep[] {
  const says = `add the foreign key "${key.name}"`;
  const tables = [table.name, key.to.table].filter((name) => !isNew(name));
  const hazards = locks(tables, 'SHARE ROW EXCLUSIVE');
  if (isNew(table.name)) return [within('link', addForeignKeySql(table, key), says, hazards)];
  const sql = `ALTER TABLE ${quotedName(table.name)} ADD CONSTRAINT ${foreignKeySql(key)} NOT VALID;`;
  return [within('link', sql, `${says}, for new rows`, hazards), proved(table, key, isOverValues)];
}

/** One key takes the place of the other in one statement: no row slips in between. */
export function changeForeignKey({ table, key }: Of<'change-foreign-key'>): readonly PhasedStep[] {
  const drop = `DROP CONSTRAINT ${quotedName(key.name)}`;
  const sql = `ALTER TABLE ${quotedName(table.name)} ${drop},\n  ADD CONSTRAINT ${foreignKeySql(key)} NOT VALID;`;
  const says = `let "${key.name}" ${key.onDelete} on delete`;
  return [within('link', sql, says, locks([table.name, key.to.table], 'ACCESS EXCLUSIVE')), proved(table, key, false)];
}

function proved(table: Table, { name, column, to }: ForeignKey, mayBeAlone: boolean): PhasedStep {
  const sql = `ALTER TABLE ${quotedName(table.name)} VALIDATE CONSTRAINT ${quotedName(name)};`;
  const failure = mayBeAlone
    ? [mayFail(`values of "${column}" in "${table.name}" may be no ids in "${to.table}"`)]
    : [];
  return within('prove', sql, `make sure that "${name}" holds for every row`, [
    lock(table.name, 'SHARE UPDATE EXCLUSIVE'),
    scan(table.name),
    ...failure,
  ]);
}

export function dropForeignKey({ table, name, to }: DropForeignKey): readonly PhasedStep[] {
  const sql = `ALTER TABLE ${quotedName(table)} DROP CONSTRAINT ${quotedName(name)};`;
  return [within('unlink', sql, `drop the foreign key "${name}"`, locks([table, to], 'ACCESS EXCLUSIVE'))];
}
