/**
 * The meaning of an expression, as a text: two expressions with the same text have the same value for the same request.
 * Names of records, computed values and queries are replaced by what they stand for, since that may change while the
 * name stays. The code of a hook counts as its place: the content of the file is not known here.
 */
import { comparisonOf, pairsOf } from '../change/comparison.ts';
import { parameterNames } from '../definition/contract/routes.ts';
import type { Definition } from '../definition/definition.ts';
import type { Action, Assignment, Endpoint, PathRecord, QueryAction } from '../definition/endpoint.ts';
import type { Expression, InputValue, Operation, Origin, Query, Read, Step } from '../definition/expression.ts';
import { nodesIn } from '../definition/lookup.ts';
import { memoizedBeside } from '../definition/memo.ts';
import type { ModelsByName } from '../definition/rules-written-out.ts';

/** The facts that all rules of a definition share. */
export interface RuleSource {
  /** The models by name. */
  readonly models: ModelsByName;
  /** The model of accounts; empty if there are none. */
  readonly auth: string;
  readonly names: FormerNames;
}

export function ruleSourceOf({ models, auth }: Definition, names: FormerNames = OWN_NAMES): RuleSource {
  return { models: new Map(models.map((model) => [model.name, model])), auth: auth?.model ?? '', names };
}

export class Meanings {
  readonly #models: ModelsByName;
  readonly #endpoint: Endpoint;
  readonly #auth: string;
  readonly #names: FormerNames;

  constructor({ models, auth, names }: RuleSource, endpoint: Endpoint) {
    this.#models = models;
    this.#endpoint = endpoint;
    this.#auth = auth;
    this.#names = names;
  }

