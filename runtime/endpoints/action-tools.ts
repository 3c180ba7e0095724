import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import type { ValidationEnvironment } from '../expressions/compiled.ts';
import type { Clock, Hashing, RequestValues, Scope } from '../expressions/scope.ts';
import type { FileStore } from '../files/store.ts';
import type { HookContext } from '../hooks/context.ts';
import type { EndpointPlan } from '../plan/endpoint-plan.ts';
import type { DataConnection } from '../query/database.ts';
import type { Found } from '../query/lookup.ts';
import type { Statements } from '../query/statements.ts';
import type { Answer, Exchange } from '../request/exchange.ts';
import type { HeldResponse } from '../request/held-response.ts';
import type { Sent } from '../request/inputs.ts';

/** The results of actions for the answer. */
export interface Outcome {
  /** The answer of `respond`; the last one counts. */
  answer: Answer | null;
  /** The selection of the endpoint's response, where a write has returned it already. */
  selected: Buffer | null;
  /** Whether the record that the endpoint makes was there before. */
  wasThere: boolean;
  /** The call that ends this part of the actions, with its arguments. */
  call: PreparedCall | null;
  /** The response, which no hook sends before the commit. Absent where there are no hooks, or no client. */
  readonly held?: HeldResponse | undefined;
}

/** A request on its way through its endpoint. */
export interface Handled {
  readonly exchange: Exchange;
  readonly scope: RequestScope;
  readonly outcome: Outcome;
}

/** A request whose actions are done. */
export interface DoneRequest extends Handled {
  readonly found: Found | null;
  readonly sent: Sent;
}

export type WriteAnswer = (request: DoneRequest) => Promise<Answer | null>;

/** Calls the code outside of a transaction. */
export type PreparedCall = (context: HookContext) => Promise<unknown>;

export type RunAction = (scope: RequestScope, outcome: Outcome) => Promise<void>;

/** The tools for compiling actions. */
export interface ActionTools {
  readonly definition: Definition;
  readonly plan: EndpointPlan;
  readonly statements: Statements;
  readonly environment: ValidationEnvironment;
  readonly model: (name: string) => Model;
  /** How many records a list has at most that says nothing else. */
  readonly listLimit: number;
  readonly files: FileTools;
}

/** What requests with files need. */
export interface FileTools {
  readonly store: () => Promise<FileStore>;
  /** For what stays when the transaction is rolled back. */
  readonly connection: () => DataConnection;
  readonly trustedProxies: number;
}

/** The message for a missing record of the path. */
export function missingRecord({ records }: Endpoint): string {
  const models = records.map(({ model }) => model);
  return models.length === 1 ? `There is no such ${models[0]}.` : `There is no such ${models.at(-1)} at this path.`;
}

/** A hook that responds has written a status of 400 or more: what it wrote is sent, and everything is rolled back. */
export class WrittenError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`a hook has responded with the status ${status}`);
    this.name = 'WrittenError';
    this.status = status;
  }
}

/** The values that the expressions of an endpoint see, and the context for the code of its hooks. */
export interface RequestScope extends Scope {
  connection: DataConnection;
  /** Where the answer is read, if that is elsewhere. */
  answersFrom?: DataConnection;
  /** Whether `authorize` has let the caller through. */
  isAuthorized: boolean;
  /** Null where the endpoint has no hooks. */
  readonly context: HookContext | null;
  /** The place of the item in the list of a `for`, from 0. */
  readonly item: number | null;
}

export function newScope(
  connection: DataConnection,
  context: HookContext | null,
  clock: Clock,
  request: RequestValues,
  hashing: Hashing | null = null,
): RequestScope {
  const scope = {
    inputs: {},
    sent: new Set<string>(),
    identifiers: {},
    records: {},
    clock,
    request,
    isAuthorized: false,
    connection,
    context,
    item: null,
  };
  return hashing ? { hashing, ...scope } : scope;
}
