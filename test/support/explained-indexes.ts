/**
 * Which indexes an application lacks, by the plans of Postgres: the oracle of `lackingIndexes`, which knows only the definition.
 * Each statement is explained, and none is run. The plans do not depend on the rows, nor on what Postgres has counted of them:
 * each path to a table that is not asked about is turned off, so that it is taken only where there is no other. It needs
 * PostgreSQL 16.
 */
import type pg from 'pg';
import { pageFormOf } from '../../compiler/definition/contract/list-parameters.ts';
import { pathPattern } from '../../compiler/definition/contract/routes.ts';
import type { Definition, IndexPart, Model } from '../../compiler/definition/definition.ts';
import type { Endpoint, ListResponse } from '../../compiler/definition/endpoint.ts';
import { filterParameters } from '../../compiler/definition/list-filters.ts';
import { Catalogue } from '../../compiler/definition/sql/catalogue.ts';
import { configFromEnvironment } from '../../runtime/config/config.ts';
import { applicationRoutes, type Sender } from '../../runtime/endpoints/application.ts';
import type { Application } from '../../runtime/endpoints/attempt.ts';
import { endpointTools } from '../../runtime/endpoints/endpoint-route.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { adviceFor, type IndexNeed, lackText, missingIndexes } from '../../runtime/plan/missing-indexes.ts';
import { cursorReadingOf } from '../../runtime/query/cursor-page.ts';
import type { Database } from '../../runtime/query/database.ts';
import { estimatedPageReadingOf } from '../../runtime/query/estimated-page.ts';
import { decisiveOrder, orderInEffect } from '../../runtime/query/keyset.ts';
import { type ChosenQuery, listReadingOf, pageReadingOf, uncountedPageReadingOf } from '../../runtime/query/list.ts';
import type { Prepared } from '../../runtime/query/prepared.ts';
import type { Statements } from '../../runtime/query/statements.ts';

export interface ExplainedIndex {
  /** `GET /api/posts` */
  readonly sender: string;
  readonly says: string;
  readonly advice: string;
}

/** `client` is connected to a database with the tables of the definition. */
export async function explainedIndexes(
  definition: Definition,
  client: pg.Client,
  hooks: HookModules = {},
): Promise<readonly ExplainedIndex[]> {
  const statements = statementsOf(definition, hooks);
  await client.query(`BEGIN; ${BEFORE}`);
  try {
    return await explainAll(statements, definition, client);
  } finally {
    await client.query('ROLLBACK');
  }
}

const BEFORE =
  'SET TRANSACTION READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL enable_seqscan = off';

/** Whatever a condition can find by an index is read by a bitmap of it. An index alone would also be read for its order. */
const FILTERS =
  'SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = on; SET LOCAL enable_sort = on';
/** Whatever an index can give in order is read by it. A bitmap has no order. */
const ORDERS =
  'SET LOCAL enable_indexscan = on; SET LOCAL enable_indexonlyscan = on; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off';

/** First all that is about filters, then what is sorted: so the settings change once. */
async function explainAll(
  statements: readonly Explained[],
  definition: Definition,
  client: pg.Client,
): Promise<readonly ExplainedIndex[]> {
  const models = new ModelsOfTables(definition);
  const needs = statements.map((): Needs => ({ filter: [], order: [] }));
  const sorting: number[] = [];
  await client.query(FILTERS);
  for (const [at, { text }] of statements.entries()) {
    const plan = await planOf(text, client);
    (needs[at] as Needs).filter = filterNeeds(plan, models);
    if (sortsAPart(plan)) sorting.push(at);
  }
  await client.query(ORDERS);
  for (const at of sorting) {
    const { text, paged } = statements[at] as Explained;
    const found = orderNeeds(await planOf(text, client), models);
    (needs[at] as Needs).order = found.filter(({ isWhole, model }) => isWhole || model === paged);
  }
  return findingsIn(statements, needs, definition);
}

interface Needs {
  filter: readonly IndexNeed[];
  order: readonly IndexNeed[];
}

interface Explained {
  readonly text: string;
  /** The model of the list whose pages it reads. The records of one parent may be many, too. */
  readonly paged: string | null;
  /** Whether clients choose it by a parameter. */
  readonly isChoice: boolean;
  readonly senders: Sender[];
}

