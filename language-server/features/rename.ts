/**
 * Renames a name of an author, wherever it is used. It changes only the sources: a table or a column says its former
 * name with `was`, which is offered as a code action at the new name.
 */
import {
  type CodeAction,
  CodeActionKind,
  type Position,
  type Range,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { type Diagnostic, placedWords, severityOf } from '../../compiler/diagnostics/diagnostic.ts';
import { RESERVED } from '../../compiler/syntax/reserved-words.ts';
import { inShortPieces } from '../project/check-loop.ts';
import { type Declared, isLocalKey, localKey, memberKey } from '../project/declared.ts';
import type { KilnFile, Section } from '../project/kiln-file.ts';
import type { CheckedSections, Project } from '../project/project.ts';
import { type Found, locationOfKey, occurrenceAt, occurrencesOf } from './occurrences.ts';
import { changesFrom, placesIn } from './places.ts';

/** The message for the author in place of a rename. */
export class RenameRefusal extends Error {}

export function renamableAt(
  project: Project,
  file: KilnFile,
  position: Position,
): { range: Range; placeholder: string } {
  const { range, name } = demandRenamable(project, file, position);
  return { range, placeholder: name };
}

interface Renaming {
  readonly edit: WorkspaceEdit;
  /** The new key, and the former name. */
  readonly key: string;
  readonly was: string;
}

export async function renaming(
  project: Project,
  file: KilnFile,
  position: Position,
  newName: string,
): Promise<Renaming> {
  const { key, name } = demandRenamable(project, file, position);
  refuseName(newName);
  refuseBroken(project);
  if (newName !== name && isTaken(project, key, newName))
    throw new RenameRefusal(`\`${newName}\` is already the name of something else here`);
  const places = occurrencesOf(project, key);
  const newKey = renamedKey(key, name, newName);
  const reason = newName === name ? undefined : await reasonAgainstRenaming(project, { places, newName, newKey });
  if (reason) throw new RenameRefusal(`\`${newName}\` cannot be the name here: ${reason}`);
  const edits = places.map(({ place: at, range, occurrence }) => ({
    uri: at.file.uri,
    edit: { range, newText: newName + occurrence.suffix },
  }));
  return { edit: { changes: changesFrom(edits) }, key: newKey, was: name };
}

function demandRenamable(project: Project, file: KilnFile, position: Position) {
  const found = occurrenceAt(project, file, position);
  const key = found?.occurrence.key;
  if (!found) throw new RenameRefusal('there is no name here that could be changed');
  if (key === undefined) throw new RenameRefusal('this name is part of Kiln, and cannot be changed');
  const isUnwritten = !isLocalKey(key) && !project.declaring(key);
  if (isUnwritten || key.endsWith('.id')) throw new RenameRefusal('`id` is what every model has; it keeps its name');
  if (found.occurrence.suffix)
    throw new RenameRefusal(
      `this is the key of the reference \`${lastOf(key)}\`; rename the reference, and its key follows`,
    );
  const name = file.text.slice(file.offsetAt(found.range.start), file.offsetAt(found.range.end));
  return { ...found, key, name };
}

function refuseName(name: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new RenameRefusal(
      `\`${name}\` is not a name: letters, digits and \`_\` can be used, and no digit at its beginning`,
    );
  if (RESERVED.has(name)) throw new RenameRefusal(`\`${name}\` is a word of the language, and cannot be a name`);
}

/** A use in a text that cannot be read would be left behind. */
function refuseBroken(project: Project): void {
  const broken = project.files.find((file) => file.sections.some((section) => !section.isSound));
  if (broken) throw new RenameRefusal(`\`${broken.path}\` cannot be read; fix it first, so that no use is left behind`);
}

function isTaken(project: Project, key: string, newName: string): boolean {
  if (isLocalKey(key)) return false;
  const taken = project.declaring(renamedKey(key, lastOf(key), newName)) !== undefined;
  const owner = key.split('.').length > 1 ? project.context?.models.get(key.split('.')[0] as string) : undefined;
  if (!owner) return taken;
  const isReference = owner.members.get(lastOf(key))?.kind === 'reference';
  return taken || owner.members.has(newName) || (isReference && owner.members.has(`${newName}_id`));
}

function lastOf(key: string): string {
  return key.split(/[ .]/).at(-1) as string;
}

function renamedKey(key: string, name: string, newName: string): string {
  return isLocalKey(key) ? key : key.slice(0, key.length - name.length) + newName;
}

// ── was ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The former names of things renamed since the server began, by their new keys. */
export class FormerNames {
  readonly #was = new Map<string, string>();

  /**
   * Remembers a rename. A name that is changed twice had the first one in the last release; one that is changed back
   * had none.
   */
  remember({ key, was }: Renaming): void {
    const before = renamedKey(key, lastOf(key), was);
    const first = this.#was.get(before) ?? was;
    this.#was.delete(before);
    for (const [member, name] of [...this.#was]) {
      if (!member.startsWith(`${before}.`)) continue;
      this.#was.delete(member);
      this.#was.set(memberKey(key, lastOf(member)), name);
    }
    if (first !== lastOf(key)) this.#was.set(key, first);
  }

  /** Offers `was` if something that stores data was renamed. */
  offersAt(project: Project, file: KilnFile, range: Range): readonly CodeAction[] {
    return [...this.#was].flatMap(([key, was]) => {
      const found = project.declaring(key);
      const location = locationOfKey(project, key);
      if (!found || found.declared.was || !KEEPS_DATA.has(found.declared.kind)) return [];
      if (location?.uri !== file.uri || location.range.start.line !== range.start.line) return [];
      const edit = wasEdit(file, location.range, found.declared, was);
      return edit ? [offer(file, was, edit)] : [];
    });
  }
}

const KEEPS_DATA: ReadonlySet<Declared['kind']> = new Set(['model', 'enum', 'value', 'field', 'reference']);

function offer(file: KilnFile, was: string, edit: TextEdit): CodeAction {
  return {
    title: `Keep the data of \`${was}\`: add \`was ${was}\``,
    kind: CodeActionKind.RefactorRewrite,
    edit: { changes: { [file.uri]: [edit] } },
  };
}

/** The edit that adds `was`: behind the name of a model, an enum or a value; in the block of a member. */
function wasEdit(file: KilnFile, name: Range, { kind }: Declared, was: string): TextEdit | undefined {
  if (kind !== 'field' && kind !== 'reference')
    return { range: { start: name.end, end: name.end }, newText: ` was ${was}` };
  const behind = file.offsetAt(name.end);
  const open = file.text.indexOf('{', behind);
  if (open < 0 || file.text.slice(behind, open).trim() !== '') return undefined;
  const at = file.positionAt(open + 1);
  return { range: { start: at, end: at }, newText: ` was ${was},` };
}

// ── Rename trial ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Checks that the program means the same with a new name. The edits are tried on a copy: the compiler may report no new
// error, and every place of the old name, and no other, must be one of the new.

interface Trial {
  readonly places: readonly Found[];
  readonly newName: string;
  /** The key of the name after the rename; that of a local is found here. */
  readonly newKey: string;
}

/** The reason against the rename; undefined if there is none. */
async function reasonAgainstRenaming(project: Project, trial: Trial): Promise<string | undefined> {
  const { places, newName, newKey } = trial;
  const edited = editedSections(places, newName);
  const texts = new Map([...edited].map(([id, { text }]) => [id, text]));
  const after = await inShortPieces(project.checkedWith(texts));
  if (!project.isFresh) return 'the sources have changed meanwhile; try it again';
  if (!after) return 'the text could not be read with it';
  const broken = newErrors(errorsOf(project.checkedSections), errorsOf(after));
  // An error about the name itself tells more than one that follows from it.
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
  /** The new offsets of the name, in the order of the places. */
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

/** The offsets of a place in its section. */
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
    sections.flatMap(([id, section]) =>
      section.occurrences.flatMap((found) => (found.key === key ? [`${id} ${found.start}`] : [])),
    ),
  );
}

function errorsOf(checked: CheckedSections): readonly Diagnostic[] {
  const all = [...checked.values()].flatMap(({ diagnostics }) => diagnostics);
  return all.filter((diagnostic) => severityOf(diagnostic) === 'error');
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
