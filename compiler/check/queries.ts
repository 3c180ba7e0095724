/** Named queries of models, queries of actions, and what hooks ask for. */

import type * as ast from '../ast/ast.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import type { Expression, Model, OrderItem, Query } from '../program/program.ts';
import { INTEGER, isAny, isSortable, nullable, record, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, meaningOf, memberNamed, membersOf, namesOf, typeOfBinding } from './context.ts';
import { checkCondition, reportMisfit } from './fitting.ts';
import { sayingInputs } from './input-paths.ts';
import { factsWhen } from './narrowing.ts';
import { reportAmbiguous, rootOf, settledType } from './paths.ts';
import {
  at,
  type Binding,
  bareRow,
  overRow,
  POSITIONS,
  type Scope,
  unlessHiding,
  withFacts,
  withName,
  withoutRow,
} from './scope.ts';

type From = Pick<Query, 'root' | 'steps' | 'model'>;

/** A query whose parts are sound, or nothing where its `from` leads nowhere. */
export function checkQuery(context: Context, query: ast.Query, scope: Scope, noun: string): Query | undefined {
  const from = query.from ? checkFrom(context, query.from, scope) : fromRow(context, query, scope, noun);
  checkLimits(context, query);
  if (!from) return undefined;
  if (query.from?.alias) {
    const { text, span } = query.from.alias;
    reportHiddenName(context, query.from.alias, scope);
    context.witness?.meant(span, meaningOf(text, rowCalled(query.from.alias, from.model)));
  }
  const inner = at(queriedScope(query, from.model, scope), POSITIONS.filter);
  const filter = query.filter && checkCondition(context, query.filter, sayingInputs(inner, query.filter));
  const ordered = { ...withFacts(inner, filter ? factsWhen(filter, true) : []), position: POSITIONS.orderBy };
  return {
    filter,
    ...from,
    orderBy: checkOrderBy(context, query.orderBy, ordered),
    limit: query.limit && checkLimit(context, query.limit, scope, 'limit'),
    offset: query.offset && checkLimit(context, query.offset, scope, 'offset'),
    recursive: query.recursive && leadsToItself(context, query.recursive, from),
    cardinality: query.cardinality?.value ?? (query.from ? 'many' : query.filter ? 'first' : 'one'),
  };
}

/** The start of a query without `from`: the record itself, if there is one. */
function fromRow(context: Context, query: ast.Query, scope: Scope, noun: string): From | undefined {
  if (scope.row) return { root: { kind: 'row', model: scope.row }, steps: [], model: scope.row };
  return context.report('missing-from', query.span, { noun });
}

/** What is followed again from each record leads from a model to that model. */
function leadsToItself(context: Context, recursive: Span, { steps, model }: From): boolean {
  const start = steps[0]?.model;
  if (start !== model) context.report('not-recursive', recursive, { start: start?.name, end: model.name });
  return start === model;
}

/**
 * The scope of a query. Its names are members of the queried model; if that has an alias, they are read through the
 * alias.
 */
export function queriedScope({ from }: Pick<ast.Query, 'from'>, model: Model, scope: Scope): Scope {
  const inner = overRow(scope, model, scope.position, from?.alias?.text);
  if (!from?.alias) return { ...inner, rowIsQueried: from !== undefined };
  const { text } = from.alias;
  return withName(inner, text, unlessHiding(scope, text, rowCalled(from.alias, model)));
}

function rowCalled({ text: name, span }: ast.Name, model: Model): Binding {
  return { kind: 'variable', variable: { name, type: record(model), holds: 'row' }, span };
}

/** The scope with one more name. */
export function bound(context: Context, scope: Scope, name: ast.Name, binding: Binding): Scope {
  reportHiddenName(context, name, scope);
  context.witness?.meant(name.span, meaningOf(name.text, binding));
  return withName(scope, name.text, unlessHiding(scope, name.text, binding));
}

/** An alias may not hide another name. */
export function reportHiddenName(context: Context, alias: ast.Name, scope: Scope): void {
  const hidden = scope.names.get(alias.text);
  if (hidden) context.report('alias-hides-name', alias.span, { alias: alias.text, hidden: hidden.span });
}

