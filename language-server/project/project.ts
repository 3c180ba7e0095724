/**
 * The state of one project: its files as they are being edited, and the findings of the last complete check. Questions
 * are answered from both, also while a check is running.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Declaration } from '../../compiler/ast/ast.ts';
import { checkInSteps } from '../../compiler/check/check.ts';
import type { Context, Meaning, Witness } from '../../compiler/check/context.ts';
import { isTemplatePath } from '../../compiler/check/mails.ts';
import { reportOfWhole } from '../../compiler/compile.ts';
import { groupedBy } from '../../compiler/definition/lookup.ts';
import { Diagnostics } from '../../compiler/diagnostics/diagnostics.ts';
import type { Program } from '../../compiler/program/program.ts';
import type { FileText, Span } from '../../compiler/source/source-file.ts';
import { CheckedSection, outlineOf, type Use } from './checked-section.ts';
import type { Declared } from './declared.ts';
import { KilnFile, Section, type Sound } from './kiln-file.ts';

/** A section, and where it is. */
export interface PlacedSection {
  readonly file: KilnFile;
  readonly index: number;
  readonly section: Section;
}

/** The checked sections by the ids of their sections. */
export type CheckedSections = ReadonlyMap<string, CheckedSection>;

export class Project {
  /** The folder; undefined for a text that is in no folder. */
  readonly folder: string | undefined;
  readonly #files = new Map<string, KilnFile>();
  readonly #fileText: FileText;
  /** The templates of mails that no editor has open. */
  #templates: readonly KilnFile[] = [];
  #examined: Examined = { checked: new Map(), context: undefined, program: undefined, templates: new Map() };
  #isFresh = false;
  #isKnown = false;
  #unreadWords: ReadonlySet<string> | undefined;
  #placed: ReadonlyMap<string, PlacedSection> | undefined;
  #declared: ReadonlyMap<string, Section> | undefined;

  constructor(folder: string | undefined, fileText: FileText) {
    this.folder = folder;
    this.#fileText = fileText;
  }

