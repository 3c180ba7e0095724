/**
 * Two definitions in, the steps between their databases out. Each change says what it needs and when; the steps are in
 * an order in which every statement finds what it relies on, no lock is held for long, and what cannot be taken back
 * comes last. Afterwards the database equals one that was made from the newer definition.
 */
import type { Change, ChangeKind, Rename } from '../../change/change.ts';
import { changesBetween } from '../../change/changes-between.ts';
import type { Definition } from '../../definition/definition.ts';
import type { MigrationStatement, MigrationStep } from '../../definition/migration.ts';
import { quotedName } from '../sql/names.ts';
import { createTable } from '../sql/schema-sql.ts';
import { addColumn, changeDefault, changeNullability, dropColumn, type Retype, retypes } from './columns.ts';
import { addEnum, addValue, changeValues, dropEnum, renameValue } from './enums.ts';
import { type ColumnFill, fills, normalisations } from './fills.ts';
import {
  addForeignKey,
  addIndex,
  addUnique,
  changeForeignKey,
  dropForeignKey,
  dropIndex,
  dropUnique,
  type IsNew,
} from './keys.ts';
import { lock, MOMENTS, type Placed, within } from './placed.ts';
import { renames } from './renames.ts';

export function migrationFrom(previous: Definition, next: Definition): readonly MigrationStep[] {
  return stepsFrom(changesBetween(previous, next).changes, next);
}

export function stepsFrom(changes: readonly Change[], next: Definition): readonly MigrationStep[] {
  const added = new Set(changes.flatMap((change) => (change.kind === 'add-table' ? [change.table.name] : [])));
  const retyped = changes.flatMap(retypesOf);
  const others = changes.filter((change) => !isDefaultOf(change, retyped));
  const placed = [
    ...renames(changes.filter((change): change is Rename => change.kind === 'rename')),
    ...retypes(retyped),
    ...others.flatMap((change) => placedOf(change, (table) => added.has(table))),
    ...normalisations(
      changes.filter((change) => change.kind === 'normalise-values'),
      next,
    ),
    ...fills(changes.flatMap(fillOf), next),
  ];
  const inOrder = placed.toSorted((a, b) => MOMENTS.indexOf(a.moment) - MOMENTS.indexOf(b.moment));
  return joined(inOrder);
}

type Write<K extends ChangeKind> = (change: Extract<Change, { kind: K }>, isNew: IsNew) => readonly Placed[];

const WRITERS: { readonly [K in ChangeKind]: Write<K> } = {
  // All renames together, because their order matters; all types of a table together, because they share its rewrite.
  rename: () => [],
  'change-type': () => [],
  'rename-value': renameValue,
  'add-enum': addEnum,
  'drop-enum': dropEnum,
  'add-value': addValue,
  'change-values': changeValues,
  'add-table': ({ table }) => [within('make-table', createTable(table), `make the table "${table.name}"`)],
  'drop-table': ({ table: { name }, what }) => [
    within('drop-table', `DROP TABLE ${quotedName(name)};`, `drop the table "${name}"`, [
      lock(name),
      { kind: 'data-loss', what },
    ]),
  ],
  'add-column': addColumn,
  'drop-column': dropColumn,
  'change-nullability': changeNullability,
  'change-default': changeDefault,
  // With the other values, which may be computed from these.
  'normalise-values': () => [],
  'add-unique': addUnique,
  'drop-unique': dropUnique,
  'add-index': addIndex,
  'drop-index': dropIndex,
  'add-foreign-key': addForeignKey,
  'change-foreign-key': changeForeignKey,
  'drop-foreign-key': dropForeignKey,
};

function placedOf(change: Change, isNew: IsNew): readonly Placed[] {
  const write = WRITERS[change.kind] as (change: Change, isNew: IsNew) => readonly Placed[];
  return write(change, isNew);
}

function retypesOf(change: Change): readonly Retype[] {
  if (change.kind === 'change-type') return [change];
  return change.kind === 'change-values' ? change.uses.map((use) => ({ ...use, from: { enum: change.aside } })) : [];
}

/** A column that gets another type gets its default with it. */
function isDefaultOf(change: Change, retyped: readonly Retype[]): boolean {
  if (change.kind !== 'change-default') return false;
  return retyped.some(({ table, column }) => table === change.table && column.name === change.column.name);
}

function fillOf(change: Change): readonly ColumnFill[] {
  if (change.kind !== 'add-column' && change.kind !== 'change-nullability') return [];
  const { table, column, fill } = change;
  return fill ? [{ table, column, fill }] : [];
}

/** Neighbours share a transaction, except that a value of an enum is usable only in a later one, and proofs take long. */
function joined(placed: readonly Placed[]): readonly MigrationStep[] {
  const steps: MigrationStep[] = [];
  let open: MigrationStatement[] | undefined;
  for (const [at, { moment, step }] of placed.entries()) {
    const statements: MigrationStatement[] = step.kind === 'transaction' ? [...step.statements] : [];
    const isAlone = step.kind !== 'transaction' || moment === 'prove';
    if (open && !isAlone) open.push(...statements);
    else steps.push(step.kind === 'transaction' ? { kind: 'transaction', statements } : step);
    const isLastValue = moment === 'add-value' && placed[at + 1]?.moment !== 'add-value';
    open = isAlone || isLastValue ? undefined : (open ?? statements);
  }
  return steps;
}
