/**
 * Whether the program means the same with a new name. The edits are tried on the side: the compiler may find nothing wrong
 * that it did not find before, and every place of the old name, and no other, must be one of the new.
 */
import { type Diagnostic, severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { placedWords } from '../../compiler/diagnostics/placed-words.ts';
import { isLocalKey, localKey } from '../project/names.ts';
import type { CheckedSections, Project } from '../project/project.ts';
import type { Section } from '../project/section.ts';
import { inShortPieces } from '../project/short-pieces.ts';
import type { Found } from './occurrences.ts';
import { placesIn } from './places.ts';

interface Trial {
  readonly places: readonly Found[];
  readonly newName: string;
  /** What the name is known by then; that of a local is found here. */
  readonly newKey: string;
}

/** What speaks against it, or nothing. */
export async function reasonAgainstRenaming(project: Project, trial: Trial): Promise<string | undefined> {
  const { places, newName, newKey } = trial;
  const edited = editedSections(places, newName);
  const texts = new Map([...edited].map(([id, { text }]) => [id, text]));
  const after = await inShortPieces(project.checkedWith(texts));
  if (!project.isFresh) return 'the sources have changed meanwhile; try it again';
  if (!after) return 'the text could not be read with it';
  const broken = newErrors(errorsOf(project.checkedSections), errorsOf(after));
  // What is said of the name itself tells more than what follows from it.
  const isOfName = ({ span: { file, start, end } }: Diagnostic) =>
    after.get(file)?.sound.text.slice(start, end) === newName;
  const first = broken.find(isOfName) ?? broken[0];
  if (first) return placedWords(first, placesIn(project, 'checked')).message;
  const local = localKeyAfter(places, edited);
  const named = placesOf(after, isLocalKey(newKey) && local ? local : newKey, newName);
  const expected = [...edited].flatMap(([id, { starts }]) => starts.map((start) => `${id} ${start}`));
  const isSame = named.size === expected.length && expected.every((place) => named.has(place));
  return isSame ? undefined : 'it already means something else where it would be used';
}

interface EditedSection {
  readonly text: string;
  /** Where the name then is, in the order of the places. */
  readonly starts: readonly number[];
}

function editedSections(places: readonly Found[], newName: string): ReadonlyMap<string, EditedSection> {
  const sections = new Set(places.map(({ place }) => place.section));
  const placesIn = (section: Section) => places.filter(({ place }) => place.section === section);
  return new Map([...sections].map((section) => [section.id, edited(section.text, placesIn(section), newName)]));
}

function edited(text: string, places: readonly Found[], newName: string): EditedSection {
  let result = '';
  let from = 0;
  const starts: number[] = [];
  for (const found of places) {
    const { start, end } = offsetsOf(found);
    result += text.slice(from, start);
    starts.push(result.length);
    result += newName + found.occurrence.suffix;
    from = end;
  }
  return { text: result + text.slice(from), starts };
}

/** In the section. */
function offsetsOf({ place: { file, index }, range }: Found): { readonly start: number; readonly end: number } {
  const from = file.startOf(index);
  return { start: file.offsetAt(range.start) - from, end: file.offsetAt(range.end) - from };
}

function localKeyAfter(places: readonly Found[], edited: ReadonlyMap<string, EditedSection>): string | undefined {
  const index = places.findIndex(({ occurrence }) => occurrence.isDeclaration);
  const id = places[index]?.place.section.id;
  const start = id === undefined ? undefined : edited.get(id)?.starts[index];
  return id === undefined || start === undefined ? undefined : localKey({ file: id, start });
}

function placesOf(checked: CheckedSections, key: string, name: string): ReadonlySet<string> {
  const sections = [...checked].filter(([, { sound }]) => sound.text.includes(name));
  return new Set(
    sections.flatMap(([id, section]) => section.occurrencesOf(key, name).map(({ start }) => `${id} ${start}`)),
  );
}

function errorsOf(checked: CheckedSections): readonly Diagnostic[] {
  return [...checked.values()].flatMap(({ diagnostics }) => diagnostics.filter(isError));
}

function isError(diagnostic: Diagnostic): boolean {
  return severityOf(diagnostic) === 'error';
}

/** The places move with the edits, so errors are told apart by where they are roughly, and by what they say. */
function newErrors(before: readonly Diagnostic[], after: readonly Diagnostic[]): readonly Diagnostic[] {
  const left = new Map<string, number>();
  const kindOf = ({ code, span }: Diagnostic) => `${span.file} ${code}`;
  for (const diagnostic of before) left.set(kindOf(diagnostic), (left.get(kindOf(diagnostic)) ?? 0) + 1);
  return after.filter((diagnostic) => {
    const count = left.get(kindOf(diagnostic)) ?? 0;
    left.set(kindOf(diagnostic), count - 1);
    return count <= 0;
  });
}
