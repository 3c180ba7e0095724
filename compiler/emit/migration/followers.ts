/**
 * Triggers that make the rows of one release rows of the other: what the previous release writes gets the values that only
 * this one knows, and what this one writes gets those of a column that it has in another type.
 */
import type { AddColumn, Change, ChangeNullability, CopiedColumn, NormaliseValues } from '../../change/change.ts';
import type { Definition, Model } from '../../definition/definition.ts';
import type { Hazard } from '../../definition/migration.ts';
import { type RowReads, rowReads } from '../../definition/read-items.ts';
import type { Column, ColumnType } from '../../definition/schema.ts';
import { quotedName } from '../../definition/sql/sql.ts';
import { columnOf, copiedSql, givenBackSql } from '../sql/conversions.ts';
import { routineSql } from '../sql/routines.ts';
import { unwrittenBeforeCopy, unwrittenCopy } from './columns.ts';
import { type ColumnFill, filledInPlace, filling, inOrder, normalisedInPlace } from './fills.ts';
import { isAbout, later, lock, type Phase, type PhasedStep, undoneBy, within } from './phased-step.ts';
import { inSchema, isOfBefore, tableSql } from './retirements.ts';

export function followers(changes: readonly Change[], next: Definition, schema: string): readonly PhasedStep[] {
  return tablesIn(changes).flatMap((table, at) => {
    const own = changes.filter((change) => 'table' in change && tableOf(change) === table);
    const copied = own.flatMap((change) => (change.kind === 'add-column' ? unwrittenCopy(change, own) : []));
    const parts = [
      ...followed(TAKE_OVER, table, { at, schema, parts: taking(own), beforeUndo: copied }),
      ...followed(GIVE_BACK, table, { at, schema, parts: giving(own, changes, schema) }),
      ...followed(NORMALISE, table, { at, schema, parts: normalising(own, next) }),
      ...followed(FILL, table, { at, schema, parts: filled(own, next), notes: notesOn(own, changes, next) }),
    ];
    const remains = changedInPlace(own);
    return isAbout(
      { kind: 'part', table: table ?? '', column: null },
      remains.length === 0 ? parts : parts.map((part) => ({ ...part, remains })),
    );
  });
}

/** The changes by a trigger to columns that the previous release has too. */
function changedInPlace(changes: readonly Change[]): readonly string[] {
  const added = new Set(changes.flatMap((change) => (change.kind === 'add-column' ? [change.column] : [])));
  return changes.flatMap((change) => {
    if (change.kind === 'change-nullability' && change.fill) return [filledInPlace(change)];
    return change.kind === 'normalise-values' && !added.has(change.column) ? [normalisedInPlace(change)] : [];
  });
}

/** The checks before a column of another type is dropped again, if no trigger has copied to it yet. */
export function unwrittenUnfollowed(
  change: AddColumn,
  changes: readonly Change[],
  schema: string,
): readonly PhasedStep[] {
  if (!change.copiedFrom) return [];
  const at = tablesIn(changes).indexOf(change.table.name);
  return unwrittenBeforeCopy(change, changes, routineOf(TAKE_OVER, at, schema));
}

function tablesIn(changes: readonly Change[]): readonly (string | null)[] {
  return [...new Set(changes.flatMap((change) => ('table' in change ? [tableOf(change)] : [])))];
}

function tableOf(change: Extract<Change, { table: unknown }>): string | null {
  const { table } = change;
  return typeof table === 'string' || table === null ? table : table.name;
}

interface Follower {
  readonly routine: string;
  /**
   * The order of triggers, which run by name: values are taken over, then normalised, and others are computed from
   * them.
   */
  readonly order: number;
  readonly phase: Phase;
  readonly when: (schema: string) => string | null;
  readonly says: (table: string) => string;
}

const TAKE_OVER: Follower = {
  routine: 'take_over',
  order: 1,
  phase: 'follow',
  when: isOfBefore,
  says: (table) => `copy what the previous release writes to "${table}" into columns of another type`,
};

const FILL: Follower = {
  routine: 'fill',
  order: 3,
  phase: 'follow',
  when: isOfBefore,
  says: (table) => `fill what this release needs in rows that the previous release writes to "${table}"`,
};

/**
 * Gives values back to the previous release. It is made at the end: filling existing rows must not change their values
 * for the previous release.
 */
const GIVE_BACK: Follower = {
  routine: 'give_back',
  order: 4,
  phase: 'give-back',
  when: (schema) => `NOT ${isOfBefore(schema)}`,
  says: (table) => `fill what the previous release needs in rows that this release writes to "${table}"`,
};

/** Normalises values. This release normalises by itself, so it does not matter who writes. */
const NORMALISE: Follower = {
  routine: 'normalise',
  order: 2,
  phase: 'follow',
  when: () => null,
  says: (table) => `normalise what the previous release writes to "${table}"`,
};

