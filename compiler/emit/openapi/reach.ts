/** What an endpoint does somewhere, however deep: in an expression, a computed member, a query, a validator. */
import type { Definition, Endpoint, Type } from '../../definition/definition.ts';
import { modelIn } from './lookup.ts';

type Node = Readonly<Record<string, unknown>>;

/** Whether custom code runs. It may refuse with a status of its own. */
export function runsCode(endpoint: Endpoint, definition: Definition): boolean {
  return new Reach(definition).has(endpoint, ({ kind }) => kind === 'hook' || kind === 'execute');
}

/** Whether something is calculated, the result of which may be out of range. */
export function calculates(endpoint: Endpoint, definition: Definition): boolean {
  return new Reach(definition).has(endpoint, isCalculation);
}

const OPERATORS: readonly unknown[] = ['+', '-', '*', '/', '%', 'negate'];
const FUNCTIONS: readonly unknown[] = ['sum', 'avg', 'round'];

function isCalculation({ kind, operator, function: name, type }: Node): boolean {
  if (kind === 'operation') return OPERATORS.includes(operator);
  if (kind === 'convert') return (type as Type).kind === 'float';
  return (kind === 'call' || kind === 'aggregate') && FUNCTIONS.includes(name);
}

/** Goes through data, and on to the members and validators that it names, each once. */
class Reach {
  readonly #definition: Definition;
  readonly #seen = new Set<unknown>();

  constructor(definition: Definition) {
    this.#definition = definition;
  }

  has(value: unknown, isHit: (node: Node) => boolean): boolean {
    if (typeof value !== 'object' || value === null || this.#seen.has(value)) return false;
    this.#seen.add(value);
    if (Array.isArray(value)) return value.some((item) => this.has(item, isHit));
    const node = value as Node;
    return (
      isHit(node) || this.has(this.#named(node), isHit) || Object.values(node).some((each) => this.has(each, isHit))
    );
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
