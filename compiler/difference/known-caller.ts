/**
 * Whether a rule lets in a caller of whom enough is known: nobody, or a stranger, which is an account that was made a
 * moment ago, to which nothing refers, and of whose fields some values are known. What is not known may be anything, so
 * no caller is said to be refused who might not be.
 */

import type { Endpoint } from '../definition/endpoint.ts';
import type {
  Aggregate,
  Call,
  Collect,
  Expression,
  FieldValue,
  Operation,
  Read,
  Snapshot,
  Step,
} from '../definition/expression.ts';
import { type ModelsByName, withRulesWrittenOut } from '../definition/rules-written-out.ts';
import type { RuleSource } from './meaning.ts';

/** Values of the account's fields, as far as they are known. */
export type KnownFields = ReadonlyMap<string, Plain>;

type Plain = string | number | boolean | null;

type Value =
  | { readonly kind: 'plain'; readonly value: Plain }
  /** The id of the stranger. */
  | { readonly kind: 'own' }
  /** The id of somebody else, or null. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'unknown' };

const UNKNOWN: Value = { kind: 'unknown' };
const OWN: Value = { kind: 'own' };
const FOREIGN: Value = { kind: 'foreign' };
const plain = (value: Plain): Value => ({ kind: 'plain', value });

/** The records of the path are not the caller, and were there before. */
export class KnownCaller {
  readonly #models: ModelsByName;
  readonly #auth: string;
  /** Nothing for nobody. */
  readonly #fields: KnownFields | undefined;

  constructor({ models, auth }: Pick<RuleSource, 'models' | 'auth'>, fields?: KnownFields) {
    this.#models = models;
    this.#auth = auth;
    this.#fields = fields;
  }

  isRefusedBy(endpoint: Endpoint): boolean {
    const written = withRulesWrittenOut(endpoint, this.#models);
    return written.authorize.some((rule) => this.holds(rule, written) === false);
  }

  /** Undefined where that depends on something that is not known. */
  holds(condition: Expression, endpoint: Endpoint): boolean | undefined {
    const value = this.#value(condition, endpoint);
    return value.kind === 'plain' ? value.value === true : undefined;
  }

  #value(expression: Expression, endpoint: Endpoint): Value {
    switch (expression.kind) {
      case 'literal':
        return plain(expression.value);
      case 'authenticated':
        return plain(this.#fields !== undefined);
      case 'truth': {
        const holds = this.holds(expression.value, endpoint);
        return holds === undefined ? UNKNOWN : plain(holds);
      }
      case 'list':
        return { kind: 'list', items: expression.items.map((item) => this.#value(item, endpoint)) };
      case 'snapshot':
        return this.#snapshot(expression, endpoint);
      case 'field':
      case 'collect':
      case 'aggregate':
        return this.#isEmpty(expression.path, endpoint) ? ofNothing(expression) : UNKNOWN;
      case 'operation':
        return this.#operation(expression, endpoint);
      case 'call':
        return this.#call(expression, endpoint);
      case 'convert':
        return this.#value(expression.value, endpoint);
      case 'member':
        return isNull(this.#value(expression.of, endpoint)) ? plain(null) : UNKNOWN;
      default:
        return UNKNOWN;
    }
  }

  #call({ function: name, arguments: args }: Call, endpoint: Endpoint): Value {
    if (name === 'coalesce') return this.#first(args, endpoint);
    if (name === 'if') return this.#choice(args as readonly [Expression, Expression, Expression], endpoint);
    const [first = UNKNOWN] = args.map((each) => this.#value(each, endpoint));
    return name === 'length' && first.kind === 'list' ? plain(first.items.length) : UNKNOWN;
  }

  #choice([asked, then, otherwise]: readonly [Expression, Expression, Expression], endpoint: Endpoint): Value {
    const isSo = this.holds(asked, endpoint);
    if (isSo !== undefined) return this.#value(isSo ? then : otherwise, endpoint);
    const [one, other] = [this.#value(then, endpoint), this.#value(otherwise, endpoint)];
    return one.kind === 'plain' && other.kind === 'plain' && one.value === other.value ? one : UNKNOWN;
  }

  /** A query on the way finds nothing: its filter asks for records of somebody else. */
  #isEmpty(path: readonly Step[], endpoint: Endpoint): boolean {
    return path.some((step) => {
      if (step.kind !== 'query') return false;
      const filter = this.#models.get(step.of)?.queries.find(({ name }) => name === step.name)?.query.filter;
      return filter != null && this.holds(filter, endpoint) === false;
    });
  }

  #first(values: readonly Expression[], endpoint: Endpoint): Value {
    const found = values.map((each) => this.#value(each, endpoint)).find((value) => !isNull(value));
    return found ?? plain(null);
  }

  #operation({ operator, operands }: Operation, endpoint: Endpoint): Value {
    const values = operands.map((each) => this.#value(each, endpoint));
    const [left = UNKNOWN, right = UNKNOWN] = values;
    switch (operator) {
      case 'and':
        return decided(values.map(truth), false);
      case 'or':
        return decided(values.map(truth), true);
      case 'not': {
        const holds = truth(left);
        return holds === undefined ? UNKNOWN : plain(!holds);
      }
      case 'is':
        return answer(equal(left, right));
      case 'in':
        return right.kind === 'list'
          ? decided(
              right.items.map((item) => equal(left, item)),
              true,
            )
          : UNKNOWN;
      default:
        // Calculations with null and comparisons by size are null.
        return values.some(isNull) ? plain(null) : bySize(operator, left, right);
    }
  }

  // ── What is read ──────────────────────────────────────────────────────────────────────────────────────────────────

  #snapshot({ record, read: name, type }: Snapshot, endpoint: Endpoint): Value {
    if (record === '@auth' && !this.#fields) return type.many ? { kind: 'list', items: [] } : plain(null);
    if (record === '@auth') return this.#ofCaller(readIn(endpoint.authReads, name));
    const read = readIn(endpoint.records.find((each) => each.record === record)?.reads ?? [], name);
    return read === undefined ? UNKNOWN : this.#ofRecord(read, endpoint);
  }

  #ofCaller(value: Expression | undefined): Value {
    if (value?.kind !== 'field' && value?.kind !== 'collect' && value?.kind !== 'aggregate') return UNKNOWN;
    const [first] = value.path;
    if (first === undefined) return value.kind === 'field' ? this.#ownField(value) : UNKNOWN;
    return this.#leadsNowhere(first) ? ofNothing(value) : UNKNOWN;
  }

  #ownField({ field }: FieldValue): Value {
    if (field === 'id') return OWN;
    const value = this.#fields?.get(field);
    return value === undefined ? UNKNOWN : plain(value);
  }

  /** No record refers to the stranger, and the stranger may refer to none. */
  #leadsNowhere(step: Step): boolean {
    if (step.kind === 'relation') return true;
    return step.kind === 'reference' && this.#fields?.get(step.field) === null;
  }

