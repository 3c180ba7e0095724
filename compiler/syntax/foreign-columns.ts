/**
 * Members of a model as the columns and properties of other languages: `title varchar(80) NOT NULL`, `title: String!`,
 * `title String @unique`, `t.string :title, null: false`, `title = models.CharField(max_length=80)`.
 */
import { scalarMeantBy } from '../definition/scalars.ts';
import { capitalised, type DeclaredNames, modelMeantBy, referenceBetween } from './declared-names.ts';
import { DJANGO_TYPES, type ForeignType, foreignType, MODIFIERS, TYPE_TEXT, typeText, VALUES } from './habit-data.ts';

/** A column of another language, in its parts. */
interface Column {
  readonly name: string;
  readonly type: ForeignType;
  readonly properties: readonly string[];
  readonly isId: boolean;
  /** The model or table that it refers to, as written. */
  readonly target: string | undefined;
  /** Whether a sign stands between the name and the type, so that it can only be a member. */
  readonly isJoined: boolean;
}

/** The surroundings of a column. */
export interface ColumnContext {
  readonly declared: DeclaredNames;
  /** The model around it. */
  readonly model: string;
  /** The text of the file. */
  readonly text: string;
}

/** `member` is empty if the model has it already, and undefined if nothing is certain. */
export interface MeantMember {
  readonly member: string | undefined;
  readonly help?: string;
  /** Declarations that it needs, such as an enum. */
  readonly declarations?: readonly string[];
}

const KEY_HELP = 'a reference has its key: `reference author { to User }` makes `author_id`';
export const ID_HELP = 'every model has an `id` of its own; `field id { type uuid }` makes it a UUID';

/** The member that was meant by a line, without the comma or semicolon at its end. */
export function memberFromColumn(line: string, context: ColumnContext): MeantMember | undefined {
  const column = columnFrom(
    line
      .trim()
      .replace(/[,;]+$/, '')
      .trim(),
  );
  return column && memberFrom(column, context);
}

// ── Shapes of lines ─────────────────────────────────────────────────────────────────────────────────────────────────

interface LineShape {
  readonly written: RegExp;
  /** Whether `rest` are the arguments of a call; the first may be a model. */
  readonly isCall?: boolean;
  /** The names of types in other languages that are no types of SQL. */
  readonly types?: Readonly<Record<string, string>>;
}

const RAILS_TYPES = { references: 'reference', belongs_to: 'reference', datetime: 'timestamp' };

const LINE_SHAPES: readonly LineShape[] = [
  { written: /^t\.(?<type>\w+)\s+:(?<name>\w+)(?<rest>(?:\s*,.*)?)$/, types: RAILS_TYPES },
  {
    written: /^(?<name>\w+)\s*(?<sign>=)\s*(?:models\.)?(?<type>[A-Z]\w*)\s*\((?<rest>.*)\)$/,
    types: DJANGO_TYPES,
    isCall: true,
  },
  {
    written: new RegExp(
      `^(?:field\\s+)?(?:["\`](?<quoted>\\w+)["\`]|(?<name>(?!(?:field|reference|relation|computed|query|hook|unique|index|drop)\\s)[A-Za-z_]\\w*))\\s*(?<asks>\\?)?\\s*(?<sign>:=|=>|->|==|[:=])?\\s*(?<type>${TYPE_TEXT})(?<rest>(?:[\\s,@].*)?)$`,
    ),
  },
];

function columnFrom(line: string): Column | undefined {
  for (const { written, types, isCall = false } of LINE_SHAPES) {
    const groups = written.exec(line)?.groups;
    if (!groups) continue;
    const column = columnFromGroups(groups, types, isCall);
    if (column) return column;
  }
  return undefined;
}

