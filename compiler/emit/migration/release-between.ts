/**
 * Two definitions in, the steps between their databases out. Each change says what it needs and when; the steps are in
 * an order in which every statement finds what it relies on, no lock is held for long, and what cannot be taken back
 * comes last. Some steps are for now, while the older release is still served, and others for when it is gone. After
 * those the database equals one that was made from the newer definition.
 */
import type { AddForeignKey, Change, ChangeKind, ChangeOf, Rename } from '../../change/change.ts';
import { changesBetween, requiredLater } from '../../change/changes-between.ts';
import { isShadow } from '../../change/table-pairs.ts';
import type { Definition } from '../../definition/definition.ts';
import {
  compatibilitySchema,
  type Hazard,
  type MigrationStep,
  type Release,
  statementsOf,
  type UndoneStep,
} from '../../definition/migration.ts';
import type { ForeignKey, Index, Key } from '../../definition/schema.ts';
import { quotedName } from '../../definition/sql/sql.ts';
import { storageFingerprint } from '../../schema/fingerprint.ts';
import {
  addForeignKey as addForeignKeySql,
  columnList,
  createIndex,
  createTable,
  foreignKeySql,
  indexedSql,
} from '../sql/schema-sql.ts';
import { addColumn, changeDefault, changeNullability } from './columns.ts';
import { addEnum, addValue, COUNTED, checkEmpty, checkValues, raiseIf } from './enums.ts';
import { type ColumnCopy, type ColumnFill, fills } from './fills.ts';
import { followers, unwrittenUnfollowed } from './followers.ts';
import {
  altered,
  isAbout,
  lock,
  locks,
  mayFail,
  PHASES,
  type Phase,
  type PhasedStep,
  scan,
  statementOf,
  undoneBy,
  within,
} from './phased-step.ts';
import { addReaction, dropJobs, movedReactions, renameJobs, retireReaction } from './reactions.ts';
import { renames } from './renames.ts';
import { detachReference, keepView, madeSchema, retireColumn, retireEnum, retireTable } from './retirements.ts';

/** The parts of a release that has a previous one. */
type ReleaseSteps = Required<Pick<Release, 'steps' | 'beside' | 'contract'>>;

/** A transaction is over one table, or over the two that a key joins: nobody waits for locks of others. */
export function releaseBetween(previous: Definition, next: Definition): ReleaseSteps {
  const { beside, now, later } = placedBetween(previous, next);
  return { beside, steps: joined(now, tablesOf), contract: joined(later, tablesOf) };
}

/** The steps in the order in which they run, before neighbours share a transaction. */
interface PlacedRelease {
  readonly beside: string;
  readonly now: readonly PhasedStep[];
  readonly later: readonly PhasedStep[];
}

export function placedBetween(previous: Definition, next: Definition): PlacedRelease {
  const beside = storageFingerprint(previous);
  const schema = compatibilitySchema(beside);
  const changes = requiredLater(changesBetween(previous, next), next);
  return { beside, ...inOrder(placedFrom(changes, next, schema, followers(changes, next, schema))) };
}

/** Migrates a database whose older release is no longer served: expands and contracts at once, in few transactions. */
export function migrationFrom(previous: Definition, next: Definition) {
  const changes = changesBetween(previous, next).flatMap(unserved);
  const { now, later } = inOrder(placedFrom(changes, next, compatibilitySchema(storageFingerprint(previous))));
  const placed = [...now, ...later];
  return {
    steps: grouped(placed, () => '', NOTHING_ALONE).map(stepOf),
    /** The steps in a few words each, for people who do not know shadow columns. */
    says: placed.filter((part) => !isPutAway(part)).flatMap(({ step }) => statementsOf(step).map(({ says }) => says)),
  };
}

/** Tells whether the step only puts something away. It is dropped a moment later, which is shown. */
function isPutAway({ about, phase, isLater }: PhasedStep): boolean {
  if (phase === 'keep' || phase === 'drop-schema') return true;
  if (about?.kind === 'rename') return isShadow(about.to);
  if (about?.kind === 'detach-reference') return true;
  return !isLater && about !== undefined && about.kind.startsWith('retire-');
}

/** The change without what only servers of the older release need. */
function unserved(change: Change): readonly Change[] {
  if (change.kind === 'keep-view' || change.kind === 'check-empty') return [];
  if (change.kind === 'add-reaction') return [{ ...change, isShared: false }];
  if (change.kind === 'drop-jobs') return [{ ...change, isDiscarded: true }];
  return [change.kind === 'detach-reference' ? { ...change, act: 'nothing' } : change];
}

