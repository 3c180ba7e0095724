/** Whole tables and classes of other languages, and their parts other than columns. */
import { modelMeantBy } from './declared-names.ts';
import { type ColumnContext, ID_HELP, type MeantMember, memberFromColumn, relationMember } from './foreign-columns.ts';
import type { FoundHabit } from './habits.ts';

const TIMESTAMPS =
  'field created_at { type timestamp, default now() }\n  field updated_at { type timestamp, default now(), on update now() }';

/** The surroundings of a habit that was found. */
export function contextOf({ reading }: FoundHabit): ColumnContext {
  return { declared: reading.declared, model: modelAround(reading), text: reading.source.text };
}

/** The name of the model that is being read: before its `{`, or before the `was` there. */
function modelAround(reading: FoundHabit['reading']): string {
  const openAt = reading.frames.findLast((frame) => frame.place === 'model')?.openAt ?? -1;
  return reading.wordAt(reading.wordAt(openAt - 2) === 'was' ? openAt - 3 : openAt - 1) ?? '';
}

interface Constraint {
  readonly written: RegExp;
  readonly member: (groups: Readonly<Record<string, string>>, context: ColumnContext) => MeantMember;
}

const KEY_HELP = 'a key over one field is written in the field: `field slug { type string, unique }`';

const CONSTRAINTS: readonly Constraint[] = [
  {
    written:
      /^(?:@@|add\s+|constraint\s+\w+\s+)?(?<kind>unique|index)(?:\s+(?:key|index))?\s*\(\s*\[?(?<names>[^()[\]]*)\]?\s*\)/i,
    member: ({ kind = '', names = '' }) => keyMember(kind.toLowerCase(), namesFrom(names)),
  },
  {
    written:
      /^(?:constraint\s+\w+\s+)?foreign\s+key\s*\(\s*(?<column>\w+)\s*\)\s*references\s+(?<table>\w+)(?:\s*\(\s*\w+\s*\))?(?:\s*on\s+delete\s+(?<action>cascade|restrict|set\s+null))?/i,
    member: ({ column = '', table = '', action }, context) => {
      const model = modelMeantBy(table, context.declared);
      const rule = action ? `, on delete ${action.toLowerCase().replace(/\s+/g, ' ')}` : '';
      const text = `reference ${column.replace(/_?id$/i, '')} { to ${model ?? '…'}${rule} }`;
      return { member: model && text, help: `a foreign key is written \`${text}\`` };
    },
  },
  {
    written: /^(?:constraint\s+\w+\s+)?(?:@@id|primary\s+key)\s*\(\s*\[?(?<names>[^()[\]]*)\]?\s*\)/i,
    member: ({ names = '' }) =>
      names.trim() === 'id'
        ? { member: '', help: ID_HELP }
        : { member: undefined, help: `${ID_HELP}. A${KEY_HELP.slice(1)}` },
  },
  { written: /^(?:t\.)?timestamps\b(?:\(\))?/, member: () => ({ member: TIMESTAMPS }) },
  {
    written: /^(?:has_many|has_one|hasMany|hasOne)\s*\(?\s*[:"'](?<name>\w+)["']?\)?/,
    member: ({ name = '' }, context) => relationMember(name, modelMeantBy(name, context.declared) ?? '…', context),
  },
  {
    written: /^(?:belongs_to|belongsTo)\s*\(?\s*[:"'](?<name>\w+)["']?\)?/,
    member: ({ name = '' }, context) => {
      const model = modelMeantBy(name, context.declared);
      const text = `reference ${name} { to ${model ?? '…'} }`;
      return { member: model && text, help: `a reference is written \`${text}\`` };
    },
  },
];

function namesFrom(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim().replace(/^["'`:]|["'`]$/g, ''));
}

function keyMember(kind: string, names: readonly string[]): MeantMember {
  const isOne = names.length < 2 || !names.every((name) => /^\w+$/.test(name));
  return isOne
    ? { member: undefined, help: KEY_HELP.replace('unique', kind) }
    : { member: `${kind} { ${names.join(', ')} }` };
}

/** A constraint, a macro or an attribute of a model. */
export function constraintMember(line: string, context: ColumnContext): MeantMember | undefined {
  for (const { written, member } of CONSTRAINTS) {
    const match = written.exec(line.trim());
    if (match) return member((match.groups ?? {}) as Readonly<Record<string, string>>, context);
  }
  return undefined;
}

/** A model from the lines of its columns; undefined if one of them is not certain. */
export function modelText(name: string, lines: readonly string[], context: ColumnContext): string | undefined {
  const inside = { ...context, model: name };
  const meant = lines.map((line) => constraintMember(line, inside) ?? memberFromColumn(line, inside));
  if (meant.some((one) => one?.member === undefined)) return undefined;
  const members = meant.flatMap((one) => (one?.member ? [`  ${one.member}`] : []));
  const declarations = meant.flatMap((one) => one?.declarations ?? []);
  return [`model ${name} {`, ...members, '}', ...declarations.flatMap((declaration) => ['', declaration])].join('\n');
}

/** The text between the outermost brackets, cut at the commas that are in no others. */
export function partsBetweenCommas(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if ('([{'.includes(char)) depth++;
    if (')]}'.includes(char)) depth--;
    if (char === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== '');
}
