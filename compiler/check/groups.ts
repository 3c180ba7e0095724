/** `group by`: records that have the same values become one row of plain values. */

import type * as ast from '../ast/ast.ts';
import type {
  Expression,
  Fold,
  FunctionName,
  Grouping,
  Model,
  OrderItem,
  Path,
  Query,
  SelectedValue,
  Type,
} from '../program/program.ts';
import {
  ANY,
  FLOAT,
  INTEGER,
  isAny,
  isNumber,
  isOrdered,
  isSortable,
  nonNull,
  nullable,
  typeName,
  unsized,
} from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, firstOfEach, memberNamed, reported, reportUnknownMember } from './context.ts';
import { hasRightCount, reportArgument } from './fitting.ts';
import { sayingInputs } from './input-paths.ts';
import { factsWhen } from './narrowing.ts';
import { mayBeRead, settledType } from './paths.ts';
import { queriedScope } from './queries.ts';
import { at, type Binding, type Grouped, POSITIONS, type Scope, withFacts, withoutRow } from './scope.ts';
import { reportNotGrouped } from './unknown-names.ts';

interface Key {
  readonly name: string;
  readonly value: Expression;
  /** The type of the key; for a record, the type of its id. */
  readonly type: Type;
  readonly span: Span;
}

interface CheckedGroups {
  readonly grouping: Grouping;
  /** The rows, as later actions see them. */
  readonly row: Type;
}

export function checkGroups(
  context: Context,
  written: ast.Query,
  groupBy: ast.Selection,
  { model, filter }: Query,
  scope: Scope,
): CheckedGroups {
  const each = withFacts(
    at(queriedScope(written, model, scope), POSITIONS.groupBy),
    filter ? factsWhen(filter, true) : [],
  );
  const keys = writtenOut(context, groupBy).map((item) => checkKey(context, item, model, each));
  const groups = groupScope(scope, keys, each, model);
  const select = written.select ? checkSelect(context, written.select, keys, groups) : keys.map(selectedKey);
  const orderBy = checkOrder(context, written.orderBy, select, groups);
  const order = [...orderBy, ...keys.map((key): OrderItem => ({ value: keyPath(key), descending: false }))];
  const members = new Map(select.map(({ name, value }) => [name, { type: value.type, span: value.span }]));
  return {
    grouping: { keys: keys.map(({ name, value }) => ({ name, value })), select, orderBy: order },
    row: { base: { kind: 'object', members }, nullable: false, many: false },
  };
}

// ── Keys ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function checkKey(context: Context, item: ast.Selected, model: Model, scope: Scope): Key {
  const { name, span } = item;
  const value = item.value
    ? context.checkExpression(context, item.value, sayingInputs(scope, item.value))
    : memberValue(context, name, model, scope);
  // It stays a key, so that nothing follows from what is wrong with it.
  const unknown = { name: name.text, value: reported(span), type: ANY, span };
  if (!value || isAny(value.type)) return unknown;
  if (item.selection) reportSelection(context, item, value.type);
  const { base, many, nullable } = value.type;
  const isRecord = base.kind === 'record' && !many;
  if (!isRecord && !isSortable(value.type))
    return context.report('not-groupable', value.span, { type: typeName(value.type) }) ?? unknown;
  const type = isRecord ? { ...(base.model.members.get('id') as { readonly type: Type }).type, nullable } : value.type;
  return { name: name.text, value, type, span };
}

function memberValue(context: Context, name: ast.Name, model: Model, scope: Scope): Path | undefined {
  const member = memberNamed(context, name, model);
  const type = member && settledType(context, member, name.span);
  if (!type || !mayBeRead(context, member, name, scope)) return undefined;
  return { kind: 'path', root: { kind: 'row', model }, steps: [member], type, span: name.span };
}

function keyPath({ name, type, span }: Key): Path {
  return { kind: 'path', root: { kind: 'key', name }, steps: [], type, span };
}

function selectedKey(key: Key): SelectedValue {
  return { kind: 'value', name: key.name, doc: null, value: keyPath(key) };
}

/** The scope of groups: their keys, and the names around the query. Only aggregates see records. */
function groupScope(scope: Scope, keys: readonly Key[], row: Scope, model: Model): Scope {
  const outer = at(withoutRow(scope), POSITIONS.grouped);
  const bindings = keys.map(({ name, type, span }): [string, Binding] => [name, { kind: 'key', name, type, span }]);
  return {
    ...outer,
    names: new Map([...outer.names, ...bindings]),
    grouped: { row, model, mayBeEmpty: keys.length === 0 },
  };
}

