/** Secret values: those of fields and settings that are secret, whatever name an expression reads them by. */

import { partsOf } from '../program/parts.ts';
import type { Expression, Field, Path, Secret } from '../program/program.ts';
import { BOOLEAN, sameBase } from '../program/type.ts';
import { type Context, memberName, reportSecret } from './context.ts';

/** The secret that a path leads to. An item of a loop may be one, and so may an input that has one as its default. */
function secretAt({ settings }: Context, { root, steps }: Pick<Path, 'root' | 'steps'>): Secret | undefined {
  const held = root.kind === 'variable' ? root.variable : root.kind === 'input' ? root.input : undefined;
  const read = steps.at(-1) ?? (root.kind === 'setting' ? settings.byName.get(root.name) : held?.secret);
  return read && 'secret' in read && read.secret ? read : undefined;
}

/** The first secret that a value shows to whoever sees it. */
export function secretIn(context: Context, value: Expression): Secret | undefined {
  return pathsShown(value).flatMap((path) => secretAt(context, path) ?? [])[0];
}

/** A comparison of values shows only whether it holds. */
function pathsShown(value: Expression): readonly Path[] {
  if (value.kind === 'path') return [value];
  const parts = partsOf(value);
  return (isBoolean(value) ? parts.filter(isBoolean) : parts).flatMap(pathsShown);
}

const isBoolean = ({ type }: Expression) => sameBase(type.base, BOOLEAN.base);

/** Reports the secrets in a value that a field which is not secret stores. */
export function reportShownSecrets(context: Context, value: Expression, field: Field, what: string): void {
  if (field.secret) return;
  const by = `\`${memberName(field.reference ?? field)}\``;
  const target = field.reference ? undefined : by;
  for (const path of pathsShown(value)) {
    const secret = secretAt(context, path);
    if (secret) reportSecret(context, secret, path.span, `${what} of ${by}`, target);
  }
}
