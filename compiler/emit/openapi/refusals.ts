/** Finds the refusals that an endpoint can respond with, from the checks of its requests and from its actions. */

import type { Definition } from '../../definition/definition.ts';
import type { Action, Create, Endpoint, Input, Refuse } from '../../definition/endpoint.ts';
import type { Expression } from '../../definition/expression.ts';
import { fileInputs } from '../../definition/files.ts';
import { isBounded } from '../../definition/functions.ts';
import { hasNode, isCode, modelIn, type Node, referencesTo } from '../../definition/lookup.ts';
import { memoized } from '../../definition/memo.ts';
import { reachedFrom } from '../../definition/request-values.ts';
import { isConditional } from '../../definition/versions.ts';
import { fieldIn } from './names.ts';
import { type Refusal, withCodes } from './problems.ts';

/**
 * The refusals in the order of their statuses. A method that a path does not have is described by the path, not by an
 * operation.
 */
export function refusalsOf(endpoint: Endpoint, definition: Definition): readonly Refusal[] {
  const { request, authorize, path, signed } = endpoint;
  const hasBody = signed !== undefined || (request.from === 'body' && request.inputs.length > 0);
  const hasCode = runsCode(endpoint, definition);
  const isRead = hasBody || request.from === 'query' || path.some(({ kind }) => kind === 'parameter');
  const conditions = authorize.filter((condition) => !holdsAlways(condition));
  const isGuarded = conditions.length > 0;
  const found: readonly (readonly [Refusal, boolean])[] = [
    ['MalformedRequest', isRead],
    ['Unauthenticated', isGuarded || definition.auth !== null || signed !== undefined],
    // Every signed-in caller passes a condition that requires nothing else, and a service is not signed in.
    ['Forbidden', definition.auth !== null && !signed && conditions.some(({ kind }) => kind !== 'authenticated')],
    ['NotFound', mayMiss(endpoint)],
    ['Conflict', endpoint.actions.some((action) => conflicts(action, definition))],
    ['ChangedMeanwhile', isConditional(endpoint)],
    ['TooLarge', hasBody],
    ['UnsupportedMediaType', hasBody],
    [hasCode ? 'ValidationFailedOrRefused' : 'ValidationFailed', hasCode || mayBeInvalid(endpoint, definition)],
    ['TooManyRequests', isCounted(endpoint, definition)],
    ['Refused', hasCode],
    ['Internal', true],
    ['Unavailable', true],
    ['TookTooLong', hasCode],
    ['Failed', hasCode],
  ];
  const possible = found.flatMap(([refusal, isPossible]) => (isPossible ? [refusal] : []));
  return withCodes(possible, refusesIn(endpoint));
}

/** Registrations that send mail, uploads, and writes that take files have a limit. */
function isCounted(endpoint: Endpoint, definition: Definition): boolean {
  if (endpoint.response.kind === 'upload' || fileInputs(endpoint, definition).length > 0) return true;
  return endpoint.id === 'auth.register' && definition.auth?.password?.verify !== undefined;
}

export function refusesIn({ actions }: Endpoint): readonly Refuse[] {
  return actions.flatMap((action) => (action.kind === 'refuse' ? [action] : []));
}

/** `authorize { true }`: anybody may call. */
function holdsAlways(condition: Expression): boolean {
  if (condition.kind === 'literal') return condition.value === true;
  if (condition.kind === 'truth') return holdsAlways(condition.value);
  if (condition.kind !== 'operation') return false;
  if (condition.operator === 'and') return condition.operands.every(holdsAlways);
  return condition.operator === 'or' && condition.operands.some(holdsAlways);
}

/** A record of the path, one that an action needs, or one that was deleted in the middle of the request, as during a call. */
function mayMiss({ records, actions }: Endpoint): boolean {
  return (
    records.length > 0 ||
    actions.some((action) => {
      if (action.kind === 'query') return action.query.cardinality === 'one';
      if (action.kind === 'service-call') return true;
      return action.kind === 'update' || (action.kind === 'delete' && action.target.kind === 'id');
    })
  );
}

