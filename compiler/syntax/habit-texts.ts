/**
 * The texts that replace a habit, if they are more than a template with groups. `habits.json` names these functions.
 */
import { scalarMeantBy } from '../definition/scalars.ts';
import type { Edit } from '../diagnostics/words/words.ts';
import { capitalised, modelName } from './declared-names.ts';
import { enumFrom, ID_HELP, type MeantMember, memberFromColumn, valueText } from './foreign-columns.ts';
import { constraintMember, contextOf, modelText, partsBetweenCommas } from './foreign-models.ts';
import {
  ATTRIBUTES,
  ENDPOINTS,
  foreignType,
  typeText,
  VALIDATORS,
  type WithPattern,
  type WrittenRow,
  withPatterns,
} from './habit-data.ts';
import tables from './habits.json' with { type: 'json' };
import { type FoundHabit, type Habit, type HabitPlace, type Replacement, removal } from './habits.ts';
import { formsOf } from './shapes.ts';

/** Texts to write instead. */
export const REPLACEMENTS: Readonly<Record<string, (found: FoundHabit) => Replacement | undefined>> = {
  tableModel: (found) =>
    modelText(modelName(found.groups.name ?? ''), partsBetweenCommas(bodyOf(found)), contextOf(found)),
  enumDeclaration: ({ groups }) => `enum ${capitalised(groups.name ?? '')} { ${values(groups.values ?? '')} }`,
  indentedModel: (found) => modelText(found.groups.name ?? '', linesOf(found.groups.body), contextOf(found)),
  inApi,
  renamedModel,
  namedColumn: (found) => memberFromColumn(`${found.groups.name}: ${found.groups.type}`, contextOf(found))?.member,
  constraint: (found) => meantConstraint(found)?.member,
  column,
  ruleParameters,
  type: typeInstead,
  bareType,
  validation,
  attribute: ({ groups }) => ATTRIBUTES[(groups.name ?? '').toLowerCase()],
  defaultValue: ({ groups }) => `default ${valueText(groups.value ?? '')}`,
  quotedProperty: ({ groups }) =>
    `${groups.name} ${groups.name === 'type' ? (groups.value ?? '').replaceAll('"', '') : groups.value}`,
  endpoint: ({ groups }) => `${ENDPOINTS[(groups.name ?? '').toLowerCase()]} endpoint`,
  method: ({ groups }) => groups.method?.toUpperCase(),
  selection: ({ groups }) => `response { ${(groups.names ?? '').replace(/["']/g, '').trim()} }`,
  orderBy: ({ groups }) =>
    `order by { ${(groups.items ?? '').replace(/\s*:\s*["']?(asc|desc)["']?/gi, ' $1').trim()} }`,
  orderItem: ({ groups }) => `${groups.path} ${groups.direction?.toLowerCase()}`,
  aggregate: ({ groups }) => `${groups.function?.toLowerCase()}(${groups.path}.${groups.field})`,
  matching,
  listed: ({ groups }) => `${groups.not ? 'not ' : ''}in [${(groups.items ?? '').trim()}]`,
};

/** Advice that depends on what was found. */
export const ADVICE: Readonly<Record<string, (found: FoundHabit) => string | undefined>> = {
  renamedModelHelp: (found) =>
    `a model is renamed before its brace: \`model ${contextOf(found).model} was ${found.groups.old} { … }\``,
  constraintHelp: (found) => meantConstraint(found)?.help,
  columnHelp: (found) => meantColumn(found)?.help,
  typeHelp: digitsHelp,
  attributeHelp: ({ groups }) => (groups.name === 'id' ? ID_HELP : undefined),
};

// ── Declarations and members ────────────────────────────────────────────────────────────────────────────────────────

function inApi({ reading, start, end }: FoundHabit): Replacement {
  const at = (offset: number) => ({ file: reading.source.path, start: offset, end: offset });
  const edits = [
    { span: at(start), text: 'api {\n' },
    { span: at(end), text: '\n}' },
  ];
  return { text: 'api { entrypoint … }', edits };
}

