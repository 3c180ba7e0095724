/** Random edits of sources, each in one place. Many of them leave a program that is still right. */
import fc from 'fast-check';
import type { SourceFile } from '../../../../compiler/source/source-file.ts';

export interface Slip {
  readonly kind: 'line' | 'word' | 'number' | 'type' | 'flag';
  readonly file: number;
  readonly at: number;
}

export const SLIP: fc.Arbitrary<Slip> = fc.record({
  kind: fc.constantFrom('line', 'word', 'number', 'type', 'flag'),
  file: fc.nat(),
  at: fc.nat(),
});

/** What is found, and what takes its place. */
const SLIPS: Readonly<Record<Slip['kind'], readonly [RegExp, string]>> = {
  line: [/^ +\S.*\n/gm, ''],
  word: [/(?<=[{,] )\w+, /g, ''],
  number: [/\d+/g, '7'],
  type: [/type (string|integer|date|timestamp|boolean)/g, 'type json'],
  flag: [/(?<=type \w+)(?= [},]|, )/g, ', nullable'],
};

export function slipped(sources: readonly SourceFile[], { kind, file, at }: Slip): readonly SourceFile[] {
  const index = file % sources.length;
  return sources.map((source, each) =>
    each === index ? { ...source, text: slippedText(source.text, kind, at) } : source,
  );
}

function slippedText(text: string, kind: Slip['kind'], at: number): string {
  const [pattern, replacement] = SLIPS[kind];
  const places = [...text.matchAll(pattern)];
  const place = places[at % Math.max(places.length, 1)];
  if (place === undefined) return text;
  return `${text.slice(0, place.index)}${replacement}${text.slice(place.index + place[0].length)}`;
}