// ── What is shown of a group ────────────────────────────────────────────────────────────────────────────────────────

function checkSelect(
  context: Context,
  selection: ast.Selection,
  keys: readonly Key[],
  scope: Scope,
): readonly SelectedValue[] {
  return writtenOut(context, selection).flatMap((item) => {
    const { name, doc } = item;
    const value = item.value
      ? context.checkExpression(context, item.value, sayingInputs(scope, item.value))
      : keyNamed(context, name, keys, scope);
    if (!value || (isAny(value.type) && value.kind === 'literal')) return [];
    if (item.selection) reportSelection(context, item, value.type);
    return [{ kind: 'value', name: name.text, doc, value }];
  });
}

function keyNamed(context: Context, name: ast.Name, keys: readonly Key[], scope: Scope): Path | undefined {
  const key = keys.find((known) => known.name === name.text);
  if (key) return keyPath(key);
  const { grouped } = scope;
  context.witness?.missed?.(name.span, scope, undefined);
  if (grouped && !reportNotGrouped(context, name, undefined, scope)) reportUnknownMember(context, name, grouped.model);
  return undefined;
}

/** Checks the order of groups: by a selected value, a key or an aggregate. */
function checkOrder(
  context: Context,
  orderBy: ast.OrderBy | undefined,
  select: readonly SelectedValue[],
  scope: Scope,
): readonly OrderItem[] {
  return (orderBy?.items ?? []).map(({ value: written, descending }) => {
    const [name, ...more] = written.kind === 'path' ? written.steps : [];
    const selected = name && more.length === 0 ? select.find((each) => each.name === name.text) : undefined;
    const value = selected?.value ?? context.checkExpression(context, written, sayingInputs(scope, written));
    if (!isSortable(value.type)) context.report('not-sortable', written.span, { type: typeName(value.type) });
    return { value, descending };
  });
}

/** A shape has members of records, which a group is not. */
function writtenOut(context: Context, { items }: ast.Selection): readonly ast.Selected[] {
  const selected = items.flatMap((item) => {
    if (item.kind === 'selected') return [item];
    context.report('shape-of-groups', item.span, { name: item.shape.text });
    return [];
  });
  firstOfEach(
    selected.map((item) => item.name),
    ({ text }) => text,
    ({ text: name, span }, first) =>
      context.report('selected-twice', span, { name, first: first.span, isKey: false, other: undefined }),
  );
  return selected;
}

function reportSelection(context: Context, { name, selection }: ast.Selected, type: Type): void {
  if (selection) context.report('nothing-to-select', selection.span, { name: name.text, type: typeName(type) });
}

// ── Aggregates over the records of a group ──────────────────────────────────────────────────────────────────────────

const FOLDING: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'min', 'max']);

export function isFolding(name: FunctionName): name is Fold['function'] {
  return FOLDING.has(name);
}

/** `count()` counts the records; the others take a value of each of them. */
export function checkFold(
  context: Context,
  call: ast.Call,
  name: Fold['function'],
  grouped: Grouped,
  saidInputs: Scope['saidInputs'],
): Expression {
  const { span } = call;
  const wanted = name === 'count' ? 0 : 1;
  const row = saidInputs ? { ...grouped.row, saidInputs } : grouped.row;
  const values = call.arguments.map((argument) => context.checkExpression(context, argument, row));
  if (!hasRightCount(context, call, { fewest: wanted, most: wanted }, values.length)) return reported(span);
  const [value] = values;
  if (!value) return { kind: 'fold', function: name, value: null, type: INTEGER, span };
  if (!fits(value.type, name)) {
    const isSummed = name === 'sum' || name === 'avg';
    const wants = isSummed ? 'a number of each record' : 'a value of each record that has an order';
    reportArgument(context, call, value, wants);
    return reported(span);
  }
  return { kind: 'fold', function: name, value, type: typeOf(value.type, name, grouped), span };
}

function fits(type: Type, name: Fold['function']): boolean {
  if (type.many || isAny(type)) return false;
  return name === 'sum' || name === 'avg' ? isNumber(type) : isOrdered(type);
}

/** The type of an aggregate. A sum of nothing is 0; the other aggregates are null if no record has a value. */
function typeOf(of: Type, name: Fold['function'], { mayBeEmpty }: Grouped): Type {
  const type = unsized(of);
  if (name === 'sum') return nonNull(type);
  const one = name === 'avg' && type.base.kind !== 'decimal' ? { ...FLOAT, nullable: type.nullable } : type;
  return mayBeEmpty ? nullable(one) : one;
}
