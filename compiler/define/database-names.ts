/**
 * The names in the database of what authors name. They are final: at most 63 bytes long, apart where Postgres keeps
 * them in one place, and the same whatever the order of the files.
 */
import { Names } from '../definition/names.ts';
import type * as program from '../program/program.ts';
import { snakeCase } from '../program/snake-case.ts';
import { isBuiltInType } from './built-in-types.ts';

export interface DatabaseNames {
  readonly tableOf: (model: program.Model) => string;
  readonly typeOf: (type: program.Enum) => string;
}

/** Every table is a type too, so the two share a name space. */
export function databaseNames({ models, enums }: program.Program): DatabaseNames {
  const names = new Names();
  const written = new Map([...models, ...enums].map(({ name }) => [name, snakeCase(name)]));
  const nameOf = ({ name }: { readonly name: string }) => written.get(name) as string;
  const given = names.claimAll([...written.values()]);
  const shadowed = enums.map(nameOf).filter(isBuiltInType);
  const renamed = new Map(shadowed.sort().map((type) => [type, names.claim([type, 'enum'])]));
  return {
    tableOf: (model) => given.get(nameOf(model)) as string,
    typeOf: (type) => renamed.get(nameOf(type)) ?? (given.get(nameOf(type)) as string),
  };
}

export function columnNames({ fields }: program.Model): (field: program.Field) => string {
  const columns = new Names().claimAll(fields.map(({ name }) => snakeCase(name)));
  return ({ name }) => columns.get(snakeCase(name)) as string;
}
