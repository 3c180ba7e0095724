/**
 * Writes rules out as if nothing in them had a name: `note.editable` becomes the expression of `computed editable` for
 * that note. Checks of access use this form, so that no name hides anything. It is never run.
 */

import { actionWith, conjuncts, directFields, queryWith, withParts, withRoots } from '../program/parts.ts';
import type { Action, Endpoint, Expression, HookArgument, Model, Path, Query, Root } from '../program/program.ts';
import { record, typeOfMember } from '../program/type.ts';
import { withJobsWrittenOut } from './jobs-written-out.ts';
import { rootKey } from './narrowing.ts';
import { pathKey } from './shown-values.ts';

/** A rule with more parts is not written out any further: the members that make it so large are an error. */
const MOST_MEMBERS = 1000;

/** The endpoint with its rules written out, and the jobs that it runs. */
export function withRulesWrittenOut(endpoint: Endpoint): Endpoint {
  const { authorize, list, actions } = endpoint;
  return {
    ...endpoint,
    authorize: authorize.map(writtenOut),
    list: list && { ...list, filter: list.filter && writtenOut(list.filter) },
    actions: withJobsWrittenOut(actions).map((action) => actionWith(action, writtenOut)),
  };
}

export function writtenOut(rule: Expression): Expression {
  let left = MOST_MEMBERS;
  const inner = (part: Expression): Expression => {
    if (part.kind !== 'path') return withParts(part, inner);
    const found = left > 0 ? memberOf(part) : undefined;
    if (!found) return part;
    left--;
    return inner(found);
  };
  return inner(rule);
}

/**
 * The expression of the computed member at the end of a path; undefined if there is none, or one for each of many
 * records.
 */
function memberOf({ root, steps, span }: Path): Expression | undefined {
  const last = steps.at(-1);
  const before = steps.slice(0, -1);
  // A missing value has been reported.
  if (last?.kind !== 'computed' || !last.value || before.some((step) => typeOfMember(step).many)) return undefined;
  // Conditions stand where the member is used, paths where they are read.
  return withRoots(last.value, ({ kind }) => (kind === 'row' ? { root, steps: before } : undefined), span);
}

// ── Other names of the caller ───────────────────────────────────────────────────────────────────────────────────────

// Finds other names of the caller. After `user is @auth`, `user.role` is the role of the caller, and so is `u.role` of
// a query with the filter `u.id is @auth.id`. Such paths become paths from `@auth`, so that rules that read the caller
// by another name are seen like all others. Only checks of access use the result; it is never run.

/** The names that are known to be the caller, as keys of paths, and the model behind `@auth`. */
interface Known {
  readonly model: Model;
  readonly names: ReadonlySet<string>;
}

/** The endpoint with every rule that reads the caller by another name reading `@auth`. */
export function withCallerNamed(endpoint: Endpoint, model: Model): Endpoint {
  const { authorize, list, actions } = endpoint;
  const known = learn(authorize, { model, names: new Set() });
  return {
    ...endpoint,
    authorize: authorize.map((guard) => asCaller(guard, known)),
    list: list && { ...list, filter: list.filter && filterAsCaller(list.filter, known) },
    actions: actionsAsCaller(actions, known),
  };
}

/** Rewrites the actions in order. Once a query is known to find the caller, the actions after it may read that. */
function actionsAsCaller(actions: readonly Action[], start: Known): readonly Action[] {
  let known = start;
  return actions.map((action) => {
    const before = known;
    known = afterAction(action, known);
    return actionWith(
      action,
      (part) => asCaller(part, before),
      (filter) => filterAsCaller(filter, before),
    );
  });
}

function afterAction(action: Action, known: Known): Known {
  if (action.kind !== 'query' || !action.variable || action.variable.type.many) return known;
  const isCaller = action.does.kind === 'select' && rowIsCaller(action.query, known);
  return isCaller ? withNames(known, [action.variable.name]) : known;
}

/** Whether the filter of a query leaves nobody but the caller. */
function rowIsCaller({ filter, model }: Query, known: Known): boolean {
  if (!filter || model !== known.model) return false;
  const { names } = learn([filter], known);
  return conjuncts(filter).some((part) => pathsOf(part).some(({ root }) => isRow(root) && names.has(rootKey(root))));
}

function isRow(root: Root): boolean {
  return root.kind === 'row' || (root.kind === 'variable' && root.variable.holds === 'row');
}

