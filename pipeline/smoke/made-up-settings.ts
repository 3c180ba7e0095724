/** Values for the settings that an image must have: its test has none of the environments that it will run in. */
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Type } from '../../compiler/definition/expression.ts';
import { isScalar, SCALARS } from '../../compiler/definition/scalars.ts';

/** Each is of the type of its setting. One with a default keeps it. */
export function madeUpSettings({ settings = [], enums }: Definition): Readonly<Record<string, string>> {
  const needed = settings.filter((setting) => setting.default === null);
  return Object.fromEntries(needed.map(({ name, type }) => [name, madeUp(type, enums)]));
}

export function madeUp({ kind, enum: name, digits }: Type, enums: Definition['enums']): string {
  if (kind === 'enum') return enums.find((each) => each.name === name)?.values[0]?.name ?? '';
  if (kind === 'string') return 'made-up';
  if (kind === 'boolean') return 'false';
  if (digits) return digits.all === digits.places ? '0' : '1';
  return (isScalar(kind) && SCALARS[kind].form?.example) || '1';
}