function checkFrom(context: Context, from: ast.From, scope: Scope): From | undefined {
  const [first, ...rest] = from.path.steps;
  const start = startOf(context, first, scope);
  if (!start) return undefined;
  return walkRecords(context, start, rest);
}

function startOf(context: Context, first: ast.Name, scope: Scope): From | undefined {
  const row = bareRow(scope);
  if (row?.members.has(first.text)) {
    if (reportAmbiguous(context, first, row, scope)) return undefined;
    return walkRecords(context, { root: { kind: 'row', model: row }, steps: [], model: row }, [first]);
  }
  const binding = scope.names.get(first.text);
  if (binding?.kind === 'variable' && binding.variable.type.base.kind === 'record') {
    const { variable } = binding;
    if (variable.input) context.inputUse.read(variable.input);
    if (context.models.has(first.text))
      return context.report('model-or-alias', first.span, { name: first.text, alias: binding.span });
    context.witness?.meant(first.span, meaningOf(first.text, binding));
    return { root: rootOf(variable), steps: [], model: binding.variable.type.base.model };
  }
  const model = context.models.get(first.text);
  if (model) context.witness?.meant(first.span, { kind: 'model', model });
  if (model) return { root: undefined, steps: [], model };
  const type = binding && typeOfBinding(binding);
  if (binding?.kind === 'input') context.inputUse.read(binding.input);
  if (type && isAny(type)) return undefined;
  if (type) return context.report('not-records', first.span, { name: first.text, type: typeName(type) });
  const candidates = [...(row ? membersOf(row) : []), ...namesOf(scope.names), ...namesOf(context.models)];
  context.witness?.missed?.(first.span, scope, undefined);
  return context.report('unknown-source', first.span, { name: first.text, near: nearName(first.text, candidates) });
}

function walkRecords(context: Context, start: From, names: readonly ast.Name[]): From | undefined {
  let { steps, model } = start;
  for (const name of names) {
    const member = memberNamed(context, name, model);
    if (!member) return undefined;
    const type = settledType(context, member, name.span);
    if (member.kind === 'hook')
      return context.report('not-records', name.span, { name: name.text, model: model.name, type: 'a hook' });
    if (!type || isAny(type)) return undefined;
    if (type.base.kind !== 'record')
      return context.report('not-records', name.span, { name: name.text, model: model.name, type: typeName(type) });
    steps = [...steps, member];
    model = type.base.model;
  }
  return { root: start.root, steps, model };
}

export function checkOrderBy(context: Context, orderBy: ast.OrderBy | undefined, scope: Scope): readonly OrderItem[] {
  return (orderBy?.items ?? []).map(({ value, descending }) => {
    const checked = context.checkExpression(context, value, sayingInputs(scope, value));
    if (!isSortable(checked.type)) context.report('not-sortable', checked.span, { type: typeName(checked.type) });
    return { value: checked, descending };
  });
}

/** Checks a limit: a literal number, or in an action a value that is known before the query runs. */
function checkLimit(
  context: Context,
  written: ast.WholeNumber | ast.Expression,
  scope: Scope,
  property: 'limit' | 'offset',
): number | Expression {
  if (!('kind' in written)) return written.value;
  const outer = at(withoutRow(scope), POSITIONS[property]);
  const checked = context.checkExpression(context, written, outer, INTEGER);
  // Clients send null for an input that may be null, to get all records.
  const isInput = checked.kind === 'path' && checked.root.kind === 'input';
  const type = isInput ? nullable(INTEGER) : INTEGER;
  reportMisfit(context, checked, { type, by: `\`${property}\`` });
  if (checked.kind !== 'literal' || typeof checked.value !== 'number') return checked;
  if (checked.value < 0) context.report('negative-limit', checked.span, { property, value: checked.value });
  return checked.value;
}

/** Reports what a query could not honour: a limit on a count, an order on what is counted. */
function checkLimits(context: Context, query: ast.Query): void {
  const cardinality = query.cardinality?.value;
  const refuse = (property: string, span: Span | undefined) => {
    if (span && cardinality) context.report('idle-property', span, { property, cardinality });
  };
  if (cardinality === 'count') {
    refuse('limit', query.limit?.span);
    refuse('offset', query.offset?.span);
    refuse('order by', query.orderBy?.span);
  }
  if (cardinality === 'first' || cardinality === 'one') refuse('limit', query.limit?.span);
}
