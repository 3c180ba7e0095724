/** Values whose type is known only when they are there, because custom code gave them, are made into what is needed. */
import type { Type } from '../../compiler/definition/definition.ts';
import { fitsType } from '../values/code-value.ts';
import type { Value } from '../values/value.ts';
import { type Compiled, type Environment, strict, unary } from './compiled.ts';

/** A part with the type of its expression. */
export interface Operand extends Compiled {
  readonly type: Type;
}

/** Of the types of operands that belong together, the one that is known. */
export function knownType(types: readonly Type[]): Type {
  return types.find(({ kind }) => kind !== 'any') ?? { kind: 'any' };
}

/** Throws where what custom code gave does not fit: a mistake of the application, not of the client. */
export function fitted(part: Operand, type: Type, { enumValues }: Environment): Compiled {
  if (part.type.kind !== 'any' || type.kind === 'any') return part;
  return unary(
    part,
    strict((value) => fittedValue(value, type, enumValues)),
  );
}

export function fittedValue(value: unknown, type: Type, enumValues: Environment['enumValues']): Value {
  const checked = fitsType(value, type, enumValues);
  if (!checked.ok) throw new Error(`custom code gave a value that does not fit: it ${checked.message}`);
  return checked.value;
}

/** For questions of equality: what does not fit stays as it is, and equals nothing of the type. */
export function fittedIfPossible(part: Operand, type: Type, { enumValues }: Environment): Compiled {
  if (part.type.kind !== 'any' || type.kind === 'any') return part;
  return unary(
    part,
    strict((value) => {
      const checked = fitsType(value, type, enumValues);
      return checked.ok ? checked.value : value;
    }),
  );
}
