/** Finds the values of a record that a client knows after seeing the response. */
import { partsOf, withRoots } from '../program/parts.ts';
import type { Expression, Path, Selected } from '../program/program.ts';
import { rootKey } from './narrowing.ts';

export function shownBy(response: readonly Selected[]): (value: Expression) => boolean {
  const shown = new Set(keysOf(response, ''));
  const isShown = (value: Expression): boolean => shown.has(keyOf(value)) || isKnown(value, isShown);
  return isShown;
}

/**
 * Tells whether a client knows the value: it sent the value, the value is the same for everybody, or it can be
 * calculated from shown values.
 */
function isKnown(value: Expression, isShown: (part: Expression) => boolean): boolean {
  if (value.kind === 'path') return value.root.kind === 'input' || isIdOfRow(value) || isComputed(value, isShown);
  return !OPAQUE.has(value.kind) && partsOf(value).every(isShown);
}

/** Whether the path ends in a computed member of which everything that it reads is shown. */
function isComputed({ root, steps, span }: Path, isShown: (part: Expression) => boolean): boolean {
  const last = steps.at(-1);
  if (last?.kind !== 'computed') return false;
  const record = { root, steps: steps.slice(0, -1) };
  return isShown(withRoots(last.value, ({ kind }) => (kind === 'row' ? record : undefined), span));
}

/** The kinds of expressions that are not calculated from their parts. No list is ordered by them. */
const OPAQUE: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>(['object', 'fold', 'hook', 'faker']);

/** Whether the path is the id of the row, which breaks the ties of every list. */
function isIdOfRow({ root, steps: [first, ...others] }: Path): boolean {
  return root.kind === 'row' && first?.name === 'id' && others.length === 0;
}

/** The values of a selection at the end of a path of single records. */
function keysOf(selection: readonly Selected[], path: string): readonly string[] {
  return selection.flatMap((selected) => {
    if (selected.kind === 'value') return [keyOf(selected.value, path)];
    const isSingle = selected.kind === 'records' && selected.root.kind === 'row' && !selected.many;
    return isSingle ? keysOf(selected.select, pathKey(selected, path)) : [];
  });
}

/** The same text for the same value, whatever its place in the source. */
export function keyOf(value: Expression, path = ''): string {
  if (value.kind === 'literal') return JSON.stringify(value.value);
  if (value.kind === 'path') return pathKey(value, path);
  if (OPAQUE.has(value.kind)) return value.kind;
  const name =
    'operator' in value ? value.operator : 'function' in value ? value.function : 'name' in value && value.name;
  return `${value.kind} ${name}(${partsOf(value).map((part) => keyOf(part, path))})`;
}

export function pathKey({ root, steps }: Pick<Path, 'root' | 'steps'>, path = ''): string {
  return [root.kind === 'row' ? path : rootKey(root), ...steps.map(({ name }) => name)].join('.');
}
