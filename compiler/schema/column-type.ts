import type { Scalar, Type } from '../definition/definition.ts';
import { SCALARS } from '../definition/scalars.ts';
import type { ColumnType } from '../definition/schema.ts';

export function columnType({ kind, enum: name, many }: Type, typeOf: (enumName: string) => string): ColumnType {
  if (name !== undefined) return { enum: typeOf(name), ...(many ? { many } : {}) };
  const { column } = SCALARS[kind as Scalar];
  return many ? `${column}[]` : column;
}