  /** The meaning of an expression, or of a part that has some; `model` is that of the row, if there is one. */
  of(part: unknown, model = ''): string {
    return JSON.stringify(this.#inner(part, model));
  }

  /** The records, and their order, that a path from a record of this model reads. */
  records(path: readonly Step[], model: string): string {
    return JSON.stringify(this.#path(path, model, true));
  }

  /** The code of a hook of this model, as far as it is in the sources, and not its result. */
  hook(name: string, model: string): string {
    const hook = this.#models.get(model)?.hooks.find((each) => each.name === name)?.hook;
    return JSON.stringify(this.#part({ ...hook, returns: null }, model));
  }

  /** The identity of a model. */
  kind(model: string): string {
    return JSON.stringify(['kind', this.#names.model(model)]);
  }

  /** The source of the records of a list, before its filter. */
  source({ origin, path, model }: Query): string {
    const start = this.#startOf(origin, model);
    return JSON.stringify([this.#part(origin, start), this.#path(path, start), this.#names.model(model)]);
  }

  #startOf(origin: Origin, model: string): string {
    return origin.kind === 'record' ? this.#modelOf(origin.id.record) : model;
  }

  /** The path to a record from the one that it is nested in. */
  nesting({ record, model, through, origin }: PathRecord): string {
    const at = this.#endpoint.records.findIndex((each) => each.record === record);
    const outer = origin ? origin.id.record : this.#endpoint.records[at - 1]?.record;
    const start = outer === undefined ? model : this.#modelOf(outer);
    return JSON.stringify([
      this.#recordKey(record),
      outer === undefined ? null : this.#recordKey(outer),
      this.#path(through ? [through] : [], start),
    ]);
  }

  #expression(expression: Expression, model: string): unknown {
    switch (expression.kind) {
      case 'literal': {
        const { value, type } = expression;
        if (NUMBERS.includes(type.kind) && value !== null) return { number: String(value) };
        const isNamed = type.enum !== undefined && typeof value === 'string';
        return { literal: isNamed ? this.#names.enumValue(type.enum, value) : value, of: type.kind };
      }
      case 'field': {
        const { path, model: end, field } = expression;
        return { field: this.#names.field(end, field), of: this.#names.model(end), path: this.#path(path, model) };
      }
      case 'computed': {
        const computed = this.#models.get(expression.model)?.computed.find(({ name }) => name === expression.computed);
        const value = computed && this.#expression(computed.value, expression.model);
        return expression.path.length === 0 ? value : { value, path: this.#path(expression.path, model) };
      }
      case 'collect': {
        const { path, value } = expression;
        return { each: this.#expression(value, endOf(path, model)), path: this.#path(path, model) };
      }
      case 'aggregate': {
        const { path, value, function: name } = expression;
        return {
          aggregate: name,
          value: value && this.#expression(value, endOf(path, model)),
          path: this.#path(path, model),
        };
      }
      case 'convert': {
        const value = this.#expression(expression.value, model);
        const { kind: to } = expression.type;
        return NUMBERS.includes(expression.value.type.kind) && NUMBERS.includes(to) ? value : { convert: value, to };
      }
      case 'operation': {
        const operands = expression.operands.map((operand) => this.#expression(operand, model));
        if (isSameEitherWay(expression))
          operands.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
        return { operator: expression.operator, operands };
      }
      case 'snapshot':
        return this.#snapshot(expression.record, expression.read);
      case 'input':
        return { input: placeInPath(expression, this.#endpoint) ?? expression.path };
      default:
        return this.#part(expression, model);
    }
  }

  #snapshot(record: string, name: string | null): unknown {
    const read = this.#readsOf(record).find((each) => each.name === name);
    const model = this.#modelOf(record);
    if (read === undefined) return { result: this.#recordKey(record), name };
    const value = read.kind === 'value' ? this.#expression(read.value, model) : this.#path(read.path, model);
    return { record: this.#recordKey(record), value };
  }

  #readsOf(record: string): readonly Read[] {
    if (record === '@auth') return this.#endpoint.authReads;
    const found = this.#named(record);
    const source = found && 'does' in found ? found.does : found;
    return source && 'reads' in source ? source.reads : [];
  }

  #modelOf(record: string): string {
    if (record === '@auth') return this.#auth;
    const found = this.#named(record);
    const source = found && 'query' in found ? found.query : found;
    return source && 'model' in source ? source.model : '';
  }

  /** The record of the path, or the action that makes, changes or finds the record, or has the result. */
  #named(record: string): PathRecord | NamedAction | undefined {
    const { records, actions } = this.#endpoint;
    const isNamed = (each: Action): each is NamedAction => 'record' in each && each.record === record;
    return records.find((each) => each.record === record) ?? actions.find(isNamed);
  }

  /**
   * The key of a record. An author may rename it, so the key of one that is in the path or created is its model and its
   * place among those of that model, and the key of another one is how it is found.
   */
  #recordKey(record: string): unknown {
    if (record === '@auth') return record;
    const { records, actions } = this.#endpoint;
    const found = this.#named(record);
    if (found === undefined) return this.#itemKey(record);
    if (!('kind' in found)) return this.#placeOf(found, records);
    if (found.kind === 'update') return { updated: this.#expression(found.id, '') };
    if (found.kind === 'query') return this.#resultKey(found);
    if (found.kind !== 'create') return this.#part({ ...found.hook, returns: null }, '');
    const created = actions.filter((each) => each.kind === 'create');
    return { created: this.#placeOf(found, created) };
  }

  /** An item of a `for` that is no record. */
  #itemKey(item: string): unknown {
    const loops = this.#endpoint.actions.map((action) => ('each' in action ? action.each : undefined));
    const loop = loops.find((each) => each?.item === item);
    return loop ? { item: this.#expression(loop.list, '') } : item;
  }

  #resultKey({ query, does }: QueryAction): unknown {
    if (does.kind === 'find') return { found: this.#expression(does.ids, ''), of: this.#names.model(query.model) };
    const grouped = does.kind === 'group' ? this.#part(does, query.model) : null;
    return { query: this.#query(query, this.#startOf(query.origin, query.model), false), grouped };
  }

  #placeOf({ record, model }: NamedRecord, among: readonly NamedRecord[]): string {
    const same = among.filter((each) => each.model === model).map((each) => each.record);
    return `${this.#names.model(model)}#${same.indexOf(record)}`;
  }

  #path(path: readonly Step[], start: string, isOrdered = false): readonly unknown[] {
    return path.map((step, at) => this.#step(step, at === 0 ? start : (path[at - 1] as Step).model, isOrdered));
  }

  #step(step: Step, from: string, isOrdered = false): unknown {
    const to = this.#names.model(step.model);
    if (step.kind === 'reference') return { reference: this.#names.field(from, step.field), to };
    if (step.kind === 'relation') return { relation: this.#names.field(step.model, step.field), to };
    const query = this.#models.get(step.of)?.queries.find(({ name }) => name === step.name)?.query;
    return { query: query && this.#query(query, step.of, isOrdered), to };
  }

  /**
   * The meaning of a query. The order of records does not matter, unless somebody sees it or only some of them are
   * taken.
   */
  #query(query: Query, model: string, isOrdered: boolean): unknown {
    const { origin, path, recursive, filter, orderBy, limit, offset, cardinality } = query;
    const isCut = limit !== null || offset !== null || cardinality === 'first';
    return {
      origin: this.#part(origin, model),
      path: this.#path(path, model, isOrdered),
      recursive,
      of: this.#names.model(query.model),
      filter: filter && this.#expression(filter, query.model),
      order: isCut || isOrdered ? this.#part(orderBy, query.model) : null,
      cut: [this.#part(limit, query.model), this.#part(offset, query.model), cardinality],
    };
  }

  /** The meaning of a part, without the author's documentation and without what the compiler knows about nulls. */
  #part(part: unknown, model: string): unknown {
    if (Array.isArray(part)) return part.map((item) => this.#inner(item, model));
    if (typeof part !== 'object' || part === null) return part;
    const kept = Object.entries(part).filter(([name]) => name !== 'doc' && name !== 'type' && name !== 'nullable');
    return Object.fromEntries(kept.map(([name, value]) => [name, this.#inner(value, model)]));
  }

  #inner(part: unknown, model: string): unknown {
    if (typeof part !== 'object' || part === null || !('kind' in part)) return this.#part(part, model);
    if (part.kind === 'query' && 'of' in part) return this.#step(part as Step, model);
    return 'type' in part ? this.#expression(part as Expression, model) : this.#part(part, model);
  }
}

type NamedRecord = Pick<PathRecord, 'record' | 'model'>;

type NamedAction = Extract<Action, { readonly record: string | null }>;

/** Callers do not see the names of parameters in a path. */
function placeInPath({ path: [name = ''] }: InputValue, { path, request }: Endpoint): number | undefined {
  return request.inPath?.some((each) => each.name === name) ? parameterNames(path).indexOf(name) : undefined;
}

/** A number is the same one in each of them. */
const NUMBERS: readonly string[] = ['integer', 'float', 'decimal'];

/** `+` also joins texts. */
function isSameEitherWay({ operator, type }: Operation): boolean {
  return ['*', 'is', 'and', 'or'].includes(operator) || (operator === '+' && type.kind !== 'string');
}

function endOf(path: readonly Step[], start: string): string {
  return path.at(-1)?.model ?? start;
}

export interface Assigned extends Pick<Assignment, 'field' | 'value' | 'condition'> {
  readonly key: string;
}

interface Write {
  readonly model: string;
  readonly values: readonly Assignment[];
}

/** Collects the values that actions store, at any depth. */
export function assignments({ actions }: Endpoint, names: FormerNames): readonly Assigned[] {
  const writes = nodesIn<Write>(actions, ({ model, values }) => typeof model === 'string' && Array.isArray(values));
  const ofQueries = actions.flatMap((action) =>
    action.kind === 'query' && action.does.kind === 'update'
      ? [{ model: action.query.model, values: action.does.values }]
      : [],
  );
  return [...writes, ...ofQueries].flatMap(({ model, values }) =>
    values.map((each) => ({ ...each, key: keyOf(model, each.field, names) })),
  );
}

/** The model and the field, by their previous names. */
export function keyOf(model: string, field: string, names: FormerNames): string {
  return `${names.model(model)}.${names.field(model, field)}`;
}

// The names of things in the earlier definition, so that the same thing has the same name on both sides.

export interface FormerNames {
  readonly model: (name: string) => string;
  readonly field: (model: string, name: string) => string;
  readonly enumValue: (name: string, value: string) => string;
}

/** The names for a definition that is compared with nothing, or is the earlier of two. */
export const OWN_NAMES: FormerNames = {
  model: (name) => name,
  field: (_model, name) => name,
  enumValue: (_name, value) => value,
};

/** The former names. A new thing gets a name that nothing had before, even if something was called the same. */
export const formerNames = memoizedBeside((before: Definition, after: Definition): FormerNames => {
  const { models, members, enums } = comparisonOf(before, after);
  const ofModels = new Map(models.kept.map(({ previous, next }) => [next.name, previous.name]));
  const ofFields = new Map(
    members.flatMap(({ next, fields }) =>
      fields.kept.map((kept) => [`${next.name}.${kept.next.name}`, kept.previous.name]),
    ),
  );
  const ofValues = new Map(
    enums.kept.flatMap(({ previous, next }) =>
      pairsOf(previous.values, next.values).kept.map((kept) => [`${next.name}.${kept.next.name}`, kept.previous.name]),
    ),
  );
  return {
    model: (name) => ofModels.get(name) ?? `${NEW}${name}`,
    field: (model, name) => ofFields.get(`${model}.${name}`) ?? `${NEW}${name}`,
    enumValue: (name, value) => ofValues.get(`${name}.${value}`) ?? `${NEW}${value}`,
  };
});

/** The prefix of new things. No name begins with it. */
const NEW = '+';
