/**
 * Lists without a matching index, so that Postgres reads every record for each request: to filter, or to sort for one
 * page. Only certain cases are reported, with their place in the source. `kiln check --plans` covers every endpoint.
 */

import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { conjuncts, isNull, pathsIn } from '../program/parts.ts';
import type { Expression, Field, List, Operator, Path, Program } from '../program/program.ts';
import { isMoment } from '../program/type.ts';
import { hasIndex } from './field-paths.ts';

export function reportUnservedLists({ endpoints }: Program, report: Diagnostics['report']): void {
  for (const { entrypoint, list } of endpoints) {
    // The records of a parent are found by their reference to it.
    if (!list || entrypoint.through || entrypoint.isCaller) continue;
    reportUnserved(list, report);
    if (!list.filter) reportComputedChoices(list, report);
  }
}

/**
 * Reports choices of clients that are computed. No index has such values, so the list should find its records by
 * something else first.
 */
function reportComputedChoices(
  { options: { filterable = [], sortable = [] } }: List,
  report: Diagnostics['report'],
): void {
  for (const { member, value } of [...filterable, ...sortable]) {
    if (member.kind !== 'computed') continue;
    const field = `${member.model.name}.${member.name}`;
    report('list-field-without-index', value.span, { field, type: undefined, declared: member.span, isComputed: true });
  }
}

function reportUnserved(list: List, report: Diagnostics['report']): void {
  const unserved = list.filter ? unservedFilter(list.filter) : unservedOrder(list);
  if (unserved === undefined) return;
  const { field, span } = unserved;
  report(list.filter ? 'filter-without-index' : 'order-without-index', span, {
    field: `${field.model.name}.${field.name}`,
    type: field.typeSpan,
    declared: field.span,
  });
}

interface OwnField {
  readonly field: Field;
  readonly span: Path['span'];
}

/** A field of the records themselves. */
function ownField(expression: Expression): OwnField | undefined {
  if (expression.kind !== 'path' || expression.root.kind !== 'row' || expression.steps.length !== 1) return undefined;
  const [member] = expression.steps;
  const field = member?.kind === 'reference' ? member.field : member;
  return field?.kind === 'field' ? { field, span: expression.span } : undefined;
}

// ── Order ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** An index over the first field is enough: records that are equal in it are sorted a few at a time. */
function unservedOrder({ orderBy: [first], options: { page } }: List): OwnField | undefined {
  const own = page && first && ownField(first.value);
  return own && !hasIndex(own.field) && hasManyValues(own.field) ? own : undefined;
}

// ── Filter ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The field that needs the index. Undefined where a condition is not understood, for it may be served; where one has an
 * index; and where no index would help.
 */
function unservedFilter(filter: Expression): OwnField | undefined {
  const conditions = conjuncts(filter).map(comparedIn);
  if (conditions.some((compared) => compared === undefined || hasIndex(compared.field))) return undefined;
  return conditions.find((compared) => compared?.isSelective);
}

interface Compared extends OwnField {
  /** Whether few records are left, so that an index finds them at once. */
  readonly isSelective: boolean;
}

const RANGES: ReadonlySet<Operator> = new Set<Operator>(['<', '<=', '>', '>=']);

/** The comparison of a field of the records with a value that is the same for all of them; undefined if it is none. */
function comparedIn(condition: Expression): Compared | undefined {
  if (condition.kind === 'path') return compared(condition, false);
  if (condition.kind !== 'operation') return undefined;
  const { operator, operands } = condition;
  const [left, right] = operands as [Expression, Expression];
  if (operator === 'not') return compared(left, false);
  if (operator === 'in') return oneOf(left, right);
  if ((operator !== 'is' && !RANGES.has(operator)) || isOfRow(left) === isOfRow(right)) return undefined;
  const [own, value] = isOfRow(left) ? [left, right] : [right, left];
  // A range of time is mostly a small part of the records; the size of other ranges is not known.
  return compared(own, operator === 'is' ? isValue(value, own) : isMoment(own.type));
}

/** The comparison with a list of values that are the same for all records; undefined if it is none. */
function oneOf(own: Expression, values: Expression): Compared | undefined {
  if (values.kind !== 'list' || isOfRow(values)) return undefined;
  return compared(
    own,
    values.items.every((value) => isValue(value, own)),
  );
}

function compared(own: Expression, isSelective: boolean): Compared | undefined {
  const found = ownField(own);
  return found && { ...found, isSelective: isSelective && hasManyValues(found.field) };
}

function isOfRow(expression: Expression): boolean {
  return pathsIn(expression).some(({ root }) => root.kind === 'row');
}

/** Many records may have no value. Two values of which either may be null are compared in a way that no index serves. */
function isValue(value: Expression, own: Expression): boolean {
  return !isNull(value) && !(value.type.nullable && own.type.nullable);
}

/** An index over a few values finds so many records that reading all of them is often as quick. */
function hasManyValues({ type }: Field): boolean {
  return type.base.kind !== 'boolean' && type.base.kind !== 'enum';
}
