/** The functions of `normalise` for texts from outside, which do the same as the functions of these names. */
import type { Normaliser } from '../../compiler/definition/expression.ts';
import { isList } from './json.ts';
import type { Value } from './value.ts';

const NORMALISERS: Readonly<Record<Normaliser, (text: string) => string>> = {
  trim: (text) => text.trim(),
  lower: (text) => text.toLowerCase(),
};

export type Normalise = (value: Value) => Value;

/**
 * The normaliser of a value, or of each item of a list. Null where nothing is normalised, so that most inputs cost
 * nothing.
 */
export function normaliseOf(normalisers: readonly Normaliser[] | undefined): Normalise | null {
  if (!normalisers) return null;
  const steps = normalisers.map((name) => NORMALISERS[name]);
  const normalise: Normalise = (value) => {
    if (typeof value === 'string') return steps.reduce((text, step) => step(text), value);
    return isList(value) ? value.map(normalise) : value;
  };
  return normalise;
}
