/**
 * Two definitions in, the steps between their databases out. Each change says what it needs and when; the steps are in
 * an order in which every statement finds what it relies on, no lock is held for long, and what cannot be taken back
 * comes last. Afterwards the database equals one that was made from the newer definition.
 */
import type { Change, ChangeKind, Rename } from '../../change/change.ts';
import { changesBetween } from '../../change/changes-between.ts';
import type { Definition } from '../../definition/definition.ts';
import { type MigrationStep, statementsOf } from '../../definition/migration.ts';
import { quotedName } from '../../definition/sql/names.ts';
import { createTable } from '../sql/schema-sql.ts';
import { addColumn, changeDefault, changeNullability, dropColumn, type Retype, retypes } from './columns.ts';
import {
  addEnum,
  addValue,
  COUNTED,
  changeValues,
  checkEmpty,
  checkValues,
  dropEnum,
  raiseIf,
  renameValue,
} from './enums.ts';
import { type ColumnCopy, type ColumnFill, fills } from './fills.ts';
import { unwrittenUnfollowed } from './followers.ts';
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
import { isAbout, lock, mayFail, PHASES, type Phase, type PhasedStep, undoneBy, within } from './phased-step.ts';
import { renames } from './renames.ts';
import { detachReference, keepView, retireColumn, retireEnum, retireTable } from './retirements.ts';

export function migrationFrom(previous: Definition, next: Definition): readonly MigrationStep[] {
  return stepsFrom(changesBetween(previous, next).changes, next);
}

export function stepsFrom(changes: readonly Change[], next: Definition): readonly MigrationStep[] {
  return joined(inOrder(placedFrom(changes, next, NOBODY)), () => '');
}

/** There is no release before that is still served, and so no schema for it. */
const NOBODY = '';

/** What each change needs, for now and for later. `schema` is for what the release before needs. */
export function placedFrom(changes: readonly Change[], next: Definition, schema: string): readonly PhasedStep[] {
  const added = new Set(changes.flatMap((change) => (change.kind === 'add-table' ? [change.table.name] : [])));
  const retyped = changes.flatMap(retypesOf);
  const others = changes.filter((change) => !isDefaultOf(change, retyped));
  return [
    ...renames(changes.filter((change): change is Rename => change.kind === 'rename')),
    ...retypes(retyped),
    ...others.flatMap((change, number) =>
      placedOf(change, { isNew: (table) => added.has(table), changes, schema, number }),
    ),
    ...fills(
      {
        takeovers: changes.flatMap(copiedColumnOf),
        normalised: changes.filter((change) => change.kind === 'normalise-values'),
        filled: changes.flatMap(fillOf),
      },
      next,
    ),
  ];
}

export function inOrder(placed: readonly PhasedStep[]): readonly PhasedStep[] {
  return placed.toSorted((a, b) => PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase));
}

interface Around {
  readonly isNew: IsNew;
  /** All of them. */
  readonly changes: readonly Change[];
  readonly schema: string;
  /** Of the change, and of no other. */
  readonly number: number;
}

type Write<K extends ChangeKind> = (change: Extract<Change, { kind: K }>, around: Around) => readonly PhasedStep[];