  // ── Files ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The files in the order in which the compiler reads them, and the templates of mails that it has read. */
  get files(): readonly KilnFile[] {
    const closed = this.#templates.filter(({ path }) => !this.#files.has(path));
    return [...this.#files.values(), ...closed].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  file(path: string): KilnFile | undefined {
    return this.#files.get(path);
  }

  add(file: KilnFile): void {
    this.#files.set(file.path, file);
    this.touch();
  }

  remove(path: string): void {
    this.#files.delete(path);
    this.touch();
  }

  /** Marks the project as changed. It must be called whenever a file has changed. */
  touch(): void {
    this.#isFresh = false;
    this.#unreadWords = undefined;
    this.#placed = undefined;
    this.#declared = undefined;
  }

  // ── Checking ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether the last check has seen the current files. */
  get isFresh(): boolean {
    return this.#isFresh;
  }

  /** The context of the last check. A cancelled check changes nothing. */
  get context(): Context | undefined {
    return this.#examined.context;
  }

  /** The program of the last check. If there are errors, the wrong parts are missing or incomplete. */
  get program(): Program | undefined {
    return this.#examined.program;
  }

  /** Whether all files have been read at least once. Before that, looking at a file means waiting for its reading. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** The words of texts that could never be read: a name among them may be declared there. */
  get unreadWords(): ReadonlySet<string> {
    this.#unreadWords ??= new Set(this.#isKnown ? wordsOfUnread(this.sections) : []);
    return this.#unreadWords;
  }

  *check(): Generator<void, void> {
    // Those that are closed are read again.
    const opened = [...this.#files.values()].flatMap((file) => file.sections);
    this.#examined = yield* examine(opened, this.#fileText);
    this.#templates = [...this.#examined.templates].map(
      ([path, text]) => new KilnFile(path, pathToFileURL(join(this.folder ?? '', path)).href, text),
    );
    this.#placed = undefined;
    this.#isFresh = true;
    this.#isKnown = true;
    this.#unreadWords = undefined;
  }

  /**
   * The findings of a check if some sections, by their ids, had other texts. Undefined if one of them cannot be read.
   */
  *checkedWith(texts: ReadonlyMap<string, string>): Generator<void, CheckedSections | undefined> {
    const sections = this.sections.map((section) => {
      const text = texts.get(section.id);
      return text === undefined ? section : new Section(section.id, text);
    });
    if (sections.some(({ id, isSound }) => texts.has(id) && !isSound)) return undefined;
    return (yield* examine(sections, this.#fileText)).checked;
  }

  get checkedSections(): CheckedSections {
    return this.#examined.checked;
  }

  // ── Sections ──────────────────────────────────────────────────────────────────────────────────────────────────────

  get sections(): readonly Section[] {
    return this.files.flatMap((file) => file.sections);
  }

  checked(section: Section): CheckedSection | undefined {
    return this.#examined.checked.get(section.id);
  }

  placed(id: string): PlacedSection | undefined {
    this.#placed ??= placedSections(this.files);
    return this.#placed.get(id);
  }

  /** The section that declares what a key begins with: `Post` for `Post.title`. */
  declaring(
    key: string,
  ): { readonly place: PlacedSection; readonly declared: Declared; readonly sound: Sound } | undefined {
    this.#declared ??= declaringSections(this.sections);
    const [owner = ''] = key.split('.', 1);
    const section = this.#declared.get(owner);
    const place = section && this.placed(section.id);
    const sound = section?.standIn;
    if (!place || !sound) return undefined;
    const outer = outlineOf(sound).find((declared) => declared.key === owner);
    const declared = owner === key ? outer : outer?.children.find((child) => child.key === key);
    return declared && { place, declared, sound };
  }
}

interface Examined {
  readonly checked: CheckedSections;
  readonly context: Context | undefined;
  readonly program: Program | undefined;
  /** The texts of the templates of mails, by their paths. */
  readonly templates: ReadonlyMap<string, string>;
}

function* examine(sections: readonly Section[], disk: FileText): Generator<void, Examined> {
  const templates = new Map<string, string>();
  const fileText: FileText = (path) => {
    const text = sections.find(({ id }) => id === path)?.text ?? disk(path);
    if (text !== undefined && isTemplatePath(path)) templates.set(path, text);
    return text;
  };
  const standing: { readonly id: string; readonly sound: Sound }[] = [];
  for (const { id, standIn: sound } of sections) {
    if (sound) standing.push({ id, sound });
    yield;
  }
  const diagnostics = new Diagnostics();
  const uses: (Use & Pick<Span, 'file'>)[] = [];
  const witness: Witness = {
    meant: (span, meaning) => uses.push({ ...span, meaning, isDeclaration: isDeclaration(span, meaning) }),
  };
  const declarations = standing.flatMap(({ sound }) => sound.declarations);
  const checked =
    (yield* checkInSteps({ declarations }, fileText, diagnostics, witness)) ??
    (yield* checkInSteps({ declarations: withoutDoubles(declarations) }, fileText, new Diagnostics(), witness));
  yield;
  if (checked) reportOfWhole(checked.program, fileText, diagnostics);
  for (const [id, text] of templates) standing.push({ id, sound: { text, declarations: [] } });
  const usesOf = groupedBy(uses, ({ file }) => file);
  const diagnosticsOf = groupedBy(diagnostics.sorted(), ({ span }) => span.file);
  const found = standing.map(({ id, sound }): [string, CheckedSection] => [
    id,
    new CheckedSection(sound, usesOf.get(id) ?? [], diagnosticsOf.get(id) ?? []),
  ]);
  return { checked: new Map(found), context: checked?.context, program: checked?.program, templates };
}

/** Whether the name is where what it means is declared. */
function isDeclaration({ file, start }: Span, meaning: Meaning): boolean {
  const declared = meaning.kind === 'local' ? meaning.declared : undefined;
  return declared?.file === file && declared.start === start;
}

/**
 * Drops the second declaration of a name. The compiler would report nothing but the duplicate; with the first alone,
 * the rest keeps its meaning.
 */
function withoutDoubles(declarations: readonly Declaration[]): readonly Declaration[] {
  const seen = new Set<string>();
  return declarations.filter((declaration) => {
    if (declaration.kind !== 'model' && declaration.kind !== 'enum') return true;
    const isNew = !seen.has(declaration.name.text);
    seen.add(declaration.name.text);
    return isNew;
  });
}

function wordsOfUnread(sections: readonly Section[]): readonly string[] {
  return sections.filter(({ standIn }) => !standIn).flatMap(({ text }) => text.match(/\w+/g) ?? []);
}

function placedSections(files: readonly KilnFile[]): ReadonlyMap<string, PlacedSection> {
  return new Map(
    files.flatMap((file) =>
      file.sections.map((section, index): [string, PlacedSection] => [section.id, { file, index, section }]),
    ),
  );
}

/** The section that declares each name; the first one if there are two. */
function declaringSections(sections: readonly Section[]): ReadonlyMap<string, Section> {
  const found = new Map<string, Section>();
  for (const section of sections) {
    for (const { key } of section.standIn ? outlineOf(section.standIn) : [])
      if (key && !found.has(key)) found.set(key, section);
  }
  return found;
}
