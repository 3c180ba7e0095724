import { type BuiltInValidator, VALIDATORS, validatorCode } from '../definition/contract/validators.ts';
import type { Enum, Field, Model } from '../definition/definition.ts';
import type { Validation, Validator } from '../definition/expression.ts';
import { Names, snakeCase } from '../definition/names.ts';
import type * as program from '../program/program.ts';
import { ANY, INTEGER, isAny, nullable, STRING } from '../program/type.ts';
import { conditionFrom, expressionFrom, fittingFrom, type Lowering, lowered } from './expressions.ts';
import { hookFrom, queryFrom, rowLowering } from './queries.ts';
import { normaliseFrom, typeFrom } from './types.ts';

export function enumFrom(type: program.Enum, { typeOf }: DatabaseNames): Enum {
  const { name, was, doc, values, drops } = type;
  return { name, type: typeOf(type), was, doc, values, drops };
}

export function modelFrom(model: program.Model, { tableOf }: DatabaseNames, around: Lowering): Model {
  const columnOf = columnNames(model);
  const members = [...model.members.values()];
  const ofKind = <K extends program.Member['kind']>(kind: K) =>
    members.filter((member): member is Extract<program.Member, { kind: K }> => member.kind === kind);
  const partsOf = (kind: program.Key['kind']) =>
    model.keys
      .filter((key) => key.kind === kind)
      .map(({ parts }) => parts.map(({ field, descending }) => ({ field: field.name, descending })));
  return {
    name: model.name,
    table: tableOf(model),
    was: model.was,
    doc: model.doc,
    fields: model.fields.map((field) => fieldFrom(field, columnOf(field))),
    references: ofKind('reference').map(({ name, doc, field, to, unique, nullable, onDelete, was }) => {
      return { name, doc, field: field.name, to: to.name, unique, nullable, onDelete, was };
    }),
    relations: ofKind('relation').map(({ name, doc, from, through }) => {
      return { name, doc, from: from.name, through: through.name, many: !through.unique };
    }),
    computed: ofKind('computed').map(({ name, doc, value }) => {
      return { name, doc, value: expressionFrom(value, around) };
    }),
    queries: ofKind('query').map(({ name, doc, query }) => ({ name, doc, query: queryFrom(query, around) })),
    hooks: ofKind('hook').map(({ name, doc, call }) => ({ name, doc, hook: hookFrom(call, around) })),
    uniques: partsOf('unique').map((parts) => parts.map(({ field }) => field)),
    indexes: partsOf('index'),
    drops: model.drops,
  };
}

function fieldFrom(field: program.Field, column: string): Field {
  const { name, doc, unique, index, secret, was } = field;
  return {
    name,
    column,
    doc,
    type: typeFrom(field.type),
    unique,
    index,
    secret,
    ...normaliseFrom(field.normalise),
    default: field.default ? fittingFrom(field.default, field.type, rowLowering()) : null,
    validate: field.validate ? validationFrom(field.validate, rowLowering()) : null,
    backfill: field.backfill ? fittingFrom(field.backfill, field.type, rowLowering()) : null,
    was,
    reference: field.reference?.name ?? null,
    ...(field.file && { file: field.file }),
  };
}

// ── Names in the database ───────────────────────────────────────────────────────────────────────────────────────────

// The names in the database of what authors name. They are final: at most 63 bytes long, apart where Postgres keeps
// them in one place, and the same whatever the order of the files.

interface DatabaseNames {
  readonly tableOf: (model: program.Model) => string;
  readonly typeOf: (type: program.Enum) => string;
}

/** Every table is a type too, so the two share a name space. */
export function databaseNames({ models, enums }: program.Program): DatabaseNames {
  const names = new Names();
  const written = new Map([...models, ...enums].map(({ name }) => [name, snakeCase(name)]));
  const nameOf = ({ name }: { readonly name: string }) => written.get(name) as string;
  const given = names.claimAll([...written.values()]);
  const shadowed = enums.map(nameOf).filter(isBuiltInType);
  const renamed = new Map(shadowed.sort().map((type) => [type, names.claim([type, 'enum'])]));
  return {
    tableOf: (model) => given.get(nameOf(model)) as string,
    typeOf: (type) => renamed.get(nameOf(type)) ?? (given.get(nameOf(type)) as string),
  };
}

