/** The models of the application as Objection's: what statements are built from, and what the code of hooks queries. */
import type { Knex } from 'knex';
import { Model, type ModelClass, type RelationMappings } from 'objection';
import type { Definition, Model as Described } from '../../compiler/definition/definition.ts';

export type ObjectionModels = Readonly<Record<string, ModelClass<Model>>>;

export function objectionModels(definition: Definition, knex: Knex): ObjectionModels {
  const models: Record<string, ModelClass<Model>> = {};
  for (const described of definition.models) models[described.name] = objectionModel(described, models, definition);
  for (const model of Object.values(models)) model.knex(knex);
  return models;
}

function objectionModel(described: Described, models: ObjectionModels, definition: Definition): ModelClass<Model> {
  const model = class extends Model {
    static override tableName = described.table;
    static override relationMappings = () => relationMappings(described, models, definition);
  };
  Object.defineProperty(model, 'name', { value: described.name });
  const renamed = described.fields.filter(({ name, column }) => name !== column);
  if (renamed.length > 0) model.columnNameMappers = nameMappers(renamed);
  return model;
}

type Names = Readonly<Record<string, unknown>>;

function nameMappers(fields: Described['fields']): { parse(names: Names): Names; format(names: Names): Names } {
  const fieldOf = new Map(fields.map(({ name, column }) => [column, name]));
  const columnOf = new Map(fields.map(({ name, column }) => [name, column]));
  return { parse: (names) => renamedBy(names, fieldOf), format: (names) => renamedBy(names, columnOf) };
}

function renamedBy(values: Names, names: ReadonlyMap<string, string>): Names {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [names.get(name) ?? name, value]));
}

function relationMappings(
  { table, fields, references, relations }: Described,
  models: ObjectionModels,
  { models: all }: Definition,
): RelationMappings {
  const columnIn = (of: Described['fields'], field: string) => of.find(({ name }) => name === field)?.column as string;
  const tableOf = (name: string) => all.find((model) => model.name === name) as Described;
  const toOne = references.map(({ name, field, to }) => [
    name,
    mapping(Model.BelongsToOneRelation, models[to], `${table}.${columnIn(fields, field)}`, `${tableOf(to).table}.id`),
  ]);
  const back = relations.map(({ name, from, through, many }) => {
    const other = tableOf(from);
    const reference = other.references.find(
      (candidate) => candidate.name === through,
    ) as Described['references'][number];
    const key = `${other.table}.${columnIn(other.fields, reference.field)}`;
    return [name, mapping(many ? Model.HasManyRelation : Model.HasOneRelation, models[from], `${table}.id`, key)];
  });
  return Object.fromEntries([...toOne, ...back]);
}

function mapping(relation: unknown, modelClass: unknown, from: string, to: string) {
  return { relation, modelClass, join: { from, to } };
}