function mayBeInvalid(endpoint: Endpoint, definition: Definition): boolean {
  const { request, actions, response } = endpoint;
  // A value that is only shown is null if it is out of range.
  const evaluated = 'select' in response ? { ...endpoint, response: { ...response, select: [] } } : endpoint;
  const isChecked = request.from === 'body' ? request.inputs.length > 0 : request.inputs.some(hasRules);
  return (
    isChecked ||
    request.inPath?.some(hasRules) ||
    actions.some(({ kind }) => kind === 'validate') ||
    (calculates(endpoint, definition) && calculates(evaluated, definition))
  );
}

/** A parameter of a query that cannot be read at all is malformed; only one that breaks a rule is invalid. */
function hasRules(input: Input): boolean {
  return input.kind !== 'value' || input.validate !== null || input.finds !== null;
}

// Requests that may conflict with existing data: a unique value that is taken, a record that is still referred to.

function conflicts(action: Action, definition: Definition): boolean {
  switch (action.kind) {
    case 'create':
      return isCreateTied(action, definition);
    case 'update':
      return isChangeTied(action.model, action.values, definition);
    case 'delete':
      return isHeld(action.model, definition);
    case 'query':
      if (action.does.kind === 'update') return isChangeTied(action.query.model, action.does.values, definition);
      return action.does.kind === 'delete' && isHeld(action.query.model, definition);
    default:
      return false;
  }
}

/** What a create leaves null is in nobody's way. */
function isCreateTied({ model, values, link }: Create, definition: Definition): boolean {
  if (link) return true;
  const written = new Set(values.map(({ field }) => field));
  const isFilled = (field: string) => Boolean(fieldIn(definition, model, field)?.default);
  return isTied(model, (field) => written.has(field) || isFilled(field), definition);
}

function isChangeTied(model: string, values: readonly { readonly field: string }[], definition: Definition): boolean {
  const changed = new Set(values.map(({ field }) => field));
  return isTied(model, (field) => changed.has(field), definition);
}

/** Whether one of the fields must be unique, or names another record. */
function isTied(name: string, isWritten: (field: string) => boolean, definition: Definition): boolean {
  const { fields = [], uniques = [], references = [] } = modelIn(definition, name) ?? {};
  return (
    fields.some(({ name, unique }) => unique && name !== 'id' && isWritten(name)) ||
    uniques.some((key) => key.some(isWritten)) ||
    references.some(({ field }) => isWritten(field))
  );
}

function isHeld(name: string, definition: Definition): boolean {
  return holdersOf(name, definition).length > 0;
}

interface Holder {
  readonly model: string;
  readonly field: string;
}

/** The references that may keep a record of the model, or one that goes with it, from being deleted. */
export function holdersOf(name: string, definition: Definition, seen: Set<string> = new Set()): readonly Holder[] {
  if (seen.has(name)) return [];
  seen.add(name);
  return referencesTo(definition, name).flatMap(({ from, field, onDelete }) => {
    if (onDelete === 'set null') return [];
    return onDelete === 'restrict' ? [{ model: from, field }] : holdersOf(from, definition, seen);
  });
}

// The traits of an endpoint at any depth: in an expression, a computed member, a query, a validator.

/** Whether custom code runs. It may refuse with a status of its own. */
export function runsCode(endpoint: Endpoint, definition: Definition): boolean {
  return traitsIn(definition)(endpoint).runsCode;
}

/** Whether it calculates something whose result may be out of range. */
export function calculates(part: Endpoint | Expression, definition: Definition): boolean {
  return traitsIn(definition)(part).calculates;
}

/**
 * Memoized, because an endpoint is large and each of its traits is needed more than once. Two definitions may share an
 * endpoint that names members which differ.
 */
const traitsIn = memoized((definition: Definition) =>
  memoized((part: Endpoint | Expression) => {
    const reached = reachedFrom(part, 'model' in part ? part.model : '', definition);
    return {
      runsCode: hasNode(reached, isCode),
      calculates: hasNode(reached, (node) => isExpression(node) && isBounded(node)),
    };
  }),
);

/** Has a kind and a type: an expression, or an input, whose kinds are none of expressions. */
function isExpression(node: Node): node is Node & Expression {
  return typeof node.kind === 'string' && typeof node.type === 'object';
}
