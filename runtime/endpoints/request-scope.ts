import type { Clock, Hashing, Scope } from '../expressions/scope.ts';
import type { HookContext } from '../hooks/context.ts';
import type { DataConnection } from '../query/database.ts';

/** What the expressions of an endpoint see, and what the code of its hooks is given. */
export interface RequestScope extends Scope {
  readonly connection: DataConnection;
  /** Whether `authorize` has let the caller through. */
  isAuthorized: boolean;
  /** Null where the endpoint has no hooks. */
  readonly context: HookContext | null;
}

export function newScope(
  connection: DataConnection,
  context: HookContext | null,
  clock: Clock,
  hashing: Hashing | null = null,
): RequestScope {
  const scope = {
    inputs: {},
    sent: new Set<string>(),
    identifiers: {},
    records: {},
    clock,
    isAuthorized: false,
    connection,
    context,
  };
  return hashing ? { ...scope, hashing } : scope;
}