const WRITERS: { readonly [K in ChangeKind]: Write<K> } = {
  // All renames together, because their order matters; all types of a table together, because they share its rewrite.
  rename: () => [],
  'change-type': () => [],
  'rename-value': renameValue,
  'add-enum': addEnum,
  'drop-enum': dropEnum,
  'add-value': addValue,
  'change-values': changeValues,
  'add-table': addTable,
  'drop-table': ({ table: { name }, what }) => [
    within('drop-table', `DROP TABLE ${quotedName(name)};`, `drop the table "${name}"`, [
      lock(name),
      { kind: 'data-loss', what },
    ]),
  ],
  'add-column': (change, { changes, schema }) => addColumn(change, unwrittenUnfollowed(change, changes, schema)),
  'drop-column': dropColumn,
  'keep-view': (change, { schema }) => keepView(change, schema),
  'check-values': checkValues,
  'check-empty': checkEmpty,
  'retire-table': (change, { schema }) => retireTable(change, schema),
  'retire-column': retireColumn,
  'retire-enum': (change, { schema }) => retireEnum(change, schema),
  'detach-reference': (change, { schema, number }) => detachReference(change, schema, number),
  'change-nullability': changeNullability,
  'change-default': changeDefault,
  // With the other values, which may be computed from these.
  'normalise-values': () => [],
  'add-unique': addUnique,
  'drop-unique': dropUnique,
  'add-index': (change, { isNew }) => addIndex(change, isNew),
  'drop-index': dropIndex,
  'add-foreign-key': (change, { isNew }) => addForeignKey(change, isNew),
  'change-foreign-key': changeForeignKey,
  'drop-foreign-key': dropForeignKey,
};

function placedOf(change: Change, around: Around): readonly PhasedStep[] {
  const write = WRITERS[change.kind] as (change: Change, around: Around) => readonly PhasedStep[];
  return isAbout(change, write(change, around));
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
  const { table, column, fill, isLater = false } = change;
  return fill ? [{ table, column, fill, isLater, isInPlace: change.kind === 'change-nullability' }] : [];
}

function copiedColumnOf(change: Change): readonly ColumnCopy[] {
  if (change.kind !== 'add-column' || !change.copiedFrom) return [];
  const { table, column, copiedFrom } = change;
  return [{ table, column, copiedFrom }];
}

/** What reads every row of a table. */
const ALONE: ReadonlySet<Phase> = new Set(['check', 'check-fill', 'prove']);

export function joined(
  placed: readonly PhasedStep[],
  groupOf: (placed: PhasedStep) => string,
): readonly MigrationStep[] {
  return grouped(placed, groupOf).map(stepOf);
}

function stepOf(parts: readonly PhasedStep[]): MigrationStep {
  const [first] = parts as readonly [PhasedStep];
  if (first.step.kind !== 'transaction') return first.step;
  return { kind: 'transaction', statements: parts.flatMap(({ step }) => statementsOf(step)) };
}

/**
 * What is a step each. Neighbours share a transaction where `groupOf` says the same of them, except that a value of an
 * enum is usable only in a later one, and proofs take long.
 */
export function grouped(
  placed: readonly PhasedStep[],
  groupOf: (placed: PhasedStep) => string,
): readonly (readonly PhasedStep[])[] {
  const groups: PhasedStep[][] = [];
  let open: PhasedStep[] | undefined;
  let group = '';
  for (const [at, part] of placed.entries()) {
    const isAlone = part.step.kind !== 'transaction' || ALONE.has(part.phase);
    if (groupOf(part) !== group) open = undefined;
    group = groupOf(part);
    const own = open && !isAlone ? open : [];
    if (own.length === 0) groups.push(own);
    own.push(part);
    const isLastValue = part.phase === 'add-value' && placed[at + 1]?.phase !== 'add-value';
    open = isAlone || isLastValue ? undefined : own;
  }
  return groups;
}

// ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// How the changes of whole tables are written.

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>;

/** Only the release that it is made for writes to it, and that is not served before it is complete. So it is empty. */
function addTable({ table }: Of<'add-table'>): readonly PhasedStep[] {
  const { name } = table;
  const own = quotedName(name);
  const why = `"${name}", which is to be dropped again, has records`;
  const found = `SELECT ${COUNTED} FROM ${own} HAVING count(*) > 0`;
  const guard = raiseIf(found, why, 'Delete these records first, if nobody needs them.');
  return [
    undoneBy(
      within('make-table', createTable(table), `make the table "${name}"`),
      within('drop-table', `LOCK TABLE ${own};`, `lock "${name}"`, [lock(name)]),
      within('drop-table', guard, `make sure that "${name}" is empty`, [mayFail(why)]),
      within('drop-table', `DROP TABLE ${own};`, `drop the table "${name}", which is empty`, [lock(name)]),
    ),
  ];
}