/** The steps of each change, for now and for later. `schema` is for what the previous release needs. */
function placedFrom(
  changes: readonly Change[],
  next: Definition,
  schema: string,
  following: readonly PhasedStep[] = [],
): readonly PhasedStep[] {
  const needsSchema = following.length > 0 || changes.some(({ kind }) => IN_SCHEMA.has(kind));
  const added = new Set(changes.flatMap((change) => (change.kind === 'add-table' ? [change.table.name] : [])));
  return [
    ...(needsSchema ? madeSchema(schema) : []),
    ...renames(
      changes.filter((change): change is Rename => change.kind === 'rename'),
      (table) => movedReactions(changes, table, schema),
    ),
    ...changes.flatMap((change, number) =>
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
    ...following,
  ];
}

const IN_SCHEMA: ReadonlySet<ChangeKind> = new Set(['keep-view', 'retire-table', 'retire-enum', 'retire-reaction']);

function inOrder(placed: readonly PhasedStep[]): Pick<PlacedRelease, 'now' | 'later'> {
  const ordered = placed.toSorted((a, b) => PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase));
  return { now: ordered.filter(({ isLater }) => !isLater), later: ordered.filter(({ isLater }) => isLater) };
}

interface Around {
  readonly isNew: IsNew;
  /** All changes. */
  readonly changes: readonly Change[];
  readonly schema: string;
  /** A number that only this change has. */
  readonly number: number;
}

type Write<K extends ChangeKind> = (change: ChangeOf<K>, around: Around) => readonly PhasedStep[];

const WRITERS: { readonly [K in ChangeKind]: Write<K> } = {
  // All renames together, because their order matters.
  rename: () => [],
  'add-enum': addEnum,
  'add-value': addValue,
  'add-table': addTable,
  'add-column': (change, { changes, schema }) => addColumn(change, unwrittenUnfollowed(change, changes, schema)),
  'keep-view': (change, { schema }) => keepView(change, schema),
  'check-values': checkValues,
  'check-empty': checkEmpty,
  'retire-table': (change, { schema }) => retireTable(change, schema),
  'retire-column': retireColumn,
  'retire-enum': (change, { schema }) => retireEnum(change, schema),
  'detach-reference': (change, { schema, number }) => detachReference(change, schema, number),
  'change-nullability': changeNullability,
  'change-default': changeDefault,
  // These values are normalised with the other fills, which may be computed from them.
  'normalise-values': () => [],
  'add-unique': addUnique,
  'drop-unique': dropUnique,
  'add-index': (change, { isNew }) => addIndex(change, isNew),
  'drop-index': dropIndex,
  'add-foreign-key': (change, { isNew }) => addForeignKey(change, isNew),
  'change-foreign-key': changeForeignKey,
  'drop-foreign-key': dropForeignKey,
  'add-reaction': (change, { schema }) => addReaction(change, schema),
  'retire-reaction': (change, { schema }) => retireReaction(change, schema),
  'rename-jobs': renameJobs,
  'drop-jobs': (change, { schema }) => dropJobs(change, schema),
};

