/** Values whose type is known only when they are there, because custom code gave them, are made into what is needed. */
import type { Convert, Expression, Type } from '../../compiler/definition/expression.ts';
import { fitsType } from '../values/input-value.ts';
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
  if (!checked.ok) throw new Error(`custom code returned an invalid value: ${withSubject(checked.message)}`);
  return checked.value;
}

/** What custom code gave, as a value of the type that is wanted there. The log learns which code it was. */
export function checked(part: Operand, { value: source, type }: Convert, { enumValues }: Environment): Compiled {
  return unary(part, (value) => {
    if (value === null) return nullFor(type, source);
    const fits = fitsType(value, type, enumValues);
    if (fits.ok) return fits.value;
    throw new Error(
      `${nameOf(source)} returned a value that is not of type ${typeName(type)}: ${withSubject(fits.message)}`,
    );
  });
}

/** The message about an item of a list begins with the item. */
export function withSubject(message: string): string {
  return message.startsWith('must') ? `it ${message}` : message;
}

function nullFor(type: Type, source: Expression): null {
  if (type.nullable) return null;
  throw new Error(`${nameOf(source)} returned null instead of a ${typeName(type)}`);
}

function typeName({ kind, enum: name, many }: Type): string {
  return `${many ? 'list of ' : ''}${name ?? kind}`;
}

function nameOf(source: Expression): string {
  if (source.kind === 'member') return nameOf(source.of);
  if (source.kind === 'snapshot') return `the code behind \`${source.record}\``;
  if (source.kind !== 'hook') return 'custom code';
  const { code } = source.hook;
  return `the hook ${code.kind === 'inline' ? `\`${code.expression}\`` : `\`${code.export}\` of ${code.file}`}`;
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
