import type { Meaning } from '../../compiler/check/context.ts';
import { memoized } from '../../compiler/definition/memo.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { type Declared, declaredBy, keyOf } from './declared.ts';
import type { Section, Sound } from './kiln-file.ts';
import { type Shift, shiftBetween } from './shift.ts';

/** A name somewhere in a section, and what it means. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  /** The key; undefined for a built-in. */
  readonly key: string | undefined;
  readonly suffix: string;
  /** The meaning; undefined at a declaration that only its key describes. */
  readonly meaning: Meaning | undefined;
  readonly isDeclaration: boolean;
}

export interface Use {
  readonly start: number;
  readonly end: number;
  readonly meaning: Meaning;
  readonly isDeclaration: boolean;
}

/** The findings of the last completed check in one section. Its places are those of the text at that time. */
export class CheckedSection {
  readonly sound: Sound;
  readonly diagnostics: readonly Diagnostic[];
  readonly #uses: readonly Use[];
  #occurrences: readonly Occurrence[] | undefined;
  #shift: { readonly to: Section; readonly shift: Shift } | undefined;

  constructor(sound: Sound, uses: readonly Use[], diagnostics: readonly Diagnostic[]) {
    this.sound = sound;
    this.diagnostics = diagnostics;
    this.#uses = uses;
  }

  /** The occurrences in the order of the text, no two at one place. */
  get occurrences(): readonly Occurrence[] {
    this.#occurrences ??= occurrencesFrom(withChildren(outlineOf(this.sound)), this.#uses);
    return this.#occurrences;
  }

  /** The shift from the checked text to the current one. */
  shiftTo(section: Section): Shift {
    if (this.#shift?.to !== section) this.#shift = { to: section, shift: shiftBetween(this.sound.text, section.text) };
    return this.#shift.shift;
  }
}

export const outlineOf = memoized((sound: Sound): readonly Declared[] => sound.declarations.map(declaredBy));

/** The occurrences of uses and of declared names. A declaration replaces a use at the same place. */
function occurrencesFrom(declared: readonly Declared[], uses: readonly Use[]): readonly Occurrence[] {
  const byStart = new Map<number, Occurrence>();
  for (const { start, end, meaning, isDeclaration } of uses) {
    const { key, suffix } = keyOf(meaning) ?? { key: undefined, suffix: '' };
    byStart.set(start, { start, end, key, suffix, meaning, isDeclaration });
  }
  for (const { name, key } of declared) {
    if (!key) continue;
    byStart.set(name.start, { ...name, key, suffix: '', meaning: undefined, isDeclaration: true });
  }
  return [...byStart.values()].sort((a, b) => a.start - b.start);
}

function withChildren(outline: readonly Declared[]): readonly Declared[] {
  return outline.flatMap((declared) => [declared, ...withChildren(declared.children)]);
}
