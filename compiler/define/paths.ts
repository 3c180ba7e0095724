/** Lowers paths to steps over models, and to the value at their end. */
import type { Aggregate, Expression, Read, Selected, Step, Type } from '../definition/expression.ts';
import type * as program from '../program/program.ts';
import { item, typeOfMember } from '../program/type.ts';
import { flagged, idTypeOf, typeFrom } from './types.ts';

export function stepFrom(step: program.Step): Step {
  switch (step.kind) {
    case 'reference': {
      const { kind, name, field, to, nullable } = step;
      return { kind, name, field: field.name, model: to.name, nullable };
    }
    case 'relation': {
      const { kind, name, through, from } = step;
      return { kind, name, field: through.field.name, model: from.name, many: !through.unique };
    }
    case 'query': {
      const { kind, name, model: of, query } = step;
      const many = query.cardinality === 'many' || query.cardinality === 'count';
      return { kind, name, of: of.name, model: query.model.name, many, nullable: query.cardinality === 'first' };
    }
    default:
      throw new Error(`define: \`${step.name}\` is no step`);
  }
}

export function stepsFrom(steps: readonly program.Step[]): readonly Step[] {
  return steps.map(stepFrom);
}

function isValue(step: program.Step): boolean {
  return step.kind === 'field' || step.kind === 'computed' || isCount(step);
}

function isCount(step: program.Step): boolean {
  return step.kind === 'query' && step.query.cardinality === 'count';
}

/** The value of a path from the row: a value, the values of many records, or the ids of records. */
export function valueAt(start: program.Model, steps: readonly program.Step[], type: program.Type): Expression {
  const last = steps.at(-1);
  const value = last && (isValue(last) || last.kind === 'reference') ? last : undefined;
  const walked = value ? steps.slice(0, -1) : steps;
  const model = modelAt(start, walked);
  if (!type.many || isList(value)) return endValue(model, stepsFrom(walked), value, typeAsId(type));
  const one = typeAsId({ ...type, many: false, nullable: value !== undefined && typeOfMember(value).nullable });
  return {
    kind: 'collect',
    path: stepsFrom(walked),
    value: endValue(model, [], value, one),
    type: typeAsId({ ...type, nullable: false }),
  };
}

/** A field that holds a list: one value, although it has many items. */
function isList(step: program.Step | undefined): boolean {
  return step?.kind === 'field' && step.type.many;
}

/** Whether a path from an existing record may end in null, or in many values. */
export function endOf(steps: readonly program.Step[]): Pick<program.Type, 'nullable' | 'many'> {
  const types = steps.map(typeOfMember);
  return { nullable: types.some(({ nullable }) => nullable), many: types.some(({ many }) => many) };
}

/** A record stands for its id wherever it is compared or stored. */
export function typeAsId(type: program.Type): Type {
  if (type.base.kind !== 'record') return typeFrom(type);
  return flagged(idTypeOf(type.base.model), type.nullable, type.many, type.nullItems);
}

function endValue(
  model: program.Model,
  path: readonly Step[],
  value: program.Step | undefined,
  type: Type,
): Expression {
  if (!value) return { kind: 'field', path, model: model.name, field: 'id', type };
  if (value.kind === 'reference') return { kind: 'field', path, model: model.name, field: value.field.name, type };
  if (value.kind === 'computed') return { kind: 'computed', path, model: model.name, computed: value.name, type };
  if (isCount(value))
    return { kind: 'aggregate', function: 'count', path: [...path, stepFrom(value)], value: null, type };
  return { kind: 'field', path, model: model.name, field: value.name, type };
}

function modelAt(start: program.Model, steps: readonly program.Step[]): program.Model {
  const last = steps.at(-1);
  if (!last) return start;
  const { base } = typeOfMember(last);
  if (base.kind === 'record') return base.model;
  throw new Error(`define: \`${last.name}\` leads to no record`);
}

export function aggregateAt(
  fn: Aggregate['function'],
  start: program.Model,
  steps: readonly program.Step[],
  type: program.Type,
): Aggregate {
  const last = steps.at(-1);
  const value = last && isValue(last) ? last : undefined;
  const walked = value ? steps.slice(0, -1) : steps;
  const model = modelAt(start, walked);
  return {
    kind: 'aggregate',
    function: fn,
    path: stepsFrom(walked),
    value: value ? endValue(model, [], value, typeFrom(item(typeOfMember(value)))) : null,
    type: typeFrom(type),
  };
}

/** The name of a read, made only from what is read: `author` and `author_id` are the same read. */
export function readName(steps: readonly program.Step[], ending = 'id'): string {
  const last = steps.at(-1);
  const names = steps.map(({ name }) => name);
  if (last?.kind === 'reference' && ending === 'id') return [...names.slice(0, -1), last.field.name].join('.');
  return last && isValue(last) ? names.join('.') : [...names, ending].join('.');
}

export function recordsRead(
  steps: readonly program.Step[],
  type: program.Type,
  select: (model: program.Model) => readonly Selected[],
): Read {
  if (type.base.kind !== 'record') throw new Error('define: not a record');
  const { model } = type.base;
  return {
    name: readName(steps, '*'),
    kind: 'records',
    path: stepsFrom(steps),
    model: model.name,
    ...endOf(steps),
    select: select(model),
  };
}
