/** Types as other languages write them. */
import { type Scalar, scalarMeantBy } from '../definition/scalars.ts';
import { NOTATIONS } from './habit-data.ts';

export interface ForeignType {
  /** The name of a type, a model or an enum. */
  readonly name: string;
  readonly scalar: Scalar | undefined;
  readonly isList: boolean;
  readonly isNullable: boolean;
  /** The number of characters in `varchar(80)`. */
  readonly length: string | undefined;
  /** The values of an enum that is written out. */
  readonly values: readonly string[] | undefined;
}

export function foreignType(text: string): ForeignType | undefined {
  for (const { written, isList = false, isNullable = false } of NOTATIONS) {
    const groups = written.exec(text.trim())?.groups;
    if (!groups) continue;
    const { name = '', length, values } = groups;
    return {
      name,
      scalar: scalarMeantBy(name),
      isList,
      isNullable,
      length,
      values: values === undefined ? undefined : valuesFrom(values),
    };
  }
  return undefined;
}

function valuesFrom(text: string): readonly string[] {
  return text.split(/[,|]/).map((value) => value.trim().replace(/^["':]|["']$/g, ''));
}
