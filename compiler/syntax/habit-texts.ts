/**
 * The texts that replace a habit, if they are more than a template with groups. `habits.json` names these functions.
 */
import { scalarMeantBy } from '../definition/scalars.ts';
import { capitalised } from './declared-names.ts';
import { type ColumnContext, enumHelp, ID_HELP, memberFromColumn, valueText } from './foreign-columns.ts';
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
import type { FoundHabit, Habit, HabitPlace } from './habits.ts';
import { formsOf } from './shapes.ts';

/** Texts to write instead. */
export const REPLACEMENTS: Readonly<Record<string, (found: FoundHabit) => string | undefined>> = {
  enumDeclaration: ({ groups }) => `enum ${capitalised(groups.name ?? '')} { ${values(groups.values ?? '')} }`,
  namedColumn: (found) => memberFromColumn(`${found.groups.name}: ${found.groups.type}`, contextOf(found))?.member,
  column: (found) => meantColumn(found)?.member,
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
  columnHelp: (found) => meantColumn(found)?.help,
  typeHelp,
  attributeHelp: ({ groups }) => (groups.name === 'id' ? ID_HELP : undefined),
};

// ── Declarations and members ────────────────────────────────────────────────────────────────────────────────────────

/** The surroundings of a habit that was found. */
function contextOf({ reading }: FoundHabit): ColumnContext {
  return { declared: reading.declared, model: modelAround(reading), text: reading.source.text };
}

/** The name of the model that is being read: before its `{`, or before the `was` there. */
function modelAround(reading: FoundHabit['reading']): string {
  const openAt = reading.frames.findLast((frame) => frame.place === 'model')?.openAt ?? -1;
  return reading.wordAt(reading.wordAt(openAt - 2) === 'was' ? openAt - 3 : openAt - 1) ?? '';
}

function values(text: string): string {
  return text
    .split(',')
    .map((value) => value.trim().replace(/^['"]|['"]$/g, ''))
    .join(', ');
}

function meantColumn(found: FoundHabit) {
  return isMember(found) ? undefined : memberFromColumn(found.text, contextOf(found));
}

/** Whether a member of Kiln begins here, or a property of a field without its field. */
function isMember({ reading }: FoundHabit): boolean {
  const { at } = reading;
  return reading.fitsForm('model') || formsOf('field').some((form) => reading.reach(form.shapes, at).at > at + 1);
}

// ── Properties of fields ────────────────────────────────────────────────────────────────────────────────────────────

/** A plain name is a type of Kiln, or is looked up where the names are known. */
function typeInstead(found: FoundHabit): string | undefined {
  const written = found.groups.mark ?? '';
  const type = foreignType(written);
  if (!type || type.values || /^\w+$/.test(written) || /^\[\s*\w+\s*\]$/.test(written)) return undefined;
  if (/^decimal\s*\(\s*\d+\s*,/.test(written) || lacksLength(found)) return undefined;
  if (type.length !== undefined && type.scalar === 'string')
    return has(found, 'maxLength') ? ' string' : ` string, validate { maxLength(${type.length}) }`;
  return ` ${typeText(type)}${type.isNullable && !has(found, 'nullable') ? ', nullable' : ''}`;
}

/** Whether the length of a text belongs to the validators that are there. */
function lacksLength(found: FoundHabit): boolean {
  const { scalar, length } = foreignType(found.groups.mark ?? '') ?? {};
  return scalar === 'string' && length !== undefined && has(found, 'validate') && !has(found, 'maxLength');
}

function typeHelp(found: FoundHabit): string | undefined {
  const { scalar, length, places, values } = foreignType(found.groups.mark ?? '') ?? {};
  if (values) return enumHelp(fieldAround(found), values);
  if (lacksLength(found)) return `write \`string\`, and add \`maxLength(${length})\` to the \`validate\``;
  // One number says nothing of the digits after the point.
  const isUnclear = scalar === 'decimal' && length !== undefined && places === undefined;
  return isUnclear ? `\`decimal(${length}, 2)\` has 2 of its ${length} digits after the point` : undefined;
}

function fieldAround({ reading }: FoundHabit): string {
  const openAt = reading.frames.findLast((frame) => frame.place === 'field')?.openAt ?? 0;
  return reading.wordAt(openAt - 1) ?? '';
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