function columnFromGroups(
  groups: Readonly<Record<string, string | undefined>>,
  types: LineShape['types'],
  isCall: boolean,
): Column | undefined {
  const written = groups.type ?? '';
  if (types && !(written in types) && !scalarMeantBy(written)) return undefined;
  const type = foreignType(types?.[written] ?? written);
  const modifiers = modifiersFrom(groups.rest ?? '', isCall);
  const name = groups.quoted ?? groups.name ?? '';
  if (!type || !modifiers || (/^"/.test(written) && !type.values && !groups.sign)) return undefined;
  const isNullable = type.isNullable || groups.asks !== undefined;
  return {
    name,
    type,
    properties: [...(isNullable ? ['nullable'] : []), ...modifiers.properties],
    isId: modifiers.isId || /^(?:small|big)?serial$/i.test(written) || type.name === 'serial' || isIdType(name, type),
    target: modifiers.target,
    isJoined: groups.sign !== undefined,
  };
}

function isIdType(name: string, { name: type, scalar }: ForeignType): boolean {
  return name === 'id' && (type === 'ID' || scalar === 'integer');
}

// ── What stands behind a type ───────────────────────────────────────────────────────────────────────────────────────

function modifiersFrom(text: string, isCall: boolean): Pick<Column, 'properties' | 'isId' | 'target'> | undefined {
  const properties: string[] = [];
  let isId = false;
  let target: string | undefined;
  let rest = text;
  while (rest !== '') {
    const found = firstModifier(rest, isCall);
    if (!found) return undefined;
    const { modifier, match } = found;
    isId ||= modifier.isId ?? false;
    target ??= match.groups?.target;
    if (modifier.property) properties.push(propertyText(modifier.property, match.groups ?? {}));
    rest = rest.slice(match[0].length);
  }
  return { properties, isId, target };
}

function firstModifier(
  text: string,
  isCall: boolean,
): { modifier: (typeof MODIFIERS)[number]; match: RegExpExecArray } | undefined {
  for (const modifier of MODIFIERS) {
    const match = isCall || !modifier.isArgument ? modifier.written.exec(text) : null;
    if (match) return { modifier, match };
  }
  return undefined;
}

function propertyText(property: string, groups: Readonly<Record<string, string | undefined>>): string {
  if (property === 'default') return `default ${valueText(groups.value ?? '')}`;
  return property.replace(/\$<(\w+)>/g, (_, name: string) => (groups[name] ?? '').toLowerCase().replace(/\s+/g, ' '));
}

/** A literal as Kiln writes it; a bare word is a value of an enum. */
export function valueText(value: string): string {
  if (/^["'\d-]/.test(value)) return value.replace(/^'(.*)'$/, '"$1"');
  const word = value.replace(/\(\s*\)$/, '').toLowerCase();
  return VALUES[word] ?? (value.endsWith(')') ? value : `"${value}"`);
}

// ── Members ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function memberFrom(column: Column, context: ColumnContext): MeantMember | undefined {
  const { name, type, target } = column;
  if (column.isId) return { member: '', help: ID_HELP };
  if (isKey(name, context)) return { member: '', help: KEY_HELP };
  if (target) return referenceMember(name, target, column, context);
  if (type.values) return enumMember(column, context);
  if (type.scalar) return { member: fieldText(name, type, column.properties) };
  if (type.name === 'ID') return { member: fieldText(name, { ...type, scalar: 'integer' }, column.properties) };
  if (type.name === 'reference') return referenceMember(name, name, column, context);
  return declaredMember(column, context) ?? typeFirst(column) ?? joinedMember(column);
}

/** Whether it is the column of a reference of the same model, as Prisma writes it or as it has been mended. */
function isKey(name: string, { model, text }: ColumnContext): boolean {
  const own = text.split(/^\s*model\s+/m).find((part) => part.startsWith(`${model} `)) ?? '';
  const stem = name.replace(/_?[iI]d$/, '');
  const isMended = stem !== name && new RegExp(`\\breference ${stem} \\{`).test(own);
  return isMended || new RegExp(`@relation\\([^)]*fields: *\\[${name}\\]`).test(own);
}

/** A type that the file declares. */
function declaredMember({ name, type, properties }: Column, context: ColumnContext): MeantMember | undefined {
  if (context.declared.enums.has(type.name)) return { member: fieldText(name, type, properties) };
  const isModel = context.declared.models.has(type.name);
  if (type.isList && (isModel || /^[A-Z]/.test(type.name))) return relationMember(name, type.name, context);
  return isModel ? { member: referenceText(name, type.name, properties) } : undefined;
}

/** `String title`. */
function typeFirst({ name, type, properties, isJoined }: Column): MeantMember | undefined {
  const scalar = isJoined ? undefined : scalarMeantBy(name);
  return scalar && { member: fieldText(type.name, { ...type, scalar }, properties) };
}

/** The member of a column with an unknown type: the sign before it shows that it is a type. */
function joinedMember({ name, type, properties, isJoined }: Column): MeantMember | undefined {
  if (!isJoined || type.name === '' || /^(?:true|false|null)$/.test(type.name)) return undefined;
  return {
    member: /^[A-Z]/.test(type.name) ? referenceText(name, type.name, properties) : fieldText(name, type, properties),
  };
}

function fieldText(name: string, type: ForeignType, properties: readonly string[]): string {
  const parts = [
    `type ${typeText(type)}`,
    ...properties,
    ...(type.scalar === 'string' && type.length ? [`validate { maxLength(${type.length}) }`] : []),
  ];
  return `field ${name} { ${[...new Set(parts)].join(', ')} }`;
}

function referenceText(name: string, model: string, properties: readonly string[]): string {
  const allowed = properties.filter((property) => /^(?:nullable|unique|on delete)/.test(property));
  return `reference ${name} { ${[`to ${model}`, ...new Set(allowed)].join(', ')} }`;
}

function referenceMember(name: string, target: string, { properties }: Column, context: ColumnContext): MeantMember {
  const model = modelMeantBy(target, context.declared);
  const reference = name.replace(/_?[iI]d$/, '');
  const help = `a reference is written \`${referenceText(reference, model ?? '…', properties)}\``;
  return { member: model && referenceText(reference, model, properties), help };
}

/** The reverse side of a reference, if the file has that reference. */
export function relationMember(name: string, model: string, { text, model: own }: ColumnContext): MeantMember {
  const through = referenceBetween(text, model, own);
  const relation = `relation ${name} { from ${model}, through ${through ?? '…'} }`;
  return { member: through && relation, help: `the other side of a reference is written \`${relation}\`` };
}

/** An enum that is written out in place needs a name, for which that of the field is taken. */
function enumMember({ name, type, properties }: Column, context: ColumnContext): MeantMember | undefined {
  const declared = enumFrom(name, type.values ?? [], context);
  return (
    declared && { member: fieldText(name, { ...type, name: declared.name }, properties), declarations: [declared.text] }
  );
}

/** The enum with these values; undefined if a value cannot be a name. */
export function enumFrom(field: string, values: readonly string[], context: ColumnContext) {
  if (values.length === 0 || !values.every((value) => /^[A-Za-z_]\w*$/.test(value))) return undefined;
  const { models, enums } = context.declared;
  const short = capitalised(field);
  const name = models.has(short) || enums.has(short) ? `${context.model}${short}` : short;
  return { name, text: `enum ${name} { ${values.join(', ')} }` };
}