function placedOf(change: Change, around: Around): readonly PhasedStep[] {
  const write = WRITERS[change.kind] as (change: Change, around: Around) => readonly PhasedStep[];
  return isAbout(change, write(change, around));
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

/** The phases that read every row of a table. */
const ALONE: ReadonlySet<Phase> = new Set(['check', 'check-fill', 'prove']);
const NOTHING_ALONE: ReadonlySet<Phase> = new Set();

function joined(placed: readonly PhasedStep[], groupOf: (placed: PhasedStep) => string): readonly MigrationStep[] {
  return grouped(placed, groupOf).map(stepOf);
}

function stepOf(parts: readonly PhasedStep[]): MigrationStep {
  const [first] = parts as readonly [PhasedStep];
  if (first.step.kind !== 'transaction') return first.step;
  return { kind: 'transaction', statements: parts.flatMap(({ step }) => statementsOf(step)) };
}

/**
 * Groups the parts into steps. Neighbours share a transaction if `groupOf` is the same for them, except that a value of
 * an enum is usable only in a later one, and checks of all rows take long.
 */
function grouped(
  placed: readonly PhasedStep[],
  groupOf: (placed: PhasedStep) => string,
  alone = ALONE,
): readonly (readonly PhasedStep[])[] {
  const groups: PhasedStep[][] = [];
  let open: PhasedStep[] | undefined;
  let group = '';
  for (const [at, part] of placed.entries()) {
    const isAlone = part.step.kind !== 'transaction' || alone.has(part.phase);
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

function tablesOf({ step }: PhasedStep): string {
  const statements = step.kind === 'transaction' ? step.statements : [step.statement];
  const tables = statements.flatMap(({ hazards }) =>
    hazards.flatMap((hazard) => ('table' in hazard ? hazard.table : [])),
  );
  return [...new Set(tables)].sort().join(' ');
}

// ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// The steps of changes of whole tables.

/** Adds a table. Only its release writes to it, and that is not served before it is complete, so the table is empty. */
function addTable({ table }: ChangeOf<'add-table'>): readonly PhasedStep[] {
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

// ── Undoing a release ───────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Undoes the steps of a release, one after the other from the last completed one, while servers of the previous release
 * continue. After each of them that release finds what it found on the way there; in the end the database equals one of
 * that release, except for values that were changed in place. There is one for each step of `releaseBetween`, in the
 * same order.
 */
export function undoBetween(previous: Definition, next: Definition): readonly UndoneStep[] {
  return grouped(placedBetween(previous, next).now, tablesOf).map(undoneStep);
}

function undoneStep(parts: readonly PhasedStep[]): UndoneStep {
  const remains = [...new Set(parts.flatMap((part) => part.remains ?? []))];
  const steps = joined(checksFirst(parts.toReversed().flatMap(undoOf)), () => '');
  return remains.length === 0 ? { steps } : { steps, remains };
}

/** Puts the checks first. The next transaction drops what they checked, with as little as possible in between. */
function checksFirst(undo: readonly PhasedStep[]): readonly PhasedStep[] {
  const isCheck = ({ phase }: PhasedStep) => phase === 'check';
  return [...undo.filter(isCheck), ...undo.filter((part) => !isCheck(part))];
}

function undoOf({ undo, phase }: PhasedStep): readonly PhasedStep[] {
  if (undo === undefined) throw new Error(`no step of the phase "${phase}" comes while the previous release is served`);
  return undo;
}

// ── Keys and indexes ─────────────────────────────────────────────────────────────────────────────────────────────────

// Changes of keys and indexes of existing tables, made so that others wait as little as possible.

/** Tells whether a table is new: nobody waits for an index of such a table. */
type IsNew = (table: string) => boolean;

/** The index is built while others write; the key that takes it over is then there at once. */
function addUnique({ table, key }: ChangeOf<'add-unique'>): readonly PhasedStep[] {
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

function dropUnique({ table, name, columns }: ChangeOf<'drop-unique'>): readonly PhasedStep[] {
  return [undoneBy(uniqueGone(table, name), ...uniqueOver(table, { name, columns }))];
}

function uniqueGone(table: string, name: string): PhasedStep {
  return altered('drop-key', table, `DROP CONSTRAINT ${quotedName(name)}`, `drop the unique key "${name}"`);
}

function addIndex({ table, index }: ChangeOf<'add-index'>, isNew: IsNew): readonly PhasedStep[] {
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

function dropIndex({ table, index }: ChangeOf<'drop-index'>): readonly PhasedStep[] {
  const { name } = index;
  const gone = within('drop-key', `DROP INDEX ${quotedName(name)};`, `drop the index "${name}"`, [lock(table)]);
  return [undoneBy(gone, indexOver(table, index))];
}

/** One that was never built, or only by half, is gone too; and a key takes its index with it. */
function indexGone(table: string, name: string): PhasedStep {
  const sql = `DROP INDEX IF EXISTS ${quotedName(name)};`;
  return within('drop-key', sql, `drop the index "${name}", if it is there`, [lock(table)]);
}

function addForeignKey({ table, key, isOverValues }: AddForeignKey, isNew: IsNew): readonly PhasedStep[] {
  const says = `add the foreign key "${key.name}"`;
  const tables = [table.name, key.to.table].filter((name) => !isNew(name));
  const hazards = locks(tables, 'SHARE ROW EXCLUSIVE');
  const undo = foreignKeyGone(table.name, key);
  if (isNew(table.name)) return [undoneBy(within('link', addForeignKeySql(table, key), says, hazards), undo)];
  const added = altered('link', table.name, unproved(key), `${says}, for new rows`, hazards);
  return [undoneBy(added, undo), undoneBy(proved(table.name, key, isOverValues))];
}

/** One key takes the place of the other in one statement: no row slips in between. */
function changeForeignKey({ table: { name: table }, key, was }: ChangeOf<'change-foreign-key'>): readonly PhasedStep[] {
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
function dropForeignKey({ table, key }: ChangeOf<'drop-foreign-key'>): readonly PhasedStep[] {
  const hazards = locks([table, key.to.table], 'SHARE ROW EXCLUSIVE');
  const says = `add the foreign key "${key.name}" again, for new rows`;
  const added = altered('link', table, unproved(key), says, hazards);
  return [undoneBy(foreignKeyGone(table, key), added, proved(table, key, true))];
}

function foreignKeyGone(table: string, { name, to }: ForeignKey): PhasedStep {
  const hazards = locks([table, to.table], 'ACCESS EXCLUSIVE');
  return altered('unlink', table, `DROP CONSTRAINT ${quotedName(name)}`, `drop the foreign key "${name}"`, hazards);
}
