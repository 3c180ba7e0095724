/** Which refusals an endpoint can answer with, after what its requests are checked for and what its actions do. */
import type { Definition } from '../../definition/definition.ts';
import type { Endpoint, Input } from '../../definition/endpoint.ts';
import type { Expression } from '../../definition/expression.ts';
import { serializableEndpoints } from '../../definition/serializable.ts';
import { mayConflict } from './conflicts.ts';
import type { Refusal } from './problems.ts';
import { calculates, runsCode } from './reach.ts';

/** In the order of their statuses. That a path does not answer a method is told by the path, not by an operation. */
export function refusalsOf(endpoint: Endpoint, definition: Definition): readonly Refusal[] {
  const { request, authorize, path } = endpoint;
  const hasBody = request.from === 'body' && request.inputs.length > 0;
  const hasCode = runsCode(endpoint, definition);
  const isRead = hasBody || request.from === 'query' || path.some(({ kind }) => kind === 'parameter');
  const conditions = authorize.filter((condition) => !holdsAlways(condition));
  const isGuarded = conditions.length > 0;
  const found: readonly (readonly [Refusal, boolean])[] = [
    ['MalformedRequest', isRead],
    ['Unauthenticated', isGuarded || definition.auth !== null],
    ['Forbidden', definition.auth !== null && conditions.some(isMoreThanPresence)],
    ['NotFound', mayMiss(endpoint)],
    ['Conflict', mayConflict(endpoint, definition) || (hasCode && isSerializable(endpoint, definition))],
    ['TooLarge', hasBody],
    ['UnsupportedMediaType', hasBody],
    [hasCode ? 'ValidationFailedOrRefused' : 'ValidationFailed', hasCode || mayBeInvalid(endpoint, definition)],
    ['Refused', hasCode],
    ['Internal', true],
    ['Unavailable', true],
    ['Failed', hasCode],
  ];
  return found.flatMap(([refusal, isPossible]) => (isPossible ? [refusal] : []));
}

/** A request with hooks is not retried, so it may get a 409 for a conflict with another request. */
function isSerializable({ id }: Endpoint, definition: Definition): boolean {
  return serializableEndpoints(definition).has(id);
}

/** `authorize { true }`: anybody may call. */
function holdsAlways(condition: Expression): boolean {
  if (condition.kind === 'literal') return condition.value === true;
  if (condition.kind === 'truth') return holdsAlways(condition.value);
  if (condition.kind !== 'operation') return false;
  if (condition.operator === 'and') return condition.operands.every(holdsAlways);
  return condition.operator === 'or' && condition.operands.some(holdsAlways);
}

/** Whoever is authenticated at all passes a condition that asks for nothing else. */
function isMoreThanPresence({ kind }: Expression): boolean {
  return kind !== 'authenticated';
}

/** A record of the path, one that an action needs, or one that was deleted in the middle of the request. */
function mayMiss({ records, actions }: Endpoint): boolean {
  return (
    records.length > 0 ||
    actions.some((action) => {
      if (action.kind === 'query') return action.query.cardinality === 'one';
      return action.kind === 'update' || (action.kind === 'delete' && action.target.kind === 'id');
    })
  );
}

function mayBeInvalid(endpoint: Endpoint, definition: Definition): boolean {
  const { request, actions, response } = endpoint;
  // What is only shown of a record is null where it is out of range.
  const evaluated = 'select' in response ? { ...endpoint, response: { ...response, select: [] } } : endpoint;
  const isChecked = request.from === 'body' ? request.inputs.length > 0 : request.inputs.some(hasRules);
  return (
    isChecked ||
    actions.some(({ kind }) => kind === 'validate') ||
    (calculates(endpoint, definition) && calculates(evaluated, definition))
  );
}

/** A parameter of a query that cannot be read at all is malformed; only one that breaks a rule is invalid. */
function hasRules(input: Input): boolean {
  return input.kind === 'group' || input.validate !== null || input.finds !== null;
}
