/**
 * What a plan of Postgres shows that an index could spare: records that are all read to find some of them, and records that
 * are all sorted to give a part of them. The plan is that of `EXPLAIN (VERBOSE, FORMAT JSON)`.
 */
import type { Definition, IndexPart, Model } from '../../compiler/definition/definition.ts';
import type { IndexNeed } from '../plan/missing-indexes.ts';
import { type Comparison, columnOf, comparisonsIn } from './plan-conditions.ts';

/** A node of a plan, with what is read of it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Join Type'?: string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Filter?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly 'Scan Direction'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The models of a definition, by what the database calls them. */
export class ModelsOfTables {
  readonly #models: ReadonlyMap<string, Model>;

  constructor({ models }: Definition) {
    this.#models = new Map(models.map((model) => [model.table, model]));
  }

  /** Nothing for the tables that Kiln makes for itself. */
  at(table: string | undefined): Model | undefined {
    return table === undefined ? undefined : this.#models.get(table);
  }
}

/** Records that are all read to find some of them. The plan is made so that whatever could be found by an index is. */
export function filterNeeds(plan: PlanNode, models: ModelsOfTables): readonly IndexNeed[] {
  const needs = joinsIn(plan).flatMap((join) => {
    const isAllRead = join.scans.some((scan) => isFullRead(scan) && models.at(scan['Relation Name']));
    return isAllRead ? (filterNeed(join, models) ?? []) : [];
  });
  return needs.filter(
    (need) => !needs.some((other) => other.order.length > need.order.length && isSameFilter(other, need)),
  );
}

/** A page and its count are one statement, with the same filter. */
function isSameFilter(one: IndexNeed, other: IndexNeed): boolean {
  const textOf = ({ model, equal, ranges }: IndexNeed) => JSON.stringify([model, equal, ranges]);
  return textOf(one) === textOf(other);
}

interface OrderNeed extends IndexNeed {
  /** Whether all records of the model are sorted, and not only those that an index has found. */
  readonly isWhole: boolean;
}

/** Records that are sorted to give a part of them. The plan is made so that an index gives the order if it can. */
export function orderNeeds(plan: PlanNode, models: ModelsOfTables): readonly OrderNeed[] {
  return joinsIn(plan).flatMap((join) => {
    if (!join.isSorted) return [];
    const [first] = join.order;
    const scan = first && join.scans.find(({ Alias }) => Alias === columnOf(first.key)?.alias);
    const model = models.at(scan?.['Relation Name']);
    if (scan === undefined || model === undefined) return [];
    const { Filter, 'Index Cond': found, 'Recheck Cond': rechecked } = scan;
    const others = join.scans.filter((other) => other !== scan);
    const need = needOf(scan, model, join.order, [found ?? rechecked, Filter], others);
    return need.order.length === 0 ? [] : [{ ...need, isWhole: isFullRead(scan) }];
  });
}

/** Whether a plan sorts anything to give a part of it. */
export function sortsAPart(plan: PlanNode): boolean {
  return joinsIn(plan).some(({ isSorted }) => isSorted);
}

// ── Joins ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Tables that are read together: a condition on one of them leaves out records of all. */
interface Join {
  readonly scans: PlanNode[];
  /** Of what is cut off behind the first few; empty where all is read. */
  readonly order: readonly SortKey[];
  /** Whether the order is not that of an index. */
  readonly isSorted: boolean;
}

interface SortKey {
  /** `"#0".created_at` */
  readonly key: string;
  readonly descending: boolean;
}

