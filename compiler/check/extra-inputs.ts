/** Extra inputs: values, records that clients name, and lists of objects made of both. */
import type * as ast from '../ast/ast.ts';
import { MOST_ITEMS } from '../definition/list-validation.ts';
import { plainQuery } from '../program/parts.ts';
import type {
  Endpoint,
  Expression,
  HttpMethod,
  Input,
  MemberType,
  Model,
  QueryAction,
  Variable,
} from '../program/program.ts';
import { ANY, BOOLEAN, many, nonNull, nullable, record } from '../program/type.ts';
import { type Context, firstOfEach, meaningOf } from './context.ts';
import { parametersOf } from './endpoint-paths.ts';
import { identifyPath } from './field-paths.ts';
import { checkFitting } from './fitting.ts';
import { checkNormalise, fieldType, propertiesOf, targetModel } from './members.ts';
import { reportHiddenName } from './queries.ts';
import { at, type Binding, emptyScope, POSITIONS, type Scope, unlessHiding } from './scope.ts';
import { checkValidation } from './validations.ts';
import { PLAIN_INPUT } from './write-inputs.ts';

interface ExtraInputs {
  readonly inputs: readonly Input[];
  /** Queries that read the records which the inputs name, before all other actions. */
  readonly finds: readonly QueryAction[];
  readonly scope: Scope;
}

/** A name with what it means, and what has to be done for it. */
interface Declared {
  readonly binding: Binding;
  readonly inputs: readonly Input[];
  readonly finds: readonly QueryAction[];
}

/** `scope` sees none of the inputs; the returned scope sees all of them. */
export function checkExtraInputs(
  context: Context,
  fields: readonly ast.ExtraInput[],
  scope: Scope,
  route: Pick<Endpoint, 'method' | 'path' | 'cardinality'>,
): ExtraInputs {
  const parameters = parametersOf(route);
  context.inputUse.begin();
  const names = new Map(scope.names);
  const declared = fields.map((field) => {
    reportHiddenName(context, field.name, scope);
    const each = declaredBy(context, field, route.method, scope);
    const { text, span } = field.name;
    context.witness?.meant(span, meaningOf(text, each.binding));
    const [input] = each.inputs;
    if (input && !parameters.has(text)) context.inputUse.declare(input, field, fields);
    names.set(text, unlessHiding(scope, text, each.binding));
    return each;
  });
  return {
    inputs: declared.flatMap(({ inputs }) => inputs),
    finds: declared.flatMap(({ finds }) => finds),
    scope: { ...scope, names },
  };
}

function declaredBy(context: Context, written: ast.ExtraInput, method: HttpMethod, scope: Scope): Declared {
  const { span } = written.name;
  switch (written.kind) {
    case 'field': {
      const input = valueInput(context, written, method, scope);
      return { binding: { kind: 'input', input, span }, inputs: [input], finds: [] };
    }
    case 'record':
      return namedRecord(context, written);
    case 'list': {
      const { input, finds } = listInput(context, written, method, scope);
      return { binding: { kind: 'input', input, span }, inputs: [input], finds };
    }
  }
}

export function takesBody(method: HttpMethod): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

// ── Values ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function valueInput(context: Context, field: ast.FieldDeclaration, method: HttpMethod, scope: Scope): Input {
  reportFlags(context, field);
  const { text: name } = field.name;
  const plain = fieldType(context, field, name, scope.isWork ? 'job input' : 'extra input');
  const type = field.nullable ? nullable(plain) : plain;
  if (type.base.kind === 'json') reportNoBody(context, field.name, method, 'json');
  const fallback =
    field.default &&
    checkFitting(context, field.default, at(scope, POSITIONS.inputDefault), { type, by: `\`${name}\`` });
  const validate =
    field.validate &&
    checkValidation(context, field.validate, { kind: 'field', name, type }, emptyScope(POSITIONS.validate));
  const required = !type.nullable && !fallback;
  return {
    path: [name],
    ...PLAIN_INPUT,
    doc: field.doc,
    type,
    required,
    default: fallback,
    validate,
    mayBeAbsent: !required && !fallback,
    normalise: checkNormalise(context, field, type),
    span: field.name.span,
  };
}

function reportFlags(context: Context, field: ast.FieldDeclaration): void {
  if (field.required) context.report('required-field', field.required, { field: field.name.text, ...field.required });
  for (const [flag, span] of propertiesOf(field)) {
    const isTaken = ['type', 'nullable', 'default', 'normalise', 'validate', 'required'].includes(flag);
    if (!isTaken) context.report('misplaced-flag', span, { flag, noun: 'an extra input', ...span });
  }
}

function reportNoBody(context: Context, name: ast.Name, method: HttpMethod, type: string): void {
  if (!takesBody(method)) context.report('json-in-query', name.span, { name: name.text, method, type });
}

// ── Records that clients name ───────────────────────────────────────────────────────────────────────────────────────

interface RecordInput {
  readonly input: Input;
  readonly to: Model;
  readonly isNullable: boolean;
}

function recordInput(context: Context, written: ast.RecordInput): RecordInput | undefined {
  const { name, doc, through } = written;
  const to = targetModel(context, name.text, written);
  const found = to && (through ? identifyPath(context, through, to) : idOf(to));
  if (!to || !found) return undefined;
  const isNullable = written.nullable !== undefined;
  const input: Input = {
    ...PLAIN_INPUT,
    path: [[name.text, ...found.steps.map((step) => step.name), found.field.name].join('_')],
    doc,
    type: isNullable ? nullable(found.field.type) : nonNull(found.field.type),
    required: !isNullable,
    mayBeAbsent: isNullable,
    normalise: found.field.normalise,
    lookup: { to, ...found },
    span: name.span,
  };
  return { input, to, isNullable };
}

