/**
 * The rules of an endpoint as if nothing in them had a name: `note.editable` becomes the expression of the computed
 * member for that note. The reads of its expression are then among the reads of that record. Rules are compared and
 * evaluated in this form, and printed as they are.
 */
import type { Model } from './definition.ts';
import type { Action, Endpoint } from './endpoint.ts';
import type { ComputedValue, Expression, Operation, Query, Read, Snapshot, Step, Type } from './expression.ts';

/** The models by name. For one endpoint, not all models need to be at hand. */
export type ModelsByName = Pick<ReadonlyMap<string, Model>, 'get'>;

/** The largest number of written-out members. Only a bug in the compiler makes them endless. */
const MOST_MEMBERS = 1000;

const BOOLEAN: Type = { kind: 'boolean' };

export function withRulesWrittenOut(endpoint: Endpoint, models: ModelsByName): Endpoint {
  const writer = new Writer(endpoint, models);
  const query = (each: Query): Query => (each.filter ? { ...each, filter: writer.written(each.filter) } : each);
  const { response } = endpoint;
  return {
    ...endpoint,
    authorize: endpoint.authorize.map((rule) => writer.written(rule)),
    response: response.kind === 'list' ? { ...response, query: query(response.query) } : response,
    actions: endpoint.actions.map(
      (action): Action => (action.kind === 'query' ? { ...action, query: query(action.query) } : action),
    ),
    // The rules above are written out by then, so what they read is known.
    authReads: [...endpoint.authReads, ...writer.readsOf('@auth')],
    records: endpoint.records.map((each) => ({
      ...each,
      ...(each.only ? { only: writer.written(each.only) } : {}),
      reads: [...each.reads, ...writer.readsOf(each.record)],
    })),
  };
}

/** The place of the record whose member is written out: a record of the endpoint, or the row. */
interface Place {
  readonly record: string | null;
  readonly path: readonly Step[];
}

class Writer {
  readonly #endpoint: Endpoint;
  readonly #models: ModelsByName;
  readonly #reads = new Map<string, Map<string, Read>>();
  #left = MOST_MEMBERS;

  constructor(endpoint: Endpoint, models: ModelsByName) {
    this.#endpoint = endpoint;
    this.#models = models;
  }

  readsOf(record: string): Iterable<Read> {
    return this.#reads.get(record)?.values() ?? [];
  }

  written(expression: Expression): Expression {
    switch (expression.kind) {
      case 'computed':
        return this.#member(expression, null) ?? expression;
      case 'snapshot': {
        const read = this.#read(expression);
        return (read?.kind === 'computed' ? this.#member(read, expression.record) : undefined) ?? expression;
      }
      default:
        return withParts(expression, (part) => this.written(part));
    }
  }

  #read({ record, read: name }: Snapshot): Expression | undefined {
    const { authReads, records } = this.#endpoint;
    const reads = record === '@auth' ? authReads : (records.find((each) => each.record === record)?.reads ?? []);
    const read = reads.find((each) => each.name === name) ?? this.#reads.get(record)?.get(name ?? '');
    return read?.kind === 'value' ? read.value : undefined;
  }

  #member(member: ComputedValue, record: string | null): Expression | undefined {
    const { computed, model, path, type } = member;
    const value = this.#models.get(model)?.computed.find(({ name }) => name === computed)?.value;
    // A value is null when nobody is signed in, which only a condition can express.
    if (!value || (record === '@auth' && type.kind !== 'boolean') || this.#left-- <= 0) return undefined;
    const place = { record, path };
    const inner = this.written(this.#at(place, value));
    if (type.kind !== 'boolean') return inner;
    return [...this.#there(place, model), inner].reduce((left, right) => operation('and', left, right));
  }

  /** The conditions that the record of the member exists: without it, the member is null. */
  #there(place: Place, model: string): readonly Expression[] {
    if (place.path.length === 0) return place.record === '@auth' ? [{ kind: 'authenticated', type: BOOLEAN }] : [];
    if (place.path.every((step) => step.kind === 'reference' && !step.nullable) && place.record !== '@auth') return [];
    const id: Expression = { kind: 'field', path: [], model, field: 'id', type: { kind: 'any', nullable: true } };
    const nothing: Expression = { kind: 'literal', type: { kind: 'any', nullable: true }, value: null };
    return [
      { kind: 'operation', operator: 'not', operands: [operation('is', this.#at(place, id), nothing)], type: BOOLEAN },
    ];
  }

  /** Rewrites an expression over the row as one over the record at this place. */
  #at(place: Place, value: Expression): Expression {
    const isRead =
      value.kind === 'field' || value.kind === 'computed' || value.kind === 'collect' || value.kind === 'aggregate';
    if (!isRead) return withParts(value, (part) => this.#at(place, part));
    const read = { ...value, path: [...place.path, ...value.path] };
    return place.record === null ? read : this.#snapshotOf(place.record, read);
  }

  #snapshotOf(record: string, value: Expression): Snapshot {
    const name = `= ${JSON.stringify(value)}`;
    const reads = this.#reads.get(record) ?? new Map<string, Read>();
    this.#reads.set(record, reads.set(name, { name, kind: 'value', value }));
    return { kind: 'snapshot', record, read: name, type: value.type };
  }
}

function operation(operator: Operation['operator'], left: Expression, right: Expression): Operation {
  return { kind: 'operation', operator, operands: [left, right], type: BOOLEAN };
}

/** Values of single records are decided by their parts; what is read of many has no parts of its own here. */
function withParts(expression: Expression, change: (part: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'operation':
      return { ...expression, operands: expression.operands.map(change) };
    case 'call':
      return { ...expression, arguments: expression.arguments.map(change) };
    case 'list':
      return { ...expression, items: expression.items.map(change) };
    case 'truth':
    case 'convert':
      return { ...expression, value: change(expression.value) };
    case 'member':
      return { ...expression, of: change(expression.of) };
    default:
      return expression;
  }
}