/** `at` is the number of the table. */
function routineOf({ routine }: Follower, at: number, schema: string): string {
  return inSchema(schema, `${routine}_${at + 1}`);
}

interface Following {
  readonly at: number;
  readonly schema: string;
  readonly parts: readonly string[];
  /** The checks while the trigger exists. */
  readonly beforeUndo?: readonly PhasedStep[];
  readonly notes?: readonly Hazard[];
}

function followed(
  follower: Follower,
  table: string | null,
  { at, schema, parts, beforeUndo = [], notes = [] }: Following,
): readonly PhasedStep[] {
  if (parts.length === 0 || table === null) return [];
  const { routine: kind, order, phase, when, says } = follower;
  const routine = routineOf(follower, at, schema);
  const trigger = quotedName(`kiln_${order}_${kind}`);
  const on = quotedName(table);
  const condition = when(schema);
  const body = `BEGIN\n${parts.map((part) => `  ${part}\n`).join('')}  RETURN NEW;\nEND`;
  const gone = within(
    'unfollow',
    `DROP TRIGGER ${trigger} ON ${on};`,
    `drop the trigger "kiln_${order}_${kind}" of "${table}"`,
    [lock(table)],
  );
  const follows = within(
    phase,
    `${routineSql(routine, body)}\nCREATE TRIGGER ${trigger} BEFORE INSERT OR UPDATE ON ${on} FOR EACH ROW\n  ${condition === null ? '' : `WHEN (${condition}) `}EXECUTE FUNCTION ${routine}();`,
    says(table),
    [lock(table, 'SHARE ROW EXCLUSIVE'), ...notes],
  );
  return [undoneBy(follows, ...beforeUndo, gone), ...later([gone])];
}

// ── What the previous release writes ──────────────────────────────────────────────────────────────────────────────────

function taking(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) =>
    change.kind === 'add-column' && change.copiedFrom ? [taken(change.column, change.copiedFrom)] : [],
  );
}

function taken(column: Column, copiedFrom: CopiedColumn): string {
  return ifChanged(copiedFrom.column, `${columnOf('NEW', column.name).text} := ${takenValue(column, copiedFrom)};`);
}

function takenValue({ type: to }: Column, { column, from, values }: CopiedColumn): string {
  return copiedSql(columnOf('NEW', column), { from, to, values }).text;
}

function filled(changes: readonly Change[], next: Definition): readonly string[] {
  return inOrder(fillsIn(changes, next), next).map((fill) => filledSql(fill as FollowedFill, next));
}

interface FollowedFill extends ColumnFill {
  readonly change: AddColumn | ChangeNullability;
  readonly reads: RowReads;
}

/** A default fills a new column by itself, unless its value is computed from others. */
function fillsIn(changes: readonly Change[], next: Definition): readonly FollowedFill[] {
  return changes.flatMap((change) => {
    if ((change.kind !== 'add-column' && change.kind !== 'change-nullability') || change.fill === null) return [];
    const { table, column, fill } = change;
    const reads = rowReads(fill.value, fill.model, next);
    const isByDefault = change.kind === 'add-column' && !change.copiedFrom && column.default !== null;
    const isComputed = reads.own.size > 0 || reads.others.size > 0;
    return isByDefault && !isComputed ? [] : [{ table, column, fill, change, reads }];
  });
}

/**
 * A row that the previous release inserts is filled, and its value is computed again when a value changes that it was
 * computed from. Null in a column that may be null is a value like others, once the row is there.
 */
function filledSql(columnFill: FollowedFill, next: Definition): string {
  const { column, change } = columnFill;
  const name = `NEW.${quotedName(column.name)}`;
  const { value } = filling(columnFill, next);
  const over = (row: 'NEW' | 'OLD') => `(SELECT ${value} FROM (SELECT ${row}.*) AS r)`;
  const copiedFrom = change.kind === 'add-column' ? change.copiedFrom : null;
  // A row whose value is not copied yet has one.
  const isNothing = copiedFrom ? ` AND ${takenValue(column, copiedFrom)} IS NULL` : '';
  const isOpen = `${column.nullable ? `TG_OP = 'INSERT' AND ` : ''}${name} IS NULL${isNothing}`;
  const hasDefault = change.kind === 'add-column' && !copiedFrom && column.default !== null;
  const when = hasDefault ? `TG_OP = 'INSERT' OR ${isOpen}` : isOpen;
  const sources = sourcesOf(columnFill, next).map((source) => {
    return `NEW.${quotedName(source)} IS DISTINCT FROM OLD.${quotedName(source)}`;
  });
  const isStale = `TG_OP = 'UPDATE' AND (${sources.join(' OR ')})${isNothing}`;
  // If the previous release has values of its own in the column, only a filled value is computed again.
  const before = `OLD.${quotedName(column.name)}`;
  const isFilled = `${name} IS NOT DISTINCT FROM ${before} AND ${before} IS NOT DISTINCT FROM ${over('OLD')}`;
  const again = change.kind === 'add-column' ? isStale : `${isStale} AND ${isFilled}`;
  const given = hasDefault ? `coalesce(${over('NEW')}, ${name})` : over('NEW');
  return `IF ${when}${sources.length === 0 ? '' : ` OR ${again}`} THEN\n    ${name} := ${given};\n  END IF;`;
}

