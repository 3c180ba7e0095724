import type { Model } from '../../compiler/definition/definition.ts';
import type { ValidationEnvironment } from '../expressions/compiled-validation.ts';
import type { HeldResponse } from '../hooks/held-response.ts';
import type { EndpointPlan } from '../plan/endpoint-plan.ts';
import type { Json } from '../query/rows-json.ts';
import type { Statements } from '../query/statements.ts';
import type { Answer } from '../request/exchange.ts';
import type { RequestScope } from './request-scope.ts';

/** What actions leave for the answer. */
export interface Outcome {
  /** By `respond`; the last one counts. */
  answer: Answer | null;
  /** What the endpoint's response selects, where a write has given it back already. */
  selected: Json | null;
  /** Whether the record that the endpoint makes was there before. */
  wasThere: boolean;
  /** What a hook has written by itself. */
  held: HeldResponse | null;
}

export type RunAction = (scope: RequestScope, outcome: Outcome) => Promise<void>;

/** What actions are compiled with. */
export interface ActionTools {
  readonly plan: EndpointPlan;
  readonly statements: Statements;
  readonly environment: ValidationEnvironment;
  readonly model: (name: string) => Model;
  /** How many records a list has at most that says nothing else. */
  readonly listLimit: number;
}
