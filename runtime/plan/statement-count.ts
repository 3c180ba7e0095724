/**
 * How many statements a request of an endpoint sends that succeeds: with every input, and with records wherever there may be
 * some. The one that finds out who calls is not counted; it is the same for all endpoints. Pages and answers never cost a
 * statement for each record, so the number does not depend on how many records there are. The exception is a list of
 * more than 1,000 records: it takes one statement more at the beginning, and each part of it is read with statements of its own.
 */
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { Action, QueryAction, Response } from '../../compiler/definition/endpoint.ts';
import type { HookArgument, Read, Selected } from '../../compiler/definition/expression.ts';
import { type Node, nodesIn } from '../../compiler/definition/lookup.ts';
import { type EndpointPlan, isNear } from './endpoint-plan.ts';

type Selection = readonly (Selected | Read)[];

/** Counts the statements of the plans of one definition. */
export function statementCountIn({ models }: Definition): (plan: EndpointPlan) => number {
  const count = new Counting(new Map(models.map((model) => [model.name, model])));
  return (plan) => count.request(plan);
}

class Counting {
  readonly #models: ReadonlyMap<string, Model>;

  constructor(models: ReadonlyMap<string, Model>) {
    this.#models = models;
  }

  request(plan: EndpointPlan): number {
    const { endpoint, checks, checksFirst, lockedFirst, lockedFurther, locksCaller, rereadsCaller } = plan;
    const versions = endpoint.versioned && endpoint.response.kind === 'record' ? 1 : 0;
    const remembered = endpoint.signed ? 1 : 0;
    const caller = locksCaller || rereadsCaller ? 1 : 0;
    const found = this.#lookup(plan);
    const locked = sum([lockedFirst, lockedFurther].map(({ length }) => (length === 0 ? 0 : length + found)));
    const checked = checksFirst && checks.length > 0 ? 1 : 0;
    const hooks = this.#hookQueries([endpoint.authorize, endpoint.request, endpoint.actions, endpoint.head]);
    const done = endpoint.actions.filter((action) => !('onFailure' in action));
    const actions = sum(done.map((action) => this.#action(action, plan)));
    const again = sum(plan.parts.slice(1).flatMap((part) => part.again.map((record) => this.#reading(record))));
    const before = remembered + versions + caller + found + locked + checked;
    return before + hooks + actions + again + this.#response(endpoint.response, plan);
  }

  #lookup({ endpoint: { records }, isFused }: EndpointPlan): number {
    if (records.length === 0 || isFused) return 0;
    return 1 + sum(records.map(({ reads, model }) => this.#collections(reads, model)));
  }

  #action(action: Action, plan: EndpointPlan): number {
    switch (action.kind) {
      case 'create':
        return 1 + (action.link ? 1 : 0) + (isNear(action.reads, action.model) ? 0 : this.#reading(action));
      case 'update': {
        const isRead = action.values.length === 0 || !isNear(action.reads, action.model);
        return (action.values.length > 0 ? 1 : 0) + (isRead ? this.#reading(action) : 0);
      }
      case 'delete':
        return action.target.kind === 'id' && action.link ? 2 : 1;
      case 'query':
        return this.#query(action, plan);
      case 'run':
        return action === plan.storedByCreate ? 0 : 1;
      default:
        return 0;
    }
  }

  #reading({ reads, model }: { readonly reads: Selection; readonly model: string }): number {
    return 1 + this.#collections(reads, model);
  }

  /** A record that is changed later is locked, and read again then. */
  #query({ query, record, does }: QueryAction, { changed }: EndpointPlan): number {
    const { model } = query;
    if (does.kind === 'find') return isOfIds(does.reads) ? 0 : this.#reading({ reads: does.reads, model });
    if (does.kind !== 'select') return 1;
    const results = 1 + this.#collections(does.select, model);
    if (does.reads.length === 0) return results;
    const reads = this.#reading({ reads: does.reads, model });
    const isLocked = query.cardinality !== 'many' && record !== null && changed.has(record);
    return results + reads + (isLocked ? reads + 1 : 0);
  }

  #response(response: Response, { endpoint, answersFromPath, answersFromWrite }: EndpointPlan): number {
    if (response.kind === 'list') return 1 + this.#collections(response.select, response.query.model);
    if (response.kind !== 'record' || answersFromWrite !== null) return 0;
    return (answersFromPath ? 0 : 1) + this.#collections(response.select, endpoint.model);
  }

  /** A collection is one statement for all records around it. */
  #collections(items: Selection, model: string): number {
    return sum(
      items.map((item) => {
        if (item.kind === 'records') return (item.many ? 1 : 0) + this.#collections(item.select, item.model);
        return item.kind === 'hook' ? this.#modelHook(item.hook, model) : 0;
      }),
    );
  }

  #modelHook(name: string, model: string): number {
    const found = this.#models.get(model)?.hooks.find((hook) => hook.name === name);
    const queries = (found?.hook.arguments ?? []).filter((argument) => argument.kind === 'query');
    // A count is read beside the record.
    return sum(queries.map((one) => (one.query.cardinality === 'count' ? 0 : this.#hookQuery(one))));
  }

  #hookQuery({ query, select }: QueryArgument): number {
    return 1 + this.#collections(select, query.model);
  }

  /** Counts the queries of hooks in the endpoint itself. */
  #hookQueries(node: unknown): number {
    const isQuery = ({ kind, query, select }: Node) => kind === 'query' && Boolean(query && select);
    return sum(nodesIn<QueryArgument>(node, isQuery).map((query) => this.#hookQuery(query)));
  }
}

function isOfIds(reads: readonly Read[]): boolean {
  return reads.every(({ name }) => name === 'id');
}

type QueryArgument = Extract<HookArgument, { readonly kind: 'query' }>;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
