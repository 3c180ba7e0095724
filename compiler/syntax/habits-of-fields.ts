/** Properties of fields, as other languages write them. */
import { scalarMeantBy } from '../definition/scalars.ts';
import { enumFrom, ID_HELP, valueText } from './foreign-columns.ts';
import { contextOf } from './foreign-models.ts';
import { type ForeignType, foreignType, TYPE_TEXT } from './foreign-types.ts';
import type { FoundHabit, Habit, HabitPlace, Replacement } from './habits.ts';

const REQUIRED = 'a field is required, unless it is `nullable`';

/** Validators by the names that other languages have for them; `value` is what follows the name. */
const VALIDATORS: Readonly<Record<string, string>> = {
  maxlength: 'maxLength',
  max_length: 'maxLength',
  limit: 'maxLength',
  minlength: 'minLength',
  min_length: 'minLength',
  min: 'min',
  max: 'max',
  minimum: 'min',
  maximum: 'max',
  min_value: 'min',
  max_value: 'max',
  pattern: 'pattern',
  regex: 'pattern',
  match: 'pattern',
  oneof: 'oneOf',
  isemail: 'isEmail',
  email: 'isEmail',
  isurl: 'isUrl',
  url: 'isUrl',
  isuuid: 'isUuid',
  alphanumeric: 'alphanumeric',
};

const VALIDATOR_NAMES = Object.keys(VALIDATORS).join('|');

/** Attributes of Prisma and others, as properties. Those with an empty text say nothing that Kiln needs. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  unique: 'unique',
  index: 'index',
  nullable: 'nullable',
  optional: 'nullable',
  updatedat: 'on update now()',
  id: '',
  map: '',
  db: '',
  column: '',
  required: '',
};

const FIELD: readonly Habit[] = [
  {
    written: new RegExp(`type(?<put>\\s*[:=]?\\s*(?<mark>${TYPE_TEXT}))`),
    instead: typeInstead,
  },
  {
    written: /(?:not\s+null|(?:null|nullable|optional)\s*[:=]\s*false|required\s*[:=]\s*true)\b/i,
    instead: '',
    help: REQUIRED,
  },
  {
    written: /blank\s*=\s*(?:True|False)\b/,
    instead: '',
    help: 'a text may be empty, unless it has `validate { minLength(1) }`',
  },
  { written: /(?:(?:null|nullable|optional)\s*[:=]\s*true|required\s*[:=]\s*false|null)\b/i, instead: 'nullable' },
  { written: /(?<name>unique|index|secret|internal)\s*(?:[:=]\s*)?true\b/i, instead: '$<name>' },
  { written: /(?:unique|index|secret|internal)\s*(?:[:=]\s*)?false\b/i, instead: '' },
  { written: /(?:primary\s+key|primary_key\s*[:=]\s*true|auto_?increment)\b/i, instead: '', help: ID_HELP },
  {
    written: new RegExp(
      `(?<name>${VALIDATOR_NAMES})\\b(?:\\s*[:=]?\\s*(?<value>-?\\d+(?:\\.\\d+)?|"[^"\\n]*"|true)|\\((?<args>[^()\\n]*)\\))?`,
      'i',
    ),
    instead: validation,
  },
  {
    written: /check\s*(?=\()/i,
    hasBody: true,
    help: 'a rule for a value is written `validate { min(1) }`; one of your own is a `validator`',
  },
  {
    written: /@default\(\s*(?<value>[^()\n]*(?:\([^()\n]*\))?)\s*\)/,
    instead: ({ groups }) => `default ${valueText(groups.value ?? '')}`,
  },
  { written: /@(?<name>\w+)(?:\.\w+)?(?:\([^()\n]*\))?/, instead: attribute, help: attributeHelp },
  {
    written: /["'](?<name>type|default)["']\s*:\s*(?<value>"[^"\n]*"|\w+)/,
    instead: ({ groups }) =>
      `${groups.name} ${groups.name === 'type' ? (groups.value ?? '').replaceAll('"', '') : groups.value}`,
  },
  { written: /["'](?<name>unique|nullable|index|secret|internal)["']\s*:\s*true\b/, instead: '$<name>' },
  { written: /(?<type>[A-Za-z]\w*(?:\(\s*\d+\s*\))?)(?=\s*[,}])/, instead: bareType },
];

export const FIELD_HABITS: Readonly<Partial<Record<HabitPlace, readonly Habit[]>>> = {
  field: FIELD,
  validator_arg: FIELD.slice(0, 1),
};

// ── Types ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A plain name is a type of Kiln, or is looked up where the names are known. */
function typeInstead(found: FoundHabit): Replacement | undefined {
  const written = found.groups.mark ?? '';
  const type = foreignType(written);
  if (!type || /^\w+$/.test(written) || /^\[\s*\w+\s*\]$/.test(written)) return undefined;
  if (type.values) return enumInstead(found, type.values);
  const name = type.scalar ?? type.name;
  if (type.length !== undefined && type.scalar === 'string') return limitedText(found, type.length);
  return ` ${type.isList ? `[${name}]` : name}${type.isNullable && !has(found, 'nullable') ? ', nullable' : ''}`;
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
  const { reading, put } = found;
  const openAt = reading.frames.findLast((frame) => frame.place === 'field')?.openAt ?? 0;
  const declared = enumFrom(reading.wordAt(openAt - 1) ?? '', values, contextOf(found));
  if (!declared) return undefined;
  const last = reading.tokenAt(reading.braces.tokens.length - 2);
  const edits = [
    { span: { file: reading.source.path, ...put }, text: ` ${declared.name}` },
    { span: reading.spanBehind(last), text: `\n\n${declared.text}` },
  ];
  return { text: `type ${declared.name}\`, and declare \`${declared.text}`, edits };
}

