import { type Comparison, comparisonOf } from '../change/comparison.ts';
import { shadowColumn, type TablePair, tablePairs } from '../change/table-pairs.ts';
import type { Definition, Model } from '../definition/definition.ts';
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

/** Tables and types go by their names in either definition; where both have one, the later definition counts. */
function dataSubjects(comparison: Comparison): (about: About | undefined) => Subject {
  const { previous, next } = comparison;
  const { kept } = tablePairs(comparison, schemaFromDefinition(previous), schemaFromDefinition(next));
  const pairs = new Map(
    (['previous', 'next'] as const).flatMap((side) => kept.map((pair) => [pair[side].name, pair] as const)),
  );
  const models = new Map([...previous.models, ...next.models].map((model) => [model.table, model]));
  const enums = new Map([
    ...[...previous.enums, ...next.enums].map((type) => [type.type, type.name] as const),
    ...comparison.enums.kept.map((pair) => [pair.previous.type, pair.next.name] as const),
  ]);
  return (about) => {
    if (about && 'enum' in about) {
      const name = enums.get(nameOf(about.enum));
      return name === undefined ? APPLICATION : { kind: 'enum', name };
    }
    const { table = '', column } = about ? placeOf(about) : {};
    const pair = pairs.get(table);
    const model = pair ? pair.model : models.get(table);
    const member = model && column && (memberOf(model, column) ?? (pair && formerMember(pair, column)));
    return model ? { kind: 'model', name: model.name, ...(member && { member }) } : APPLICATION;
  };
}

interface Place {
  readonly table?: string;
  readonly column?: string | null | undefined;
}

function placeOf(about: Exclude<About, { readonly enum: unknown }>): Place {
  if (about.kind === 'check-values') return about.uses[0] ?? {};
  if (about.kind === 'rename') return { table: about.table, column: about.of === 'column' ? about.to : null };
  if ('reaction' in about) return { table: about.reaction.table };
  if (!('table' in about)) return {};
  const table = nameOf(about.table);
  if ('column' in about) return { table, column: about.column && nameOf(about.column) };
  if ('index' in about) return { table, column: onlyOne(about.index.columns.map(nameOf)) };
  if (!('key' in about)) return { table };
  return { table, column: 'column' in about.key ? about.key.column : onlyOne(about.key.columns) };
}

function nameOf(named: string | { readonly name: string }): string {
  return typeof named === 'string' ? named : named.name;
}

function onlyOne(columns: readonly string[]): string | null {
  return columns.length === 1 ? (columns[0] ?? null) : null;
}

/** The key of a reference is declared by the reference; the id, as a rule, by nothing. */
function memberOf({ fields }: Model, column: string): string | undefined {
  const field = fields.find((candidate) => candidate.column === column);
  return field && (field.reference ?? field.name);
}

/** The member behind a column by its former name, or behind the shadow column of one that is gone. */
function formerMember(pair: TablePair, column: string): string | undefined {
  const found = pair.previous.columns.find(({ name }) => name === column || shadowColumn(pair, name) === column);
  if (!found || !pair.model || !pair.previousModel) return undefined;
  return memberOf(pair.model, pair.columns.get(found.name) ?? '') ?? memberOf(pair.previousModel, found.name);
}
