/**
 * Whether a stranger can be let in: an account that was made a moment ago, to which nothing refers, and of whose fields
 * some values are known. What is not known may be anything, so nobody is said to be refused who might not be.
 */
import type {
  Aggregate,
  Collect,
  Definition,
  Endpoint,
  Expression,
  FieldValue,
  Model,
  Operation,
  Read,
  Snapshot,
  Step,
} from '../definition/definition.ts';

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

/** The records of the path are not the stranger, and were there before. */
export class Stranger {
  readonly #models: ReadonlyMap<string, Model>;
  readonly #auth: string;
  readonly #fields: KnownFields;

  constructor({ models, auth }: Definition, fields: KnownFields) {
    this.#models = new Map(models.map((model) => [model.name, model]));
    this.#auth = auth?.model ?? '';
    this.#fields = fields;
  }

  isRefusedBy(endpoint: Endpoint): boolean {
    return endpoint.authorize.some((rule) => this.#holds(rule, endpoint) === false);
  }

  /** Undefined where that depends on something that is not known. */
  #holds(condition: Expression, endpoint: Endpoint): boolean | undefined {
    const value = this.#value(condition, endpoint);
    return value.kind === 'plain' ? value.value === true : undefined;
  }

  #value(expression: Expression, endpoint: Endpoint): Value {
    switch (expression.kind) {
      case 'literal':
        return plain(expression.value);
      case 'authenticated':
        return plain(true);
      case 'truth': {
        const holds = this.#holds(expression.value, endpoint);
        return holds === undefined ? UNKNOWN : plain(holds);
      }
      case 'list':
        return { kind: 'list', items: expression.items.map((item) => this.#value(item, endpoint)) };
      case 'snapshot':
        return this.#snapshot(expression, endpoint);
      case 'operation':
        return this.#operation(expression, endpoint);
      case 'call':
        return expression.function === 'coalesce' ? this.#first(expression.arguments, endpoint) : UNKNOWN;
      default:
        return UNKNOWN;
    }
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
        return values.some(isNull) ? plain(null) : UNKNOWN;
    }
  }

  // ── What is read ──────────────────────────────────────────────────────────────────────────────────────────────────

  #snapshot({ record, read: name }: Snapshot, endpoint: Endpoint): Value {
    if (record === '@auth') return this.#ofCaller(readIn(endpoint.authReads, name));
    const read = readIn(endpoint.records.find((each) => each.record === record)?.reads ?? [], name);
    return read === undefined ? UNKNOWN : this.#ofRecord(read);
  }

  #ofCaller(value: Expression | undefined): Value {
    if (value?.kind !== 'field' && value?.kind !== 'collect' && value?.kind !== 'aggregate') return UNKNOWN;
    const [first] = value.path;
    if (first === undefined) return value.kind === 'field' ? this.#ownField(value) : UNKNOWN;
    return this.#leadsNowhere(first) ? ofNothing(value) : UNKNOWN;
  }

  #ownField({ field }: FieldValue): Value {
    if (field === 'id') return OWN;
    const value = this.#fields.get(field);
    return value === undefined ? UNKNOWN : plain(value);
  }

  /** No record refers to the stranger, and the stranger may refer to none. */
  #leadsNowhere(step: Step): boolean {
    if (step.kind === 'relation') return true;
    return step.kind === 'reference' && this.#fields.get(step.field) === null;
  }

  #ofRecord(value: Expression): Value {
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
