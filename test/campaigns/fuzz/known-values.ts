/**
 * Values that exist: of columns, for inputs that must find a record, and of paths whose records belong together. They
 * are read from the database now and then, and gathered from answers as a client would.
 */
import type { Definition, Model } from '../../../compiler/definition/definition.ts';
import type { Endpoint, PathRecord } from '../../../compiler/definition/endpoint.ts';
import type { Step } from '../../../compiler/definition/expression.ts';
import type { Queryable } from '../databases.ts';
import type { ReceivedAnswer } from '../send.ts';
import type { FuzzedOperation } from './operations.ts';

export type PathValues = Readonly<Record<string, string>>;

const MOST_KEPT = 200;

export class KnownValues {
  readonly #definition: Definition;
  readonly #client: Queryable;
  readonly #columns = new Map<string, readonly unknown[]>();
  readonly #stored = new Map<string, readonly PathValues[]>();
  /** By account and template. */
  readonly #made = new Map<string, PathValues[]>();

  constructor(definition: Definition, client: Queryable) {
    this.#definition = definition;
    this.#client = client;
  }

  /** Those of a column, as JSON has them. */
  of(model: string, field: string): readonly unknown[] {
    return this.#columns.get(`${model}.${field}`) ?? [];
  }

  storedFor({ template }: FuzzedOperation): readonly PathValues[] {
    return this.#stored.get(template) ?? [];
  }

  /** What an account has made itself, as far as the path goes. */
  madeBy(account: string, { template }: FuzzedOperation): readonly PathValues[] {
    const own = [...this.#made].filter(([key]) => key.startsWith(`${account} `));
    return own.filter(([key]) => template.startsWith(key.slice(account.length + 1))).flatMap(([, values]) => values);
  }

  /** A create names the new record in its body, or in `Location`. */
  noteMade(account: string, operation: FuzzedOperation, values: PathValues, answer: ReceivedAnswer): void {
    if (operation.endpoint?.kind !== 'create' || answer.status !== 201) return;
    for (const [template, parameter, field] of this.#itemsOf(operation)) {
      const value = (JSON.parse(answer.text || 'null') as Readonly<Record<string, unknown>> | null)?.[field];
      if (value === undefined || value === null) continue;
      const key = `${account} ${template}`;
      const kept = [...(this.#made.get(key) ?? []), { ...values, [parameter]: String(value) }];
      this.#made.set(key, kept.slice(-MOST_KEPT));
    }
  }

  #itemsOf({ template, endpoint }: FuzzedOperation): readonly (readonly [string, string, string])[] {
    const items = this.#definition.endpoints.filter(
      (each) => each.records.length > (endpoint?.records.length ?? 0) && each.model === endpoint?.model,
    );
    return items.flatMap((each) => {
      const identify = each.records.at(-1)?.identify;
      if (!identify || identify.path.length > 0) return [];
      return [[`${template}/{${identify.parameter}}`, identify.parameter, identify.field] as const];
    });
  }

  /** Reads the database again. Columns that nobody asks for cost little, so all of them are read. */
  async refresh(operations: readonly FuzzedOperation[]): Promise<void> {
    for (const model of this.#definition.models) await this.#readModel(model);
    for (const operation of operations) await this.#readPaths(operation);
  }

  async #readModel(model: Model): Promise<void> {
    const shown = model.fields.filter(({ secret }) => !secret);
    const columns = shown.map(({ column }) => `to_jsonb("${column}") AS "${column}"`).join(', ');
    const { rows } = await this.#client.query(
      `SELECT ${columns} FROM "${model.table}" ORDER BY md5(id::text) LIMIT ${MOST_KEPT}`,
    );
    for (const { name, column, type } of shown) {
      const values = rows.map((row) => row[column]).filter((value) => value !== null);
      this.#columns.set(`${model.name}.${name}`, type.kind === 'decimal' ? values.map(String) : values);
    }
  }

  async #readPaths({ template, endpoint }: FuzzedOperation): Promise<void> {
    const statement = endpoint && pathStatement(endpoint, this.#definition);
    if (!statement) return;
    const { rows } = await this.#client.query(`${statement} ORDER BY md5(r0.id::text), 1 LIMIT ${MOST_KEPT}`);
    this.#stored.set(template, rows);
  }
}

/** Selects the parameters of paths that lead somewhere. Null where there are none, or a query is on the way. */
function pathStatement({ records }: Endpoint, { models }: Definition): string | null {
  if (records.length === 0 || records.some(({ identify, through }) => isQuery(through) || hasQuery(identify)))
    return null;
  const columnOf = (model: string, field: string) =>
    models.find(({ name }) => name === model)?.fields.find(({ name }) => name === field)?.column ?? field;
  const tableOf = (model: string) => models.find(({ name }) => name === model)?.table ?? model;
  const joins: string[] = [];
  const selected: string[] = [];
  const join = (step: Step, from: string, to: string, kind = 'JOIN') => {
    if (step.kind === 'query') return;
    const isReference = step.kind === 'reference';
    const on = isReference
      ? `"${to}".id = "${from}"."${columnOf(modelAt(from), step.field)}"`
      : `"${from}".id = "${to}"."${columnOf(step.model, step.field)}"`;
    places.set(to, step.model);
    joins.push(`${kind} "${tableOf(step.model)}" AS "${to}" ON ${on}`);
  };
  const places = new Map<string, string>();
  const modelAt = (place: string) => places.get(place) ?? '';
  records.forEach((record, at) => {
    if (record.through === null) places.set(`r${at}`, record.model);
    else join(record.through, `r${at - 1}`, `r${at}`);
    selected.push(...selectedOf(record, at, join, columnOf));
  });
  const first = records[0] as PathRecord;
  return `SELECT ${selected.join(', ') || '1'} FROM "${tableOf(first.model)}" AS r0 ${joins.join(' ')}`;
}

function selectedOf(
  { identify }: PathRecord,
  at: number,
  join: (step: Step, from: string, to: string) => void,
  columnOf: (model: string, field: string) => string,
): readonly string[] {
  if (!identify) return [];
  identify.path.forEach((step, depth) => {
    join(step, placeIn(at, depth), placeIn(at, depth + 1));
  });
  const place = placeIn(at, identify.path.length);
  return [`"${place}"."${columnOf(identify.model, identify.field)}"::text AS "${identify.parameter}"`];
}

function placeIn(record: number, depth: number): string {
  return depth === 0 ? `r${record}` : `r${record}_${depth}`;
}

function isQuery(step: Step | null): boolean {
  return step?.kind === 'query';
}

function hasQuery(identify: PathRecord['identify']): boolean {
  return identify?.path.some(isQuery) ?? false;
}