/** Equal statements of several endpoints are explained once. */
function statementsOf(definition: Definition, hooks: HookModules): readonly Explained[] {
  const found = new Map<string, Explained>();
  const endpoints = new Map(definition.endpoints.map((one) => [`${one.method} ${pathPattern(one.path)}`, one]));
  for (const sender of sendersOf(definition, hooks)) {
    const endpoint = endpoints.get(sender.name);
    const paged = pagedModelOf(endpoint);
    const add = (isChoice: boolean, name: string, text: string) => {
      const key = `${paged} ${name}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { text, paged, isChoice, senders: [sender] });
      else if (!known.senders.includes(sender)) known.senders.push(sender);
    };
    for (const { statement } of sender.statements()) add(false, statement.name, statement.text);
    const choices = endpoint ? choicesOf(endpoint, definition, hooks) : [];
    for (const { statement } of choices) add(true, statement.name, statement.text);
  }
  return [...found.values()];
}

/** No statement is run, so there is no database. */
const NO_DATABASE = {} as Database;

function sendersOf(definition: Definition, hooks: HookModules): readonly Sender[] {
  const read = configFromEnvironment({ DATABASE_URL: 'postgres://nobody@127.0.0.1/nothing' });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const options = {
    ...read.config,
    definition,
    hooks,
    settings: {},
    database: NO_DATABASE,
    overflowed: () => undefined,
  };
  return applicationRoutes(options).senders();
}

function pagedModelOf(endpoint: Endpoint | undefined): string | null {
  const response = endpoint?.response;
  return response?.kind === 'list' && response.page !== null ? response.query.model : null;
}

/** An endpoint is told each index once. */
function findingsIn(
  statements: readonly Explained[],
  needs: readonly Needs[],
  definition: Definition,
): readonly ExplainedIndex[] {
  const wanted = statements.flatMap((statement, at) => [
    ...(needs[at]?.filter ?? []).map((need) => ({ ...statement, need, lack: 'filter' as const })),
    ...(needs[at]?.order ?? []).map((need) => ({ ...statement, need, lack: 'order' as const })),
  ]);
  const findings = new Map<string, ExplainedIndex>();
  for (const [at, missing] of missingIndexes(wanted, definition).entries()) {
    if (missing === null) continue;
    const [says, advice] = [lackText(missing), adviceFor(missing, definition)];
    for (const { name: sender } of wanted[at]?.senders ?? []) {
      const key = `${sender} ${advice}`;
      if (!findings.has(key)) findings.set(key, { sender, says, advice });
    }
  }
  return [...findings.values()];
}

async function planOf(text: string, client: pg.Client): Promise<PlanNode> {
  const { rows } = await client.query(`EXPLAIN (VERBOSE, GENERIC_PLAN, FORMAT JSON) ${text}`);
  const [{ Plan: plan }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: PlanNode }];
  return plan;
}

// ── Choices ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The statements that the clients of a list choose by one parameter alone. */
function choicesOf(endpoint: Endpoint, definition: Definition, modules: HookModules): readonly Prepared[] {
  if (endpoint.response.kind !== 'list') return [];
  const application = {
    definition,
    models: new Map(definition.models.map((model) => [model.name, model])),
    hooks: { modules, timeout: 0 },
    catalogue: new Catalogue(definition),
    overflowed: () => undefined,
  } as unknown as Application;
  return listChoices(endpoint.response, endpointTools(endpoint, application).statements);
}

/** Each field by itself: what it filters or orders by beside the list's own filter and order. */
function listChoices(response: ListResponse, statements: Statements): readonly Prepared[] {
  const { query, filterable = [], sortable = [], searchable, search } = response;
  const usual: ChosenQuery = { query, filters: [], searched: null };
  const chosen: readonly ChosenQuery[] = [
    ...filterable.map((field) => ({ ...usual, filters: [{ parameter: filterParameters(field)[0], value: '' }] })),
    ...sortable.map(({ name }) => ({
      ...usual,
      query: { ...query, orderBy: orderInEffect(response, [{ name, descending: false }]) },
    })),
    ...(searchable ? [{ ...usual, searched: { fields: searchable, ...search } }] : []),
  ];
  return chosen.flatMap((one) => statementsFor(one, response, statements.chosen()));
}

/** Without what the list selects of each record: that is the same as in its usual statements. */
function statementsFor(chosen: ChosenQuery, { page }: ListResponse, statements: Statements): readonly Prepared[] {
  if (page === null) listReadingOf(chosen, [], 1, statements);
  else PAGES[pageFormOf(page)](chosen, statements);
  return statements.all;
}

const PAGES = {
  counted: (chosen: ChosenQuery, statements: Statements) => void pageReadingOf(chosen, [], statements),
  uncounted: (chosen: ChosenQuery, statements: Statements) => void uncountedPageReadingOf(chosen, [], statements),
  estimated: (chosen: ChosenQuery, statements: Statements) => void estimatedPageReadingOf(chosen, [], statements),
  cursor: ({ query, ...chosen }: ChosenQuery, statements: Statements) => {
    const orderBy = decisiveOrder(query.orderBy);
    cursorReadingOf({ ...chosen, query: { ...query, orderBy } }, [], statements);
  },
};

// ── Plans ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A node of a plan, with what is read of it. */
interface PlanNode {
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
class ModelsOfTables {
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
function filterNeeds(plan: PlanNode, models: ModelsOfTables): readonly IndexNeed[] {
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
function orderNeeds(plan: PlanNode, models: ModelsOfTables): readonly OrderNeed[] {
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
function sortsAPart(plan: PlanNode): boolean {
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

// ── Conditions ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** A condition of a plan, as Postgres prints them: `(("#0".status = $1) AND ("#0".score > '3'::bigint))`. */
interface Comparison {
  /** `range` also where there are several values, or null. */
  readonly kind: 'equal' | 'range';
  readonly column: string;
  /** As Postgres prints it. */
  readonly text: string;
}

interface Column {
  readonly alias: string;
  readonly name: string;
}

const NAME = '(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_$]*)';
const COLUMN = `(${NAME})\\.(${NAME})`;
const WHOLE = new RegExp(`^${COLUMN}$`);

/** Nothing where the text is more than a column. */
function columnOf(text: string): Column | undefined {
  const [, alias, name] = WHOLE.exec(text) ?? [];
  return alias === undefined || name === undefined ? undefined : { alias: unquoted(alias), name: unquoted(name) };
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

/** The columns of a table by which an index could find its records. All of the conditions hold at once. */
export function comparisonsIn(condition: string, alias: string): readonly Comparison[] {
  return splitAt(' AND ', condition).flatMap((part) => comparisonOf(part, alias) ?? []);
}

type Form = readonly [kind: Comparison['kind'], pattern: RegExp];

/** Each has the column as its first two groups. */
const FORMS: readonly Form[] = [
  ['equal', new RegExp(`^(?:NOT )?${COLUMN}$`)],
  ['range', new RegExp(`^${COLUMN} = ANY .*$`, 's')],
  ['equal', new RegExp(`^${COLUMN} = .*$`, 's')],
  ['range', new RegExp(`^${COLUMN} [<>]=? .*$`, 's')],
  ['equal', new RegExp(`^\\S+ = ${COLUMN}$`)],
  ['range', new RegExp(`^\\S+ [<>]=? ${COLUMN}$`)],
  ['range', new RegExp(`^${COLUMN} IS NULL$`)],
  ['range', new RegExp(`^ROW\\(${COLUMN}, .*\\) [<>]=? ROW\\(.*\\)$`, 's')],
];

function comparisonOf(part: string, alias: string): Comparison | undefined {
  const branches = splitAt(' OR ', part);
  if (branches.length > 1) return alternativesOf(branches, alias);
  const text = withoutParentheses(part);
  for (const [kind, pattern] of FORMS) {
    const [, table, column] = pattern.exec(text) ?? [];
    if (table !== undefined && column !== undefined)
      return unquoted(table) === alias ? { kind, column: unquoted(column), text } : undefined;
  }
  return undefined;
}

/** Several values of one column. */
function alternativesOf(branches: readonly string[], alias: string): Comparison | undefined {
  const columns = new Set(branches.map((branch) => comparisonOf(branch, alias)?.column));
  const [column] = columns;
  return columns.size === 1 && column !== undefined ? { kind: 'range', column, text: '' } : undefined;
}

/** The parts between the words that stand outside all parentheses and quotes. */
function splitAt(word: string, condition: string): readonly string[] {
  const text = withoutParentheses(condition);
  const parts: string[] = [];
  let start = 0;
  forEachOutside(text, (at) => {
    if (!text.startsWith(word, at)) return;
    parts.push(text.slice(start, at));
    start = at + word.length;
  });
  return [...parts, text.slice(start)];
}

function withoutParentheses(condition: string): string {
  const text = condition.trim();
  let closesAt = -1;
  forEachOutside(text, (at) => {
    if (closesAt < 0 && text[at] === ')') closesAt = at;
  });
  const isAround = text.startsWith('(') && closesAt === text.length - 1;
  return isAround ? withoutParentheses(text.slice(1, -1)) : text;
}

/** Each place outside of parentheses and quotes, and the parenthesis that closes the outermost one. */
function forEachOutside(text: string, visit: (at: number) => void): void {
  let depth = 0;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (quote !== null) {
      if (sign === quote) quote = null;
      continue;
    }
    if (sign === '"' || sign === "'") quote = sign;
    if (sign === '(') depth++;
    if (sign === ')') depth--;
    if (depth === 0) visit(at);
  }
}