function idOf(model: Model) {
  const field = model.members.get('id');
  return field?.kind === 'field' ? { steps: [], field } : undefined;
}

/**
 * Declares a record that a client names. If it cannot be read, that has been reported, and its name fits everywhere.
 */
function namedRecord(context: Context, written: ast.RecordInput): Declared {
  const { text: name, span } = written.name;
  const found = recordInput(context, written);
  const type = found ? record(found.to, found.isNullable) : ANY;
  const variable: Variable = { name, type, holds: 'record', ...(found && { input: found.input }) };
  const binding: Binding = { kind: 'variable', variable, span };
  if (!found) return { binding, inputs: [], finds: [] };
  const { input, to } = found;
  const ids: Expression = { kind: 'path', root: { kind: 'input', input }, steps: [], type: idType(found), span };
  return { binding, inputs: [input], finds: [findingOf(variable, to, ids, input)] };
}

/** The type of the id. The value of the input is the id of the record by then. */
function idType({ to, isNullable }: RecordInput) {
  const { type } = idOf(to)?.field ?? { type: ANY };
  return isNullable ? nullable(type) : type;
}

/** The filter is for the checks of the program: it says that the client chooses the records. */
export function findingOf(variable: Variable, model: Model, ids: Expression, input: Input | undefined): QueryAction {
  const { span } = ids;
  const id = idOf(model)?.field;
  const own: Expression = { kind: 'path', root: { kind: 'row', model }, steps: id ? [id] : [], type: ids.type, span };
  const [operator, cardinality] = ids.type.many ? (['in', 'many'] as const) : (['is', 'first'] as const);
  const filter: Expression = { kind: 'operation', operator, operands: [own, ids], type: BOOLEAN, span };
  const query = { ...plainQuery({ root: undefined, steps: [], model, cardinality }), filter };
  return { kind: 'query', variable, query, does: { kind: 'find', ids, input } };
}

// ── Lists of objects ────────────────────────────────────────────────────────────────────────────────────────────────

function listInput(context: Context, written: ast.ListInput, method: HttpMethod, scope: Scope) {
  const { name, members: fields, doc } = written;
  reportNoBody(context, name, method, 'a list of objects');
  if (fields.length === 0) context.report('empty-list-input', name.span, { list: name.text });
  const members = new Map<string, MemberType>();
  const input: Input = {
    ...PLAIN_INPUT,
    path: [name.text],
    doc,
    type: { base: { kind: 'object', members }, nullable: written.nullable !== undefined, many: true },
    required: !written.nullable,
    mayBeAbsent: written.nullable !== undefined,
    normalise: [],
    span: name.span,
    items: { inputs: [], ...itemCounts(context, written) },
  };
  const found = fields.flatMap((field) => {
    const item = itemOf(context, field, input, method, scope);
    if (item && !members.has(field.name.text)) members.set(field.name.text, item.member);
    return item ? [item] : [];
  });
  reportSameNames(context, written);
  const inputs = found.map((item) => item.input);
  (input as { items: Input['items'] }).items = { ...(input.items as NonNullable<Input['items']>), inputs };
  return { input, finds: found.flatMap(({ finds }) => finds) };
}

function itemCounts(context: Context, { minItems, maxItems }: ast.ListInput) {
  const [min, max] = [minItems?.value ?? 0, maxItems?.value ?? MOST_ITEMS];
  const wrong = maxItems ?? minItems;
  if (wrong && (min < 0 || max < 1 || min > max)) context.report('bad-item-count', wrong.span, { min, max });
  return { minItems: min, maxItems: max };
}

function itemOf(
  context: Context,
  written: ast.FieldDeclaration | ast.RecordInput,
  list: Input,
  method: HttpMethod,
  scope: Scope,
): { readonly input: Input; readonly member: MemberType; readonly finds: readonly QueryAction[] } | undefined {
  const { span, text } = written.name;
  const inList = (input: Input): Input => ({ ...input, path: [list.path[0], input.path[0]] });
  if (written.kind === 'field') {
    const input = inList(valueInput(context, written, method, scope));
    const type = input.mayBeAbsent ? nullable(input.type) : input.type;
    return { input, member: { type, span, doc: written.doc }, finds: [] };
  }
  const found = recordInput(context, written);
  if (!found) return undefined;
  const { to, isNullable } = found;
  const input = inList(found.input);
  const variable: Variable = { name: `${list.path[0]}.${text}`, type: many(record(to)), holds: 'record', input: list };
  const lists: Expression = { kind: 'path', root: { kind: 'input', input: list }, steps: [], type: list.type, span };
  const [, key] = input.path;
  const ids: Expression = { kind: 'member', of: lists, name: key as string, type: many(idType(found)), span };
  const member = { type: record(to, isNullable), span, doc: written.doc, variable };
  return { input, member, finds: [findingOf(variable, to, ids, input)] };
}

function reportSameNames(context: Context, { name: list, members }: ast.ListInput): void {
  firstOfEach(
    members,
    ({ name }) => name.text,
    ({ name }) =>
      context.report('input-twice', name.span, { input: `${list.text}.${name.text}`, by: 'name', brought: undefined }),
  );
}