// ── What conditions tell ────────────────────────────────────────────────────────────────────────────────────────────

/** Adds the names that are known to be the caller if all these conditions hold. */
function learn(conditions: readonly Expression[], known: Known): Known {
  return conditions.flatMap(conjuncts).reduce((so, part) => withNames(so, namesIn(part, so)), known);
}

function withNames(known: Known, names: readonly string[]): Known {
  return names.length === 0 ? known : { ...known, names: new Set([...known.names, ...names]) };
}

/** `z is @auth`, `z.id is @auth.id` and `post.author_id is @auth.id` name the caller. */
function namesIn(condition: Expression, known: Known): readonly string[] {
  if (condition.kind !== 'operation' || condition.operator !== 'is') return [];
  const [left, right] = pathsOf(condition).map(recordKey);
  if (left === undefined || right === undefined) return [];
  if (isCaller(left, known)) return [right];
  return isCaller(right, known) ? [left] : [];
}

/** The operands that are paths. */
function pathsOf(condition: Expression): readonly Path[] {
  if (condition.kind !== 'operation') return condition.kind === 'path' ? [condition] : [];
  return condition.operands.flatMap((operand) => (operand.kind === 'path' ? [operand] : []));
}

function isCaller(key: string, { names }: Known): boolean {
  return key === '@auth' || names.has(key);
}

/** The key of the one record that a path leads to, or whose id it is. */
function recordKey({ root, steps, type }: Path): string | undefined {
  const last = steps.at(-1);
  if (type.many) return undefined;
  if (type.base.kind === 'record') return pathKey({ root, steps });
  if (last?.kind !== 'field' || last.origin === 'written') return undefined;
  const before = steps.slice(0, -1);
  return pathKey({ root, steps: last.reference ? [...before, last.reference] : before });
}

// ── Paths from the caller ───────────────────────────────────────────────────────────────────────────────────────────

function asCaller(expression: Expression, known: Known): Expression {
  switch (expression.kind) {
    case 'path':
      return pathAsCaller(expression, known);
    case 'operation':
      return operationAsCaller(expression, known);
    case 'hook': {
      const { call } = expression;
      const given = call.arguments.map((argument) => argumentAsCaller(argument, known));
      return { ...expression, call: { ...call, arguments: given } };
    }
    default:
      return withParts(expression, (part) => asCaller(part, known));
  }
}

function operationAsCaller(operation: Extract<Expression, { kind: 'operation' }>, known: Known): Expression {
  // A condition that says who the caller is stays unchanged: it demands nothing else.
  if (namesIn(operation, known).length > 0) return operation;
  const inner = operation.operator === 'and' ? learn([operation], known) : known;
  return { ...operation, operands: operation.operands.map((operand) => asCaller(operand, inner)) };
}

function pathAsCaller(path: Path, { model, names }: Known): Path {
  for (let length = path.steps.length; length >= 0; length--) {
    if (!names.has(pathKey({ ...path, steps: path.steps.slice(0, length) }))) continue;
    return { ...path, root: { kind: 'auth', model, known: true }, steps: path.steps.slice(length) };
  }
  return path;
}

function filterAsCaller(filter: Expression, known: Known): Expression {
  return asCaller(filter, learn([filter], known));
}

function queryAsCaller(query: Query, known: Known): Query {
  return queryWith(query, (filter) => filterAsCaller(filter, known));
}

function argumentAsCaller(argument: HookArgument, known: Known): HookArgument {
  if ('value' in argument) return { ...argument, value: asCaller(argument.value, known) };
  const { name, doc, query, select } = argument;
  const inner = query.filter ? learn([query.filter], known) : known;
  if (!query.filter || !rowIsCaller(query, known)) return { ...argument, query: queryAsCaller(query, known) };
  // An argument without a `select` is the whole record, as if it were `@auth`.
  if (select === directFields(query.model)) return { name, doc, value: wholeCaller(query.filter, known.model) };
  // Selections read the row without its alias.
  const ofRow = withNames(inner, ['']);
  return {
    ...argument,
    query: queryAsCaller(query, known),
    select: select.map((item) => (item.kind === 'value' ? { ...item, value: asCaller(item.value, ofRow) } : item)),
  };
}

function wholeCaller({ span }: Expression, model: Model): Path {
  return { kind: 'path', root: { kind: 'auth', model, known: true }, steps: [], type: record(model), span };
}