  #ofRecord(value: Expression, endpoint: Endpoint): Value {
    const found = this.#value(value, endpoint);
    if (found.kind !== 'unknown' || !this.#fields) return found;
    if (value.kind === 'collect') return this.#isOfAccounts(value.value) ? { kind: 'list', items: [FOREIGN] } : UNKNOWN;
    return this.#isOfAccounts(value) ? FOREIGN : UNKNOWN;
  }

  /** The id of an account, or the key of a reference to one. */
  #isOfAccounts(value: Expression): boolean {
    if (value.kind !== 'field') return false;
    if (value.field === 'id') return value.model === this.#auth;
    const reference = this.#models.get(value.model)?.references.find(({ field }) => field === value.field);
    return reference?.to === this.#auth;
  }
}

/** What is at the end of a path that leads to no record. */
function ofNothing(value: FieldValue | Collect | Aggregate): Value {
  if (value.kind === 'collect') return { kind: 'list', items: [] };
  if (value.kind === 'field') return plain(null);
  return value.function === 'count' ? plain(0) : value.function === 'exists' ? plain(false) : UNKNOWN;
}

function readIn(reads: readonly Read[], name: string | null): Expression | undefined {
  const read = reads.find((each) => each.name === name);
  return read?.kind === 'value' ? read.value : undefined;
}

function bySize(operator: Operation['operator'], left: Value, right: Value): Value {
  const compare = COMPARISONS[operator];
  if (!compare || left.kind !== 'plain' || right.kind !== 'plain') return UNKNOWN;
  const areNumbers = typeof left.value === 'number' && typeof right.value === 'number';
  return areNumbers ? plain(compare(left.value as number, right.value as number)) : UNKNOWN;
}

const COMPARISONS: Readonly<Partial<Record<Operation['operator'], (left: number, right: number) => boolean>>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

function isNull(value: Value): boolean {
  return value.kind === 'plain' && value.value === null;
}

function truth(value: Value): boolean | undefined {
  return value.kind === 'plain' ? value.value === true : undefined;
}

function answer(holds: boolean | undefined): Value {
  return holds === undefined ? UNKNOWN : plain(holds);
}

/** `winner` where any part is; the opposite where all of them are. */
function decided(parts: readonly (boolean | undefined)[], winner: boolean): Value {
  if (parts.includes(winner)) return plain(winner);
  return parts.includes(undefined) ? UNKNOWN : plain(!winner);
}

function equal(left: Value, right: Value): boolean | undefined {
  if (left.kind === 'plain' && right.kind === 'plain') return left.value === right.value;
  const kinds = [left.kind, right.kind];
  if (!kinds.includes('own')) return undefined;
  if (kinds.every((kind) => kind === 'own')) return true;
  return kinds.includes('foreign') || isNull(left) || isNull(right) ? false : undefined;
}