/** `field title { string }`. */
function bareType({ groups, reading }: FoundHabit): string | undefined {
  const type: ForeignType | undefined = foreignType(groups.type ?? '');
  const isBare = type?.scalar !== undefined && !reading.fitsForm('field');
  return isBare ? `type ${type.scalar}${type.length ? `, validate { maxLength(${type.length}) }` : ''}` : undefined;
}

// ── Validators and attributes ───────────────────────────────────────────────────────────────────────────────────────

/** Several validators are one `validate`, so another one cannot be put beside it. */
function validation(found: FoundHabit): string | undefined {
  const { name = '', value = '', args } = found.groups;
  const validator = validatorOf(found, VALIDATORS[name.toLowerCase()] ?? name);
  const given = args ?? (value === 'true' ? '' : value);
  const takesNone = /^(?:is|alpha)/.test(validator);
  if (takesNone !== (given === '') || has(found, 'validate')) return undefined;
  return `validate { ${validator}(${given}) }`;
}

/** The least and the most of a text are its lengths. */
function validatorOf({ reading }: FoundHabit, validator: string): string {
  const openAt = reading.frames.findLast((frame) => frame.place === 'field')?.openAt ?? reading.at;
  const before = reading.source.text.slice(reading.tokenAt(openAt).start, reading.token.start);
  const type = /\btype\s*[:=]?\s*"?(\w+)/.exec(before)?.[1] ?? '';
  return /^m(?:in|ax)$/.test(validator) && scalarMeantBy(type) === 'string' ? `${validator}Length` : validator;
}

function attribute({ groups }: FoundHabit): string | undefined {
  return ATTRIBUTES[(groups.name ?? '').toLowerCase()];
}

function attributeHelp({ groups }: FoundHabit): string | undefined {
  return groups.name === 'id' ? ID_HELP : undefined;
}

/** Whether the field that is being read says this, too. */
function has({ reading }: FoundHabit, word: string): boolean {
  const openAt = reading.frames.findLast((frame) => frame.place === 'field')?.openAt;
  const close = openAt === undefined ? undefined : reading.braces.partner.get(openAt);
  if (openAt === undefined || close === undefined) return false;
  for (let at = openAt + 1; at < close; at++) if (reading.wordAt(at) === word) return true;
  return false;
}
