/** Renames, in an order in which no name is given while another still has it. */
import type { Rename, RenameInTable, RenameRelation } from '../../change/change.ts';
import { groupedBy } from '../../definition/lookup.ts';
import type { LockMode } from '../../definition/migration.ts';
import { quotedName } from '../../definition/sql/sql.ts';
import { altered, isAbout, lock, type PhasedStep, undoneBy, within } from './phased-step.ts';

/** Gives everything its name. `beside` is what belongs to the transaction that renames columns of a table. */
export function renames(
  changes: readonly Rename[],
  beside: (table: string) => readonly PhasedStep[] = () => [],
): readonly PhasedStep[] {
  const relations = changes.filter((change): change is RenameRelation => !isInTable(change));
  const inTables = changes.filter(isInTable);
  const tables = new Map(relations.filter(({ of }) => of === 'table').map(({ from, to }) => [from, to]));
  const spaces = groupedBy(inTables, ({ of, table }) => `${of} ${table}`);
  return [
    ...inOrder(relations).flatMap((change) => isAbout(change, [renamedRelation(change, tables)])),
    ...[...spaces.values()].flatMap((space) => [
      ...inOrder(space).flatMap((change) =>
        isAbout(change, [undoneBy(renameInTable(change), renameInTable(reversed(change)))]),
      ),
      ...(space[0].of === 'column' ? beside(space[0].table) : []),
    ]),
  ];
}

function isInTable(change: Rename): change is RenameInTable {
  return change.of === 'column' || change.of === 'foreign-key';
}

/** Orders renames: the holder of a wanted name goes first; in a circle of names, one waits under a free name. */
function inOrder<R extends Rename>(changes: readonly R[]): readonly R[] {
  const holders = new Map(changes.map((change) => [change.from, change]));
  const begun = new Map<R, { from: string; isDone: boolean }>();
  const ordered: R[] = [];
  let waiting = 0;
  const visit = (change: R): void => {
    const own = { from: change.from, isDone: false };
    begun.set(change, own);
    const holder = holders.get(change.to);
    const other = holder && begun.get(holder);
    if (holder && !other) visit(holder);
    else if (holder && other && !other.isDone) {
      ordered.push({ ...holder, to: `kiln_moving_${++waiting}` });
      other.from = `kiln_moving_${waiting}`;
    }
    ordered.push({ ...change, from: own.from });
    own.isDone = true;
  };
  for (const change of changes) if (!begun.has(change)) visit(change);
  return ordered;
}

/**
 * Renames a relation. The waiting table goes by its name before anything happens, which is the new one before an undo.
 */
function renamedRelation(change: RenameRelation, tables: ReadonlyMap<string, string>): PhasedStep {
  const table = tables.get(change.table) ?? change.table;
  return undoneBy(relationRename(change), relationRename({ ...reversed(change), table }));
}

function reversed<R extends Rename>(change: R): R {
  return { ...change, from: change.to, to: change.from };
}

function relationRename({ of, from, to, table }: RenameRelation): PhasedStep {
  const { noun, word, mode } = RENAMED[of];
  const sql = `ALTER ${word} ${quotedName(from)} RENAME TO ${quotedName(to)};`;
  return within('rename', sql, `rename the ${noun} "${from}" to "${to}"`, [lock(table, mode)]);
}

interface Renamed {
  readonly noun: string;
  readonly word: string;
  readonly mode: LockMode;
}

const RENAMED: Readonly<Record<Rename['of'], Renamed>> = {
  table: { noun: 'table', word: 'TABLE', mode: 'ACCESS EXCLUSIVE' },
  // The index of a key has its name, and one is not renamed without the other.
  'primary-key': { noun: 'primary key', word: 'INDEX', mode: 'SHARE UPDATE EXCLUSIVE' },
  unique: { noun: 'unique key', word: 'INDEX', mode: 'SHARE UPDATE EXCLUSIVE' },
  index: { noun: 'index', word: 'INDEX', mode: 'SHARE UPDATE EXCLUSIVE' },
  // An insert asks the sequence for its id, and waits until the sequence has its new name.
  sequence: { noun: 'sequence', word: 'SEQUENCE', mode: 'SHARE' },
  column: { noun: 'column', word: 'COLUMN', mode: 'ACCESS EXCLUSIVE' },
  'foreign-key': { noun: 'foreign key', word: 'CONSTRAINT', mode: 'ACCESS EXCLUSIVE' },
};

function renameInTable({ of, table, from, to }: RenameInTable): PhasedStep {
  const { noun, word, mode } = RENAMED[of];
  const act = `RENAME ${word} ${quotedName(from)} TO ${quotedName(to)}`;
  return altered('rename', table, act, `rename the ${noun} "${from}" of "${table}" to "${to}"`, [lock(table, mode)]);
}
