/** The names that the definition gives to tables, types and columns, and the name space that they leave. */
import type { Definition, Model } from '../definition/definition.ts';
import { Names } from '../definition/names.ts';

export interface GivenNames {
  /** Tables, types, sequences, indexes and constraints share it; Postgres has several name spaces, which overlap. */
  readonly names: Names;
  readonly tableOf: (model: string) => string;
  readonly typeOf: (enumName: string) => string;
}

export function givenNames({ models, enums }: Definition): GivenNames {
  const tables = new Map(models.map(({ name, table }) => [name, table]));
  const types = new Map(enums.map(({ name, type }) => [name, type]));
  return {
    names: new Names([...tables.values(), ...types.values()]),
    tableOf: (model) => tables.get(model) as string,
    typeOf: (enumName) => types.get(enumName) as string,
  };
}

/** The names of columns, by those of the fields. */
export function columnNames({ fields }: Model): (field: string) => string {
  const columns = new Map(fields.map(({ name, column }) => [name, column]));
  return (field) => columns.get(field) as string;
}
