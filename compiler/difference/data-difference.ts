import { type Comparison, comparisonOf } from '../change/comparison.ts';
import { shadowColumn, type TablePair, tablePairs } from '../change/table-pairs.ts';
import type { Definition, Enum, Model } from '../definition/definition.ts';
import { statementsOf } from '../definition/migration.ts';
import type { About, PhasedStep } from '../emit/migration/phased-step.ts';
import { placedBetween } from '../emit/migration/release-between.ts';
import { schemaFromDefinition } from '../schema/schema-from-definition.ts';
import type { DataDifference, DataStep, Subject } from './difference.ts';

/**
 * The steps for a database of the earlier definition. If the author has not yet said what happens to data, these steps
 * would delete it. It never throws.
 */
export function dataDifference(before: Definition, after: Definition): DataDifference {
  const comparison = comparisonOf(before, after);
  const placed = placedBetween(before, after);
  const hasSteps = placed.now.length + placed.later.length > 0;
  const subjectOf = hasSteps ? dataSubjects(comparison) : () => APPLICATION;
  const stepsOf = (parts: readonly PhasedStep[]) =>
    parts.flatMap(({ step, about }) =>
      statementsOf(step).map(({ says, hazards }): DataStep => ({ says, hazards, subject: subjectOf(about) })),
    );
  return { steps: stepsOf(placed.now), later: stepsOf(placed.later) };
}

// The model or enum that a step of a migration is about. Steps name tables, columns and types; a difference does not.

const APPLICATION: Subject = { kind: 'application' };

/**
 * Tables by name, models by the names of their tables. Tables and models that are gone are only in the first of the
 * two.
 */
interface Names {
  readonly before: ReadonlyMap<string, TablePair>;
  readonly after: ReadonlyMap<string, TablePair>;
  readonly modelsBefore: ReadonlyMap<string, Model>;
  readonly modelsAfter: ReadonlyMap<string, Model>;
  /** The enums; newer ones hide earlier ones. */
  readonly enums: ReadonlyMap<string, Enum>;
}

function dataSubjects(comparison: Comparison): (about: About | undefined) => Subject {
  const { previous, next } = comparison;
  const { kept } = tablePairs(comparison, schemaFromDefinition(previous), schemaFromDefinition(next));
  const names: Names = {
    before: new Map(kept.map((pair) => [pair.previous.name, pair])),
    after: new Map(kept.map((pair) => [pair.next.name, pair])),
    modelsBefore: new Map(previous.models.map((model) => [model.table, model])),
    modelsAfter: new Map(next.models.map((model) => [model.table, model])),
    enums: new Map([
      ...[...previous.enums, ...next.enums].map((type) => [type.type, type] as const),
      ...comparison.enums.kept.map((pair) => [pair.previous.type, pair.next] as const),
    ]),
  };
  return (about) => (about ? subjectOf(about, names) : APPLICATION);
}

function subjectOf(about: About, names: Names): Subject {
  switch (about.kind) {
    case 'part':
      return after(names, about.table, about.column);
    case 'rename':
      if (about.of === 'column') return renamedColumn(names, about.table, about.from, about.to);
      if (about.of === 'foreign-key') return after(names, about.table);
      return before(names, about.table);
    case 'add-enum':
      return enumOf(names, about.enum.name);
    case 'add-value':
    case 'retire-enum':
      return enumOf(names, about.enum);
    case 'keep-view':
    case 'retire-table':
      return before(names, about.table.name);
    case 'add-table':
      return after(names, about.table.name);
    case 'add-reaction':
      return after(names, about.reaction.table);
    case 'retire-reaction':
      return before(names, about.reaction.table);
    case 'rename-jobs':
    case 'drop-jobs':
      return APPLICATION;
    case 'add-index':
      return after(names, about.table.name, onlyOne(about.index.columns.map(({ name }) => name)));
    case 'add-unique':
      return after(names, about.table.name, onlyOne(about.key.columns));
    case 'add-foreign-key':
    case 'change-foreign-key':
      return after(names, about.table.name, about.key.column);
    case 'drop-foreign-key':
      return before(names, about.table);
    case 'drop-unique':
    case 'drop-index':
      return after(names, about.table);
    case 'retire-column':
      return after(names, about.table, about.column);
    case 'change-default':
      return after(names, about.table, about.column.name);
    case 'add-column':
    case 'change-nullability':
    case 'normalise-values':
      return after(names, about.table.name, about.column.name);
    case 'check-values':
      return before(names, about.uses[0]?.table ?? '', about.uses[0]?.column);
    case 'check-empty':
      return before(names, about.table, about.column);
    case 'detach-reference':
      return (about.table.isRetired ? before : after)(names, about.table.name, about.column);
  }
}

function onlyOne(columns: readonly string[]): string | null {
  return columns.length === 1 ? (columns[0] ?? null) : null;
}

// ── Tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The subject by the names after all renames. A thing that is gone still has its previous name. */
function after(names: Names, table: string, column?: string | null): Subject {
  const pair = names.after.get(table);
  const model = names.modelsAfter.get(table);
  if (!model) return before(names, table, column);
  return modelSubject(model, column && (memberOf(model, column) ?? (pair && goneMember(pair, column))));
}

function before(names: Names, table: string, column?: string | null): Subject {
  const pair = names.before.get(table);
  const model = names.modelsBefore.get(table);
  if (!model) return APPLICATION;
  if (!pair?.model) return modelSubject(model, column && memberOf(model, column));
  const now = column && pair.columns.get(column);
  return modelSubject(pair.model, now ? memberOf(pair.model, now) : column && memberOf(model, column));
}

function renamedColumn(names: Names, table: string, from: string, to: string): Subject {
  const pair = names.after.get(table);
  if (!pair?.model) return after(names, table);
  return modelSubject(pair.model, memberOf(pair.model, to) ?? goneMember(pair, to) ?? goneMember(pair, from));
}

function modelSubject({ name }: Model, member: string | null | undefined): Subject {
  return { kind: 'model', name, ...(member && { member }) };
}

/** The key of a reference is declared by the reference; the id, as a rule, by nothing. */
function memberOf({ fields }: Model, column: string): string | undefined {
  const field = fields.find((candidate) => candidate.column === column);
  return field && (field.reference ?? field.name);
}

/** The member behind a column that is retained for the previous release, under its own name or as a shadow column. */
function goneMember(pair: TablePair, column: string): string | undefined {
  const found = pair.previous.columns.find(({ name }) => name === column || shadowColumn(pair, name) === column);
  return found && pair.previousModel ? memberOf(pair.previousModel, found.name) : undefined;
}

// ── Enums ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function enumOf({ enums }: Names, type: string): Subject {
  const found = enums.get(type);
  return found ? { kind: 'enum', name: found.name } : APPLICATION;
}