/** The text between the brackets behind the head of a habit. */
function bodyOf({ text }: FoundHabit): string {
  return text.replace(/^[^([{]*[([{]/, '').replace(/[)\]}]\s*;?$/, '');
}

function linesOf(body: string | undefined): readonly string[] {
  return (body ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function values(text: string): string {
  return text
    .split(',')
    .map((value) => value.trim().replace(/^['"]|['"]$/g, ''))
    .join(', ');
}

function renamedModel(found: FoundHabit): Replacement | undefined {
  const { reading, groups, put } = found;
  const brace = reading.frames.findLast((frame) => frame.place === 'model')?.openAt ?? -1;
  const isRenamed = reading.wordAt(brace - 2) === 'was';
  if (brace < 1 || isRenamed) return undefined;
  const file = reading.source.path;
  const edits = [
    { span: reading.spanBehind(reading.tokenAt(brace - 1)), text: ` was ${groups.old}` },
    { span: { file, ...removal(reading.source.text, put) }, text: '' },
  ];
  return { text: `model ${contextOf(found).model} was ${groups.old} { … }`, edits };
}

function column(found: FoundHabit): Replacement | undefined {
  const meant = meantColumn(found);
  if (!meant?.declarations) return meant?.member;
  return { text: meant.member ?? '', edits: editsWith(found, meant.member ?? '', meant.declarations) };
}

/** The edits that put a text in place of the habit, and the declarations that it needs behind the current one. */
function editsWith({ reading, put }: FoundHabit, text: string, declarations: readonly string[]): readonly Edit[] {
  const last = reading.tokenAt(reading.braces.tokens.length - 2);
  return [
    { span: { file: reading.source.path, ...put }, text },
    { span: reading.spanBehind(last), text: declarations.map((declared) => `\n\n${declared}`).join('') },
  ];
}

function meantConstraint(found: FoundHabit): MeantMember | undefined {
  return isMember(found) ? undefined : constraintMember(found.text, contextOf(found));
}

function meantColumn(found: FoundHabit): MeantMember | undefined {
  return isMember(found) ? undefined : memberFromColumn(found.text, contextOf(found));
}

/** Whether a member of Kiln begins here, or a property of a field without its field. */
function isMember({ reading }: FoundHabit): boolean {
  const { at } = reading;
  return reading.fitsForm('model') || formsOf('field').some((form) => reading.reach(form.shapes, at).at > at + 1);
}

// ── Properties of fields ────────────────────────────────────────────────────────────────────────────────────────────

/** A plain name is a type of Kiln, or is looked up where the names are known. */
function typeInstead(found: FoundHabit): Replacement | undefined {
  const written = found.groups.mark ?? '';
  const type = foreignType(written);
  if (!type || /^\w+$/.test(written) || /^\[\s*\w+\s*\]$/.test(written)) return undefined;
  if (type.values) return enumInstead(found, type.values);
  if (/^decimal\s*\(\s*\d+\s*,/.test(written)) return undefined;
  if (type.length !== undefined && type.scalar === 'string') return limitedText(found, type.length);
  return ` ${typeText(type)}${type.isNullable && !has(found, 'nullable') ? ', nullable' : ''}`;
}

/** Of a decimal with one number, which says nothing of the digits after the point. */
function digitsHelp({ groups }: FoundHabit): string | undefined {
  const { scalar, length, places } = foreignType(groups.mark ?? '') ?? {};
  const isUnclear = scalar === 'decimal' && length !== undefined && places === undefined;
  return isUnclear ? `\`decimal(${length}, 2)\` has 2 of its ${length} digits after the point` : undefined;
}

/** The length becomes a validator, on its own or before those that are there. */
function limitedText(found: FoundHabit, length: string): Replacement {
  const { reading, put, end } = found;
  const rule = `maxLength(${length})`;
  const validate = /^[^{}]*\bvalidate\s*\{(?=[^{}]*\})/.exec(reading.source.text.slice(end, end + 500));
  if (!validate) return ` string, validate { ${rule} }`;
  if (has(found, 'maxLength')) return ' string';
  const file = reading.source.path;
  const inside = end + validate[0].length;
  const edits = [
    { span: { file, ...put }, text: ' string' },
    { span: { file, start: inside, end: inside }, text: ` ${rule} and` },
  ];
  return { text: `type string, validate { ${rule} and … }`, edits };
}

/** An enum in place gets a declaration of its own, behind the model. */
function enumInstead(found: FoundHabit, values: readonly string[]): Replacement | undefined {
  const { reading } = found;
  const openAt = reading.frames.findLast((frame) => frame.place === 'field')?.openAt ?? 0;
  const declared = enumFrom(reading.wordAt(openAt - 1) ?? '', values, contextOf(found));
  if (!declared) return undefined;
  const edits = editsWith(found, ` ${declared.name}`, [declared.text]);
  return { text: `type ${declared.name}\`, and declare \`${declared.text}`, edits };
}

/** `note: Note` and `Note note`. Other types are no models. */
function ruleParameters({ groups }: FoundHabit): string | undefined {
  const written = (groups.parameters ?? '').split(',');
  const parts = written.map((each) => /^\s*(?:(\w+)\s*(?::|\bof\b)\s*([A-Z]\w*)|([A-Z]\w*)\s+(\w+))\s*$/.exec(each));
  if (!parts.every((part) => part !== null)) return undefined;
  return `(${parts.map(([, name, model, first, second]) => `${name ?? second} of ${model ?? first}`).join(', ')})`;
}

/** `field title { string }`. */
function bareType({ groups, reading }: FoundHabit): string | undefined {
  const type = foreignType(groups.type ?? '');
  const isBare = type?.scalar !== undefined && !reading.fitsForm('field');
  return isBare ? `type ${type.scalar}${type.length ? `, validate { maxLength(${type.length}) }` : ''}` : undefined;
}

/** The validator as a property. Several validators are one `validate`, so another one cannot be added beside it. */
function validation(found: FoundHabit): string | undefined {
  const { name = '', value = '', args } = found.groups;
  const validator = validatorOf(found, VALIDATORS[name.toLowerCase()] ?? name);
  const given = args ?? (value === 'true' ? '' : value);
  const takesNone = /^(?:is|alpha)/.test(validator);
  const isSizeOfFile = name === 'max' && value.startsWith('"');
  if (isSizeOfFile || takesNone !== (given === '') || has(found, 'validate')) return undefined;
  return `validate { ${validator}(${given}) }`;
}

/** The least and the most of a text are its lengths. */
function validatorOf({ reading }: FoundHabit, validator: string): string {
  const openAt = reading.frames.findLast((frame) => frame.place === 'field')?.openAt ?? reading.at;
  const before = reading.source.text.slice(reading.tokenAt(openAt).start, reading.token.start);
  const type = /\btype\s*[:=]?\s*"?(\w+)/.exec(before)?.[1] ?? '';
  return /^m(?:in|ax)$/.test(validator) && scalarMeantBy(type) === 'string' ? `${validator}Length` : validator;
}

/** Whether the field that is being read has this word, too. */
function has({ reading }: FoundHabit, word: string): boolean {
  const openAt = reading.frames.findLast((frame) => frame.place === 'field')?.openAt;
  const close = openAt === undefined ? undefined : reading.braces.partner.get(openAt);
  if (openAt === undefined || close === undefined) return false;
  for (let at = openAt + 1; at < close; at++) if (reading.wordAt(at) === word) return true;
  return false;
}

// ── Values ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `like "%x%"` finds a part, `like "x%"` a beginning, and `like "%x"` an end. */
function matching({ groups }: FoundHabit): string | undefined {
  const text = groups.text ?? '';
  const inner = text.replace(/^%|%$/g, '');
  if (/[%_]/.test(inner) || inner === '') return undefined;
  const name = text.startsWith('%') ? (text.endsWith('%') ? 'contains' : 'endsWith') : 'startsWith';
  const call = `${name}(${groups.path}, "${inner}")`;
  if (!text.includes('%')) return `${groups.path} is ${groups.not ? 'not ' : ''}"${inner}"`;
  return groups.not ? `not ${call}` : call;
}

// ── Rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

// All known habits, by the places where they are found: the rows of `habits.json`, with their patterns and functions.

/** `insteadBy` and `helpBy` name a function of `habit-texts.ts`. */
interface HabitRow extends WrittenRow, Omit<Habit, 'written' | 'instead' | 'help'> {
  /** The places where it is found, with blanks between them. */
  readonly in: string;
  readonly instead?: string;
  readonly insteadBy?: string;
  readonly help?: string;
  readonly helpBy?: string;
}

export const HABITS: Readonly<Partial<Record<HabitPlace, readonly Habit[]>>> = byPlace(
  withPatterns(tables.habits as readonly HabitRow[]),
);

function byPlace(rows: readonly WithPattern<HabitRow>[]): Record<string, Habit[]> {
  const habits: Record<string, Habit[]> = {};
  for (const row of rows) {
    const habit = {
      ...row,
      written: new RegExp(row.written, `${row.written.flags}dy`),
      instead: row.insteadBy === undefined ? row.instead : REPLACEMENTS[row.insteadBy],
      help: row.helpBy === undefined ? row.help : ADVICE[row.helpBy],
    } as Habit;
    for (const place of row.in.split(' ')) habits[place] = [...(habits[place] ?? []), habit];
  }
  return habits;
}
