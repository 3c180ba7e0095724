/**
 * Decides whether a rule lets in a caller who is not signed in. Unknown values may be anything, so no caller is
 * reported as refused who might not be.
 */

import type { Endpoint } from './endpoint.ts';
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
  Type,
} from './expression.ts';
import { TEXT_FUNCTIONS } from './functions.ts';
import type { ModelsByName } from './rules-written-out.ts';

type Plain = string | number | boolean | null;

export type Value =
  | { readonly kind: 'plain'; readonly value: Plain }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'unknown' };

const UNKNOWN: Value = { kind: 'unknown' };
const plain = (value: Plain): Value => ({ kind: 'plain', value });

export class KnownCaller {
  readonly #models: ModelsByName;

  constructor({ models }: { readonly models: ModelsByName }) {
    this.#models = models;
  }

  /** Whether the condition holds; undefined if that depends on something unknown. */
  holds(condition: Expression, endpoint: Endpoint): boolean | undefined {
    return truth(this.#value(condition, endpoint));
  }

  #value(expression: Expression, endpoint: Endpoint): Value {
    switch (expression.kind) {
      case 'literal':
        return plain(
          expression.type.kind === 'decimal' && expression.value ? Number(expression.value) : expression.value,
        );
      case 'authenticated':
        return plain(this.isSignedIn());
      case 'truth':
        return answer(this.holds(expression.value, endpoint));
      case 'list':
        return { kind: 'list', items: expression.items.map((item) => this.#value(item, endpoint)) };
      case 'request':
        return expression.from === 'claim' && !this.isSignedIn() ? plain(null) : UNKNOWN;
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
    const values = args.map((each) => this.#value(each, endpoint));
    const [first = UNKNOWN] = values;
    const given = values.filter((value) => !isNull(value));
    if (name === 'concat') return calculated('join', [plain(''), ...given]);
    if (name === 'greatest' || name === 'least')
      return given.length > 1 ? calculated(name, given) : (given[0] ?? first);
    if (name === 'stringify' && isNull(first)) return plain('null');
    if (name === 'length' && first.kind === 'list') return plain(first.items.length);
    return given.length < values.length ? plain(null) : calculated(name, values);
  }

  #choice([asked, then, otherwise]: readonly [Expression, Expression, Expression], endpoint: Endpoint): Value {
    const isSo = this.holds(asked, endpoint);
    if (isSo !== undefined) return this.#value(isSo ? then : otherwise, endpoint);
    const [one, other] = [this.#value(then, endpoint), this.#value(otherwise, endpoint)];
    return one.kind === 'plain' && other.kind === 'plain' && one.value === other.value ? one : UNKNOWN;
  }

  /** Whether a query on the path finds nothing: its filter asks for records of somebody else. */
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
        return answer(this.equal(left, right));
      case 'in':
        return right.kind === 'list'
          ? decided(
              right.items.map((item) => this.equal(left, item)),
              true,
            )
          : UNKNOWN;
      default:
        // Calculations with null and comparisons by size are null.
        return values.some(isNull) ? plain(null) : calculated(operator, values);
    }
  }

  // ── What is read ──────────────────────────────────────────────────────────────────────────────────────────────────

  #snapshot({ record, read: name, type }: Snapshot, endpoint: Endpoint): Value {
    if (record === '@auth') return this.ofCaller(readIn(endpoint.authReads, name), type);
    const read = readIn(endpoint.records.find((each) => each.record === record)?.reads ?? [], name);
    return read === undefined ? UNKNOWN : this.ofRecord(read, this.#value(read, endpoint));
  }

  // ── What depends on the caller ────────────────────────────────────────────────────────────────────────────────────

  protected isSignedIn(): boolean {
    return false;
  }

  protected ofCaller(_value: Expression | undefined, type: Type): Value {
    return type.many ? { kind: 'list', items: [] } : plain(null);
  }

  /** The value of a record of the path; `found` is its value as far as it is known. */
  protected ofRecord(_value: Expression, found: Value): Value {
    return found;
  }

  protected equal(left: Value, right: Value): boolean | undefined {
    return left.kind === 'plain' && right.kind === 'plain' ? left.value === right.value : undefined;
  }
}

/** The value at the end of a path without a record. */
export function ofNothing(value: FieldValue | Collect | Aggregate): Value {
  if (value.kind === 'collect') return { kind: 'list', items: [] };
  if (value.kind === 'field') return plain(null);
  if (value.function === 'exists') return plain(false);
  return plain(value.function === 'count' || value.function === 'sum' ? 0 : null);
}

function readIn(reads: readonly Read[], name: string | null): Expression | undefined {
  const read = reads.find((each) => each.name === name);
  return read?.kind === 'value' ? read.value : undefined;
}

/** What an operator or a function gives for values of one type. A fraction may be rounded in another way. */
function calculated(name: string, values: readonly Value[]): Value {
  const known = values.map((each) => (each.kind === 'plain' ? each.value : undefined));
  const [table] = Object.entries(CALCULATIONS).filter(([type]) => known.every((value) => typeof value === type));
  const result = table?.[1][name]?.(...(known as never[]));
  if (typeof result === 'number') return Number.isSafeInteger(result) ? plain(result) : UNKNOWN;
  return result === undefined ? UNKNOWN : plain(result);
}

type Calculations = Readonly<Record<string, (...values: never[]) => Plain>>;

const CALCULATIONS: Readonly<Record<'number' | 'string' | 'boolean', Calculations>> = {
  number: {
    '<': (left: number, right: number) => left < right,
    '<=': (left: number, right: number) => left <= right,
    '>': (left: number, right: number) => left > right,
    '>=': (left: number, right: number) => left >= right,
    '+': (left: number, right: number) => left + right,
    '-': (left: number, right: number) => left - right,
    '*': (left: number, right: number) => left * right,
    greatest: Math.max,
    least: Math.min,
  },
  string: {
    ...TEXT_FUNCTIONS,
    length: (text: string) => Array.from(text).length,
    join: (...texts: readonly string[]) => texts.join(''),
    stringify: String,
  },
  boolean: { stringify: String },
};

export function isNull(value: Value): boolean {
  return value.kind === 'plain' && value.value === null;
}

function truth(value: Value): boolean | undefined {
  return value.kind === 'plain' ? value.value === true : undefined;
}

function answer(holds: boolean | undefined): Value {
  return holds === undefined ? UNKNOWN : plain(holds);
}

/** `winner` if any part is; the opposite if all of them are. */
function decided(parts: readonly (boolean | undefined)[], winner: boolean): Value {
  if (parts.includes(winner)) return plain(winner);
  return parts.includes(undefined) ? UNKNOWN : plain(!winner);
}