function joinsIn(plan: PlanNode): readonly Join[] {
  const found: Join[] = [];
  const begin = (order: readonly SortKey[], isSorted: boolean): Join => {
    const join = { scans: [], order, isSorted };
    found.push(join);
    return join;
  };
  const visit = (node: PlanNode, join: Join): void => {
    if (node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable') join.scans.push(node);
    for (const child of node.Plans ?? []) visit(child, isApart(node, child) ? joinBelow(node, child) : join);
  };
  const joinBelow = (node: PlanNode, child: PlanNode): Join => {
    if (node['Node Type'] !== 'Limit') return begin([], false);
    const ordering = orderingOf(child);
    // The parts of a page behind a record are sorted by what the first page is sorted by.
    const isSorted = ordering?.['Node Type'] === 'Sort' && node['Parent Relationship'] !== 'Member';
    return begin(ordering === undefined ? [] : keysOf(ordering), isSorted);
  };
  visit(plan, begin([], false));
  return found;
}

/** Where a plan goes on as if by itself: no condition from outside leaves out records there. */
const BOUNDARIES: ReadonlySet<string> = new Set([
  'Aggregate',
  'Append',
  'Limit',
  'Merge Append',
  'ModifyTable',
  'Subquery Scan',
  'Unique',
]);

/** Of an outer join, the side that may be missing; of a semi join, what is only looked up. */
const APART: Readonly<Record<string, string>> = { Left: 'Inner', Right: 'Outer', Semi: 'Inner', Anti: 'Inner' };

function isApart(node: PlanNode, child: PlanNode): boolean {
  const side = child['Parent Relationship'] ?? '';
  if (side === 'SubPlan' || side === 'InitPlan' || BOUNDARIES.has(node['Node Type'])) return true;
  return node['Join Type'] === 'Full' || APART[node['Join Type'] ?? ''] === side;
}

/** What stands between a limit and what orders its rows, without changing them. */
const PASSING: ReadonlySet<string> = new Set(['LockRows', 'Result', 'Nested Loop']);

function orderingOf(node: PlanNode): PlanNode | undefined {
  const type = node['Node Type'];
  if (type === 'Sort' || type === 'Incremental Sort' || type === 'Index Scan' || type === 'Index Only Scan')
    return node;
  const outer = node.Plans?.find((child) => child['Parent Relationship'] === 'Outer');
  return PASSING.has(type) && outer ? orderingOf(outer) : undefined;
}

/** A list in the order of its ids is read by the primary key, without a sort above it. */
function keysOf(node: PlanNode): readonly SortKey[] {
  const { 'Sort Key': keys, 'Index Name': index = '', Alias: alias = '' } = node;
  const isById = index.endsWith('_pkey') && node['Index Cond'] === undefined;
  if (keys === undefined)
    return isById ? [{ key: `${quoted(alias)}.id`, descending: node['Scan Direction'] === 'Backward' }] : [];
  return keys.map((text) => ({
    key: text.replace(/ NULLS (FIRST|LAST)$/, '').replace(/ DESC$/, ''),
    descending: / DESC\b/.test(text),
  }));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

// ── Tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const SCANS: ReadonlySet<string> = new Set(['Seq Scan', 'Index Scan', 'Index Only Scan']);

function isFullRead(node: PlanNode): boolean {
  return SCANS.has(node['Node Type']) && node['Index Cond'] === undefined;
}

/** The table that the statement names first is that of the query itself. */
function filterNeed({ scans, order }: Join, models: ModelsOfTables): IndexNeed | undefined {
  return [...scans]
    .sort((a, b) => positionOf(a) - positionOf(b))
    .flatMap((scan) => {
      const model = models.at(scan['Relation Name']);
      return model ? [needOf(scan, model, order, [scan.Filter])] : [];
    })
    .find(({ equal, ranges }) => equal.length + ranges.length > 0);
}

/** Statements number the rows that they are about: `#0`, `#1`. */
function positionOf({ Alias = '' }: PlanNode): number {
  return Alias.startsWith('#') ? Number(Alias.slice(1)) : Number.MAX_SAFE_INTEGER;
}

/** What is compared with a table that is read beside it has no single value. */
function needOf(
  { Alias: alias = '' }: PlanNode,
  model: Model,
  order: readonly SortKey[],
  conditions: readonly (string | undefined)[],
  others: readonly PlanNode[] = [],
): IndexNeed {
  const isOfOthers = ({ text }: Comparison) => others.some((other) => text.includes(`${quoted(other.Alias ?? '')}.`));
  const comparisons = conditions.flatMap((text) => (text ? comparisonsIn(text, alias) : []));
  const fieldsOf = (kind: Comparison['kind']) => {
    const own = comparisons.filter((comparison) => comparison.kind === kind && !isOfOthers(comparison));
    return [...new Set(own.flatMap(({ column }) => fieldAt(model, column) ?? []))];
  };
  return {
    model: model.name,
    equal: fieldsOf('equal'),
    ranges: fieldsOf('range'),
    order: orderOf(order, alias, model),
  };
}

function fieldAt({ fields }: Model, column: string): string | undefined {
  return fields.find((field) => field.column === column)?.name;
}

/** As far as it is over fields of the model. */
function orderOf(keys: readonly SortKey[], alias: string, model: Model): readonly IndexPart[] {
  const parts: IndexPart[] = [];
  for (const { key, descending } of keys) {
    const column = columnOf(key);
    const field = column?.alias === alias ? fieldAt(model, column.name) : undefined;
    if (field === undefined) break;
    parts.push({ field, descending });
  }
  return parts;
}
