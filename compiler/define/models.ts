import type { Enum, Field, Model } from '../definition/definition.ts';
import type * as program from '../program/program.ts';
import { columnNames, type DatabaseNames } from './database-names.ts';
import { expressionFrom, fittingFrom } from './expressions.ts';
import { hookFrom, queryFrom, rowLowering } from './queries.ts';
import { normaliseFrom, orNull, typeFrom } from './types.ts';
import { validationFrom } from './validations.ts';

export function enumFrom(type: program.Enum, { typeOf }: DatabaseNames): Enum {
  const { name, was, doc, values, drops } = type;
  return {
    name,
    type: typeOf(type),
    was: orNull(was),
    doc: orNull(doc),
    values: values.map((value) => ({ name: value.name, was: orNull(value.was), doc: orNull(value.doc) })),
    drops,
  };
}

export function modelFrom(model: program.Model, { tableOf }: DatabaseNames): Model {
  const columnOf = columnNames(model);
  const members = [...model.members.values()];
  const ofKind = <K extends program.Member['kind']>(kind: K) =>
    members.filter((member): member is Extract<program.Member, { kind: K }> => member.kind === kind);
  return {
    name: model.name,
    table: tableOf(model),
    was: orNull(model.was),
    doc: orNull(model.doc),
    fields: model.fields.map((field) => fieldFrom(field, columnOf(field))),
    references: ofKind('reference').map((reference) => ({
      name: reference.name,
      doc: orNull(reference.doc),
      field: reference.field.name,
      to: reference.to.name,
      unique: reference.unique,
      nullable: reference.nullable,
      onDelete: reference.onDelete,
      was: orNull(reference.was),
    })),
    relations: ofKind('relation').map((relation) => ({
      name: relation.name,
      doc: orNull(relation.doc),
      from: relation.from.name,
      through: relation.through.name,
      many: !relation.through.unique,
    })),
    computed: ofKind('computed').map((computed) => ({
      name: computed.name,
      doc: orNull(computed.doc),
      value: expressionFrom(computed.value, rowLowering()),
    })),
    queries: ofKind('query').map((query) => ({
      name: query.name,
      doc: orNull(query.doc),
      query: queryFrom(query.query, rowLowering()),
    })),
    hooks: ofKind('hook').map((hook) => ({
      name: hook.name,
      doc: orNull(hook.doc),
      hook: hookFrom(hook.call, rowLowering()),
    })),
    uniques: model.keys
      .filter(({ kind }) => kind === 'unique')
      .map(({ parts }) => parts.map(({ field }) => field.name)),
    indexes: model.keys
      .filter(({ kind }) => kind === 'index')
      .map(({ parts }) => parts.map(({ field, descending }) => ({ field: field.name, descending }))),
    drops: model.drops,
  };
}

function fieldFrom(field: program.Field, column: string): Field {
  return {
    name: field.name,
    column,
    doc: orNull(field.doc),
    type: typeFrom(field.type),
    unique: field.unique,
    index: field.index,
    secret: field.secret,
    ...normaliseFrom(field.normalise),
    default: field.default ? fittingFrom(field.default, field.type, rowLowering()) : null,
    validate: field.validate ? validationFrom(field.validate, rowLowering()) : null,
    backfill: field.backfill ? fittingFrom(field.backfill, field.type, rowLowering()) : null,
    was: orNull(field.was),
    reference: field.reference?.name ?? null,
  };
}
