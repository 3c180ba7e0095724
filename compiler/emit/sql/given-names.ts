/** The names in the database of what the definition names, and the name space that is left for everything else. */
import type { Definition, Enum, Model } from '../../definition/definition.ts';
import { isBuiltInType } from './built-in-types.ts';
import { Names } from './names.ts';

export interface GivenNames {
  /** Tables, types, sequences, indexes and constraints share it; Postgres has several name spaces, which overlap. */
  readonly names: Names;
  readonly tableOf: (model: string) => string;
  readonly typeOf: (enumName: string) => string;
}

export function givenNames({ models, enums }: Definition): GivenNames {
  const names = new Names();
  const tables = new Map(models.map(({ name, table }) => [name, table]));
  const types = new Map(enums.map((type) => [type.name, enumType(type)]));
  const given = names.claimAll([...tables.values(), ...types.values()]);
  const shadowed = [...types.values()].filter(isBuiltInType);
  const renamed = new Map(shadowed.map((type) => [type, names.claim([type, 'enum'])]));
  const typeName = (type: string) => renamed.get(type) ?? given.get(type);
  return {
    names,
    tableOf: (model) => given.get(tables.get(model) as string) as string,
    typeOf: (enumName) => typeName(types.get(enumName) as string) as string,
  };
}

/** The names of columns, by those of the fields. */
export function columnNames({ fields }: Model): (field: string) => string {
  const columns = new Names().claimAll(fields.map(({ column }) => column));
  const names = new Map(fields.map(({ name, column }) => [name, columns.get(column)]));
  return (field) => names.get(field) as string;
}

/** Made as the names of tables are; the definition has none for the type of an enum. */
function enumType({ name }: Enum): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}
