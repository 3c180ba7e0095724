/** Names and what they mean: at a place, and all the places of one name. */
import type { Location, Position, Range } from 'vscode-languageserver/node';
import type { Occurrence } from '../project/checked-section.ts';
import { isLocalKey } from '../project/declared.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import type { PlacedSection, Project } from '../project/project.ts';
import { shiftBetween } from '../project/shift.ts';

export interface Found {
  readonly occurrence: Occurrence;
  readonly place: PlacedSection;
  readonly range: Range;
}

/** The name at a position, or directly before it. */
export function occurrenceAt(project: Project, file: KilnFile, position: Position): Found | undefined {
  const { section, offset } = file.placeAt(position);
  const place = project.placed(section.id);
  if (!place) return undefined;
  return occurrencesIn(project, place, (start, end) => start <= offset && offset <= end)[0];
}

/** The names of a section that are unchanged since they were checked, limited to those that `isWanted` accepts. */
export function occurrencesIn(
  project: Project,
  place: PlacedSection,
  isWanted: (start: number, end: number, occurrence: Occurrence) => boolean,
): readonly Found[] {
  const { section, file, index } = place;
  const checked = project.checked(section);
  if (!checked) return [];
  const shift = checked.shiftTo(section);
  return checked.occurrences.flatMap((occurrence) => {
    const now = shift.unchanged(occurrence.start, occurrence.end);
    if (!now || !isWanted(now.start, now.end, occurrence)) return [];
    return [{ occurrence, place, range: file.rangeIn(index, now.start, now.end) }];
  });
}

/** All places of a name, its declaration among them, in the order of the project. */
export function occurrencesOf(project: Project, key: string): readonly Found[] {
  const name = key.split(/[ .]/).at(-1) as string;
  // Most sections do not contain the word at all, which is a quick check.
  // The inputs of a mail are used in its templates, too.
  const ids = isLocalKey(key)
    ? [
        key.slice(0, key.lastIndexOf('\n')),
        ...project.files.flatMap(({ isTemplate, path }) => (isTemplate ? path : [])),
      ]
    : project.sections.filter(({ text }) => text.includes(name)).map(({ id }) => id);
  return ids.flatMap((id) => {
    const place = project.placed(id);
    return place ? occurrencesIn(project, place, (_start, _end, occurrence) => occurrence.key === key) : [];
  });
}

/** The declaration of the name, in the current text. */
export function declarationOf(project: Project, { occurrence, place }: Found): Location | undefined {
  const { key, meaning } = occurrence;
  if (meaning?.kind === 'local')
    return localDeclaration(project, project.placed(meaning.declared.file) ?? place, meaning.declared);
  const named = key ?? (meaning?.kind === 'auth' ? meaning.model.name : undefined);
  return named === undefined ? undefined : (locationOfKey(project, named) ?? unwritten(project, named));
}

function localDeclaration(project: Project, place: PlacedSection, declared: { start: number; end: number }) {
  const { file, index, section } = place;
  const now = project.checked(section)?.shiftTo(section).unchanged(declared.start, declared.end);
  return now && { uri: file.uri, range: file.rangeIn(index, now.start, now.end) };
}

export function locationOfKey(project: Project, key: string): Location | undefined {
  const found = project.declaring(key);
  if (!found) return undefined;
  const { place, declared, sound } = found;
  const now = shiftBetween(sound.text, place.section.text).around(declared.name.start, declared.name.end);
  return now && { uri: place.file.uri, range: place.file.rangeIn(place.index, now.start, now.end) };
}

/** The `id` of a model, which nobody has to write, is declared with the model. */
function unwritten(project: Project, key: string): Location | undefined {
  return key.endsWith('.id') ? locationOfKey(project, key.slice(0, -3)) : undefined;
}
