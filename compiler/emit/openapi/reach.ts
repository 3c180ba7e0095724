/** What an endpoint does somewhere, however deep: in an expression, a computed member, a query, a validator. */
import type { Definition } from '../../definition/definition.ts';
import type { Endpoint } from '../../definition/endpoint.ts';
import type { Call, Expression, Type } from '../../definition/expression.ts';
import { modelIn } from '../../definition/lookup.ts';
import { memoized } from '../../definition/memo.ts';
import { isSearch } from '../../definition/text-search.ts';
import { UNITS } from '../../definition/units.ts';

type Node = Readonly<Record<string, unknown>>;

/** Whether custom code runs. It may refuse with a status of its own. */
export function runsCode(endpoint: Endpoint, definition: Definition): boolean {
  return traitsIn(definition)(endpoint).runsCode;
}

/** Whether something is calculated, the result of which may be out of range. */
export function calculates(part: Endpoint | Expression, definition: Definition): boolean {
  return traitsIn(definition)(part).calculates;
}

interface Traits {
  runsCode: boolean;
  calculates: boolean;
}

/**
 * An endpoint is large, and each of its traits is asked for more than once. Two definitions may share an endpoint that
 * names what is not the same in both.
 */
const traitsIn = memoized((definition: Definition) =>
  memoized((part: Endpoint | Expression) => new Reach(definition).traitsOf(part)),
);

const OPERATORS: readonly unknown[] = ['+', '-', '*', '/', '%', 'negate'];
const FUNCTIONS: readonly unknown[] = ['sum', 'avg', 'round', ...UNITS];

function isCalculation(node: Node): boolean {
  const { kind, operator, function: name, type } = node;
  if (kind === 'call' && isSearch(node as unknown as Call)) return true;
  // `+` also joins texts, which are never too long.
  if (kind === 'operation') return OPERATORS.includes(operator) && (type as Type).kind !== 'string';
  if (kind === 'convert') return (type as Type).kind === 'float';
  return (kind === 'call' || kind === 'aggregate') && FUNCTIONS.includes(name);
}

/** Goes through data, and on to the members and validators that it names, each once. */
class Reach {
  readonly #definition: Definition;
  readonly #seen = new Set<unknown>();
  readonly #traits: Traits = { runsCode: false, calculates: false };

  constructor(definition: Definition) {
    this.#definition = definition;
  }

  traitsOf(part: Endpoint | Expression): Readonly<Traits> {
    this.#visit(part);
    return this.#traits;
  }

  /** Data is a tree; only what it names can come up twice. */
  #visit(value: unknown): void {
    if (typeof value !== 'object' || value === null || this.#isSettled()) return;
    if (Array.isArray(value)) {
      for (const item of value) this.#visit(item);
      return;
    }
    const node = value as Node;
    if (node.kind === 'hook' || node.kind === 'execute') this.#traits.runsCode = true;
    else if (isCalculation(node)) this.#traits.calculates = true;
    this.#visitOnce(this.#named(node));
    for (const key in node) this.#visit(node[key]);
  }

  #visitOnce(value: unknown): void {
    if (value === undefined || this.#seen.has(value)) return;
    this.#seen.add(value);
    this.#visit(value);
  }

  #isSettled(): boolean {
    return this.#traits.runsCode && this.#traits.calculates;
  }

  #named({ kind, model, computed, of, name, own }: Node): unknown {
    if (typeof own === 'string') return this.#definition.validators.find((validator) => validator.name === own);
    if (kind === 'computed')
      return modelIn(this.#definition, String(model))?.computed.find((member) => member.name === computed);
    return kind === 'query' && of !== undefined
      ? modelIn(this.#definition, String(of))?.queries.find((member) => member.name === name)
      : undefined;
  }
}
