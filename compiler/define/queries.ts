import type {
  Expression,
  Hook,
  HookResult,
  OrderItem,
  Origin,
  Query,
  Selected,
  Shape,
  Snapshot,
} from '../definition/expression.ts';
import { directFields, plainQuery } from '../program/parts.ts';
import type * as program from '../program/program.ts';
import { INTEGER } from '../program/type.ts';
import {
  conditionFrom,
  expressionFrom,
  fittingFrom,
  idOf,
  type Lowering,
  lowered,
  outwardFrom,
  shownFrom,
} from './expressions.ts';
import { stepsFrom } from './paths.ts';
import { AUTH, idTypeOf, Reads, typeFrom } from './types.ts';

export function lowering(reads: Reads): Lowering {
  return { reads, hook: hookFrom };
}

/** Lowers expressions of models, which see nothing but their row. */
export const rowLowering = (): Lowering => lowering(new Reads());

export function queryFrom(query: program.Query, around: Lowering): Query {
  return {
    origin: query.root ? originFrom(query.root, around) : { kind: 'model' },
    path: stepsFrom(query.steps),
    ...(query.recursive ? { recursive: true } : {}),
    model: query.model.name,
    filter: query.filter ? conditionFrom(query.filter, around) : null,
    orderBy: query.cardinality === 'count' ? [] : orderFrom(query.orderBy, query.model, around),
    limit: limitFrom(query.limit, around),
    offset: limitFrom(query.offset, around),
    cardinality: query.cardinality,
  };
}

function limitFrom(limit: program.Query['limit'], around: Lowering): Query['limit'] {
  return typeof limit === 'object'
    ? fittingFrom(limit, { ...INTEGER, nullable: limit.type.nullable }, around)
    : (limit ?? null);
}

function originFrom(root: program.Root, around: Lowering): Origin {
  if (root.kind === 'row') return { kind: 'row' };
  if (root.kind === 'auth') return { kind: 'record', id: mayBeAbsent(idOf(AUTH, root.model, false, around)) };
  if (root.kind === 'variable' && root.variable.type.base.kind === 'record') {
    const { name, type } = root.variable;
    const id = idOf(name, root.variable.type.base.model, type.many, around);
    return { kind: 'record', id: type.nullable ? mayBeAbsent(id) : id };
  }
  throw new Error('define: a path that begins at no record');
}

/** Makes an id nullable: every path from a missing record ends in null. */
function mayBeAbsent(id: Snapshot): Snapshot {
  return { ...id, type: { ...id.type, nullable: true } };
}

/** The id breaks every tie, so that pages never overlap. */
function orderFrom(items: readonly program.OrderItem[], model: program.Model, around: Lowering): readonly OrderItem[] {
  const written = items.map((item) => lowered<OrderItem>(item, around));
  return written.some(({ value }) => isIdOfRow(value))
    ? written
    : [...written, { value: idOfRow(model), descending: false }];
}

function isIdOfRow(value: Expression): boolean {
  return value.kind === 'field' && value.field === 'id' && value.path.length === 0;
}

function idOfRow(model: program.Model): Expression {
  return { kind: 'field', path: [], model: model.name, field: 'id', type: idTypeOf(model) };
}

/** Lowers a selection for clients. For custom code, `valueFrom` leaves files as they are stored. */
export function selectionFrom(
  selection: readonly program.Selected[],
  around: Lowering,
  valueFrom = shownFrom,
): readonly Selected[] {
  return selection.map((selected) => selectedFrom(selected, around, valueFrom));
}

/** The name of the shape that a selection is. */
export function nameOf(shape: program.Shape | undefined): { readonly shape?: string } {
  return shape ? { shape: shape.name } : {};
}

export function shapeFrom({ name, doc, model, select }: program.Shape): Shape {
  return { name, doc, model: model.name, select: selectionFrom(select, rowLowering()) };
}

function selectedFrom(selected: program.Selected, around: Lowering, valueFrom: typeof shownFrom): Selected {
  if (selected.kind === 'value') return { ...selected, value: valueFrom(selected.value, around) };
  if (selected.kind === 'hook') return { ...selected, hook: selected.hook.name };
  const { kind, name, doc, root, steps, model, nullable, many, select, shape } = selected;
  return {
    kind,
    name,
    doc,
    origin: originFrom(root, around),
    path: stepsFrom(steps),
    model: model.name,
    nullable,
    many,
    select: selectionFrom(select, around, valueFrom),
    ...nameOf(shape),
  };
}

/** The direct fields of a model as custom code sees them. */
function storedFields(model: program.Model): readonly Selected[] {
  return selectionFrom(directFields(model), rowLowering(), expressionFrom);
}

/** The same as clients see them. */
export function shownFields(model: program.Model): readonly Selected[] {
  return selectionFrom(directFields(model), rowLowering());
}

export function hookFrom(call: program.HookCall, around: Lowering): Hook {
  return {
    arguments: call.arguments.map((argument) => hookArgumentFrom(argument, around)),
    code: call.code,
    ...(call.returns ? { returns: resultFrom(call.returns) } : {}),
  };
}

function resultFrom(result: program.Type): HookResult {
  const type = typeFrom(result);
  if (result.base.kind !== 'object') return { type };
  const members = [...result.base.members].map(([name, { type: inner, doc }]) => ({
    name,
    doc: doc ?? null,
    type: typeFrom(inner),
  }));
  return { type, members };
}

function hookArgumentFrom(argument: program.HookArgument, around: Lowering): Hook['arguments'][number] {
  const { name, doc } = argument;
  if ('query' in argument) {
    const query = queryFrom(argument.query, around);
    return { kind: 'query', name, doc, query, select: selectionFrom(argument.select, around, expressionFrom) };
  }
  const { value } = argument;
  if (value.kind !== 'path' || value.root.kind !== 'row' || value.type.base.kind !== 'record')
    return { kind: 'value', name, doc, value: outwardFrom(value, around, storedFields) };
  // A hook of a model asks for a record of the row with a query like any other.
  const { model } = value.type.base;
  const cardinality = value.type.many ? 'many' : value.type.nullable ? 'first' : 'one';
  const query = queryFrom(plainQuery({ ...value, model, cardinality }), around);
  return { kind: 'query', name, doc, query, select: storedFields(model) };
}
