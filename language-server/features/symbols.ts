/** The outline of a file, and names across the workspace. */
import { type DocumentSymbol, type SymbolInformation, SymbolKind } from 'vscode-languageserver/node';
import { outlineOf } from '../project/checked-section.ts';
import type { Declared, DeclaredKind } from '../project/declared.ts';
import type { KilnFile, Section } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { type Shift, shiftBetween } from '../project/shift.ts';

const KINDS: Readonly<Record<DeclaredKind, SymbolKind>> = {
  model: SymbolKind.Class,
  enum: SymbolKind.Enum,
  value: SymbolKind.EnumMember,
  validator: SymbolKind.Function,
  rule: SymbolKind.Function,
  setting: SymbolKind.Constant,
  job: SymbolKind.Function,
  reaction: SymbolKind.Event,
  schedule: SymbolKind.Event,
  mail: SymbolKind.Function,
  webhook: SymbolKind.Event,
  shape: SymbolKind.Struct,
  api: SymbolKind.Module,
  entrypoint: SymbolKind.Interface,
  endpoint: SymbolKind.Method,
  auth: SymbolKind.Key,
  runtime: SymbolKind.Package,
  populator: SymbolKind.Object,
  generator: SymbolKind.Object,
  field: SymbolKind.Field,
  reference: SymbolKind.Field,
  relation: SymbolKind.Property,
  computed: SymbolKind.Property,
  query: SymbolKind.Method,
  hook: SymbolKind.Event,
  unique: SymbolKind.Key,
  index: SymbolKind.Key,
  drop: SymbolKind.Null,
  'drop-model': SymbolKind.Null,
  'drop-job': SymbolKind.Null,
};

export function outlineOfFile(file: KilnFile): readonly DocumentSymbol[] {
  return file.sections.flatMap((section, index) => outlineOfSection(file, section, index));
}

/** The outline of a section. One that cannot be read is shown as it was when it last could be. */
function outlineOfSection(file: KilnFile, section: Section, index: number): readonly DocumentSymbol[] {
  const sound = section.standIn;
  if (!sound) return headOfSection(file, section, index);
  const shift = shiftBetween(sound.text, section.text);
  return outlineOf(sound).flatMap((declared) => symbolOf(file, index, declared, shift) ?? []);
}

function symbolOf(file: KilnFile, index: number, declared: Declared, shift: Shift): DocumentSymbol | undefined {
  const whole = shift.around(declared.span.start, declared.span.end);
  const name = shift.around(declared.name.start, declared.name.end);
  if (!whole || !name || name.start < whole.start || name.end > whole.end) return undefined;
  const children = declared.children.flatMap((child) => symbolOf(file, index, child, shift) ?? []);
  return {
    name: declared.title,
    detail: DETAILS.has(declared.kind) ? declared.kind : '',
    kind: KINDS[declared.kind],
    range: file.rangeIn(index, whole.start, whole.end),
    selectionRange: file.rangeIn(index, name.start, name.end),
    children,
  };
}

/** The kinds whose title alone tells too little. */
const DETAILS: ReadonlySet<DeclaredKind> = new Set([
  'reference',
  'relation',
  'computed',
  'query',
  'hook',
  'entrypoint',
  'endpoint',
]);

const HEAD = /^(model|enum|shape|rule|setting|job|mail|validator|populator|runtime|api)[ \t]+([A-Za-z_]\w*)/m;

/** The name of a section whose text could never be read. */
function headOfSection(file: KilnFile, { text }: Section, index: number): readonly DocumentSymbol[] {
  const found = HEAD.exec(text);
  const [head = '', kind = '', name = ''] = found ?? [];
  if (!found || !isDeclared(kind)) return [];
  const end = text.trimEnd().length;
  const range = file.rangeIn(index, found.index, Math.max(end, found.index + head.length));
  const nameStart = found.index + head.length - name.length;
  return [{ name, kind: KINDS[kind], range, selectionRange: file.rangeIn(index, nameStart, nameStart + name.length) }];
}

function isDeclared(word: string): word is keyof typeof KINDS {
  return Object.hasOwn(KINDS, word);
}

const MOST_SYMBOLS = 500;

/** Finds names with the letters of the question in their order. */
export function symbolsNamed(projects: readonly Project[], question: string): readonly SymbolInformation[] {
  const wanted = new RegExp([...question].map((letter) => letter.replace(/\W/, '\\$&')).join('.*'), 'i');
  const found: SymbolInformation[] = [];
  for (const file of projects.flatMap((project) => project.files)) {
    for (const [index, section] of file.sections.entries()) {
      const sound = section.standIn;
      if (!sound) continue;
      const shift = shiftBetween(sound.text, section.text);
      for (const { declared, container } of withContainers(outlineOf(sound), file.path)) {
        const { title, kind } = declared;
        const name = wanted.test(title) && shift.unchanged(declared.name.start, declared.name.end);
        const location = name && { uri: file.uri, range: file.rangeIn(index, name.start, name.end) };
        if (location) found.push({ name: title, kind: KINDS[kind], containerName: container, location });
        if (found.length === MOST_SYMBOLS) return found;
      }
    }
  }
  return found;
}

interface Contained {
  readonly declared: Declared;
  readonly container: string;
}

function withContainers(outline: readonly Declared[], container: string): readonly Contained[] {
  return outline.flatMap((declared) => [{ declared, container }, ...withContainers(declared.children, declared.title)]);
}