/** Columns of the same row that the value is computed from. */
function sourcesOf({ fill, column, reads }: FollowedFill, { models }: Definition): readonly string[] {
  const { fields } = models.find(({ name }) => name === fill.model) as Model;
  const columns = fields.filter(({ name }) => reads.own.has(name)).map((field) => field.column);
  return columns.filter((name) => name !== column.name);
}

function notesOn(own: readonly Change[], all: readonly Change[], next: Definition): readonly Hazard[] {
  const added = new Set(all.flatMap((change) => (change.kind === 'add-table' ? [change.table.name] : [])));
  return fillsIn(own, next).flatMap((fill) => {
    const what = `"${fill.column.name}" of "${fill.table.name}"`;
    const sources = sourcesOf(fill, next).map((name) => `"${name}"`);
    const others = next.models.filter(({ name, table }) => fill.reads.others.has(name) && !added.has(table));
    const isOwn = fill.change.kind === 'add-column' && !fill.change.copiedFrom;
    return [
      ...(sources.length === 0
        ? []
        : [
            `${what} is computed again when the previous release changes ${sources.join(' or ')}${isOwn ? ', even where this release has written it' : ', where it was filled'}`,
          ]),
      ...(others.length === 0
        ? []
        : [
            `${what} does not follow what the previous release changes in ${others.map(({ table }) => `"${table}"`).join(' and ')} after the backfill`,
          ]),
    ].map((words): Hazard => ({ kind: 'shared-values', what: words }));
  });
}

function normalising(changes: readonly Change[], next: Definition): readonly string[] {
  const normalised = changes.filter((change): change is NormaliseValues => change.kind === 'normalise-values');
  return normalised.map((change) => {
    const { value } = filling(change, next);
    return `NEW.${quotedName(change.column.name)} := (SELECT ${value} FROM (SELECT NEW.*) AS r);`;
  });
}

// ── What this release writes ────────────────────────────────────────────────────────────────────────────────────────

/** Gives back only a value with exactly the same meaning; the previous release has null for any other. */
function giving(changes: readonly Change[], all: readonly Change[], schema: string): readonly string[] {
  const retired = new Set(all.flatMap((change) => (change.kind === 'retire-enum' ? [change.enum] : [])));
  return changes.flatMap((change) => {
    if (change.kind !== 'add-column' || !change.copiedFrom) return [];
    const { column, copiedFrom } = change;
    const [nowSql, beforeSql] = [columnOf('NEW', column.name), columnOf('NEW', copiedFrom.column)];
    const [now, before] = [nowSql.text, beforeSql.text];
    const types = { from: copiedFrom.from, to: column.type, values: copiedFrom.values };
    const isRetired = typeof types.from !== 'string' && retired.has(types.from.enum);
    const lines = [
      'BEGIN',
      `  ${before} := ${givenBackSql(nowSql, types, isRetired ? schema : null).text};`,
      `  IF ${copiedSql(beforeSql, types).text} IS DISTINCT FROM ${now}${isPlainOnly(types) ? ` OR ${before}::text !~ '^-?[0-9][0-9.-]*$'` : ''} THEN ${before} := NULL; END IF;`,
      ...(copiedFrom.refersTo ? [nothingWithout(tableSql(copiedFrom.refersTo, schema), before)] : []),
      'EXCEPTION WHEN OTHERS THEN',
      `  ${before} := NULL;`,
      'END;',
    ];
    return [ifChanged(column.name, lines.join('\n    '))];
  });
}

/** Whether Postgres reads more from a text than Kiln has: `infinity`, `NaN`, years before Christ. */
function isPlainOnly({ from, to }: Readonly<Record<'from' | 'to', ColumnType>>): boolean {
  return (to === 'text' || to === 'jsonb') && (from === 'date' || String(from).startsWith('numeric'));
}

/**
 * Sets a value to null if it refers to no record: this release does not know the reference, so the record may be
 * missing.
 */
function nothingWithout(target: string, value: string): string {
  return `  PERFORM FROM ${target} WHERE "id" = ${value} FOR KEY SHARE;\n      IF NOT FOUND THEN ${value} := NULL; END IF;`;
}

/** Acts only if the column has changed: another change of the row leaves the value of the other release unchanged. */
function ifChanged(column: string, act: string): string {
  const name = quotedName(column);
  return `IF TG_OP = 'INSERT' OR NEW.${name} IS DISTINCT FROM OLD.${name} THEN\n    ${act}\n  END IF;`;
}
