/**
 * Rules as if nothing in them had a name: `note.editable` becomes what `computed editable` says of that note. Whoever
 * decides what a rule allows asks here first, so that no name hides anything. Only checks of access look at the result;
 * it is never run.
 */
import type { Action, Computed, Endpoint, Expression, Path, Step } from '../program/program.ts';
import { BOOLEAN, NULL } from '../program/type.ts';
import { queryWith, validationWith, withParts } from '../program/with-parts.ts';
import type { Span } from '../source/source-file.ts';

/** A rule with more parts is not written out any further: the members that make it so large are an error. */
const MOST_MEMBERS = 1000;

export function withRulesWrittenOut(endpoint: Endpoint): Endpoint {
  const { authorize, list, actions } = endpoint;
  return {
    ...endpoint,
    authorize: authorize.map(writtenOut),
    list: list && { ...list, filter: list.filter && writtenOut(list.filter) },
    actions: actions.map(actionWrittenOut),
  };
}

function actionWrittenOut(action: Action): Action {
  if (action.kind === 'validate') return { ...action, validation: validationWith(action.validation, writtenOut) };
  return action.kind === 'query' ? { ...action, query: queryWith(action.query, writtenOut) } : action;
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

/** What the computed member at the end of a path says; nothing where there is none, or one for each of many records. */
function memberOf({ root, steps, span }: Path): Expression | undefined {
  const last = steps.at(-1);
  const before = steps.slice(0, -1);
  if (last?.kind !== 'computed' || before.some(leadsToMany) || !isWritable(last, root.kind === 'auth'))
    return undefined;
  const value = from({ root, steps: before }, last.value, span);
  const guards = nullablesOf({ root, steps: before }, span);
  return last.value.type.base.kind === 'boolean' ? and([...guards, value]) : value;
}

/** Of nobody a value is null, which a condition can say and a value cannot, unless it is a path. */
function isWritable({ value }: Computed, isOfCaller: boolean): boolean {
  // What is missing has been reported.
  if (value === undefined) return false;
  return value.kind === 'path' || value.type.base.kind === 'boolean' || !isOfCaller;
}

function leadsToMany(step: Step): boolean {
  if (step.kind === 'query') return step.query?.cardinality === 'many';
  return step.kind === 'relation' && !step.through.unique;
}

type Start = Pick<Path, 'root' | 'steps'>;

/** An expression over the record at the end of a path. Conditions stand where the member is used, paths where they are read. */
function from(start: Start, value: Expression, span: Span): Expression {
  if (value.kind !== 'path') return { ...withParts(value, (part) => from(start, part, span)), span };
  if (value.root.kind !== 'row') return value;
  return { ...value, root: start.root, steps: [...start.steps, ...value.steps] };
}

/** That there is a record whose member it is: without one, the member is null. */
function nullablesOf({ root, steps }: Start, span: Span): readonly Expression[] {
  const mayBeMissing = root.kind === 'auth' || steps.some((step) => step.kind !== 'reference' || step.nullable);
  if (!mayBeMissing) return [];
  const there: Path = { kind: 'path', root, steps, type: { ...NULL, many: false }, span };
  const nothing: Expression = { kind: 'literal', value: null, type: NULL, span };
  return [{ kind: 'operation', operator: 'is not', operands: [there, nothing], type: BOOLEAN, span }];
}

function and(parts: readonly Expression[]): Expression {
  const [first, ...others] = parts as readonly [Expression, ...Expression[]];
  return others.reduce<Expression>(
    (left, right) => ({ kind: 'operation', operator: 'and', operands: [left, right], type: BOOLEAN, span: right.span }),
    first,
  );
}
