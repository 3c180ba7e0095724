/** What `normalise` does to a text from outside, as the functions of the same names do. */
import type { Normaliser } from '../../compiler/definition/expression.ts';
import { isList } from './json.ts';
import type { Value } from './value.ts';

const NORMALISERS: Readonly<Record<Normaliser, (text: string) => string>> = {
  trim: (text) => text.trim(),
  lower: (text) => text.toLowerCase(),
};

export type Normalise = (value: Value) => Value;

/** Of a list, each item. Null where nothing is normalised, so that most inputs cost nothing. */
export function normaliseOf(normalisers: readonly Normaliser[] | undefined): Normalise | null {
  if (!normalisers) return null;
  const steps = normalisers.map((name) => NORMALISERS[name]);
  const normalise: Normalise = (value) => {
    if (typeof value === 'string') return steps.reduce((text, step) => step(text), value);
    return isList(value) ? value.map(normalise) : value;
  };
  return normalise;
}