function columnNames({ fields }: program.Model): (field: program.Field) => string {
  const columns = new Names().claimAll(fields.map(({ name }) => snakeCase(name)));
  return ({ name }) => columns.get(snakeCase(name)) as string;
}

// ── Built in types ───────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Whether a type of Postgres 18 has the name. Postgres looks among these first, even if a name is quoted. Names that
 * begin with `pg_` are missing here: no name of an author does.
 */
function isBuiltInType(name: string): boolean {
  return name.startsWith('_') || BUILT_IN_TYPES.has(name);
}

const BUILT_IN_TYPES = new Set(
  `aclitem any anyarray anycompatible anycompatiblearray anycompatiblemultirange anycompatiblenonarray
  anycompatiblerange anyelement anyenum anymultirange anynonarray anyrange bit bool box bpchar bytea char cid cidr
  circle cstring date datemultirange daterange event_trigger fdw_handler float4 float8 gtsvector index_am_handler inet
  int2 int2vector int4 int4multirange int4range int8 int8multirange int8range internal interval json jsonb jsonpath
  language_handler line lseg macaddr macaddr8 money name numeric nummultirange numrange oid oidvector path point polygon
  record refcursor regclass regcollation regconfig regdictionary regnamespace regoper regoperator regproc regprocedure
  regrole regtype table_am_handler text tid time timestamp timestamptz timetz trigger tsm_handler tsmultirange tsquery
  tsrange tstzmultirange tstzrange tsvector txid_snapshot unknown uuid varbit varchar void xid xid8 xml`.split(/\s+/),
);

// ── Validations ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Lowers a validation. The validation of a field is for the model and for all inputs that are stored in it. */
export function validationFrom(validation: program.Validation, around: Lowering): Validation {
  switch (validation.kind) {
    case 'not':
      return { kind: 'not', part: validationFrom(validation.part, around) };
    case 'check':
      return checkFrom(validation, around);
    default:
      return {
        kind: validation.kind,
        parts: flattened(validation.kind, validation).map((part) => validationFrom(part, around)),
      };
  }
}

/** The validation, with `check` before it if it has no such check. */
export function withCheck(
  validation: Validation | null,
  isSuch: (validation: Validation) => boolean,
  check: Validation,
): Validation {
  if (validation === null || isSuch(validation)) return validation ?? check;
  return { kind: 'and', parts: [check, ...(validation.kind === 'and' ? validation.parts : [validation])] };
}

/** `a and b and c` is one `and` of three. */
function flattened(kind: 'and' | 'or', validation: program.Validation): readonly program.Validation[] {
  return validation.kind === kind ? validation.parts.flatMap((part) => flattened(kind, part)) : [validation];
}

function checkFrom(check: program.Check, around: Lowering): Validation {
  const { validator } = check;
  return {
    kind: 'check',
    code: validator.kind === 'built-in' ? validatorCode(validator.name) : validator.code,
    validator: validator.kind === 'built-in' ? validator.name : { own: validator.name },
    value: check.value ? fittingFrom(check.value, wantedBy(check, 0), around) : null,
    arguments: check.arguments.map((argument, index) => fittingFrom(argument, wantedBy(check, index + 1), around)),
  };
}

/** The type of the argument. A built-in validator takes the type that it is given, and a float beside a float. */
function wantedBy(check: program.Check, index: number): program.Type {
  const { validator } = check;
  if (validator.kind === 'validator')
    return (validator.arguments[index] as program.Validator['arguments'][number]).type;
  return nullable(index === 0 ? subjectOf(check, validator.name) : argumentOf(check, validator.name, index));
}

/**
 * The type of the validated value. A value of custom code is a text if the validator is about texts; otherwise it has
 * the type that it is compared with.
 */
function subjectOf({ value, arguments: args }: program.Check, name: BuiltInValidator): program.Type {
  const type = value?.type ?? ANY;
  if (!isAny(type)) return type;
  return VALIDATORS[name].isOfTexts ? STRING : (args.find((argument) => !isAny(argument.type))?.type ?? ANY);
}

function argumentOf({ value, arguments: args }: program.Check, name: BuiltInValidator, index: number): program.Type {
  if (name === 'minLength' || name === 'maxLength') return INTEGER;
  return value?.type ?? (args[index - 1] as program.Expression).type;
}

export function validatorFrom({ kind: _, ...validator }: program.Validator): Validator {
  return { ...lowered<Validator>(validator, rowLowering()), assert: conditionFrom(validator.assert, rowLowering()) };
}
