/** The inputs of a create or an update: those that are listed, those that find a record, and the remaining ones. */

import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../definition/names.ts';
import type { Assignment, Create, Expression, Field, Identify, Input, Model, Reference } from '../program/program.ts';
import { nullable, record } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, findMember, isStandIn, notAmong, writtenName } from './context.ts';
import { identifyPath } from './field-paths.ts';
import { checkFitting } from './fitting.ts';
import { at, POSITIONS, type Scope } from './scope.ts';
import { fieldOf, settableField } from './sets.ts';

export interface WriteRequest {
  readonly kind: 'create' | 'update';
  readonly model: Model;
  readonly items: readonly ast.WriteItem[];
  /** The values that are always stored: the key of the parent. */
  readonly fixed: readonly Assignment[];
  /** The key of the inputs in the body, which is empty at its root; undefined if there can be no inputs. */
  readonly inputsUnder: readonly string[] | undefined;
  /** Fields that are inputs only if they are named: a client may not accidentally move a record to another parent. */
  readonly withheld: readonly Field[];
  /** The fields that are inputs if the author lists none. */
  readonly unlisted: Unlisted;
  readonly scope: Scope;
  /** The position of the values; by default a `set` of an action. */
  readonly position?: Scope['position'];
  readonly head: Span;
}

/**
 * The fields that are inputs if none are listed. Required fields are those without which the record cannot be stored.
 */
type Unlisted = 'all' | 'required' | 'none';

/** The fields that are set by what surrounds the action. */
export function fixedFields({ fixed }: Pick<WriteRequest, 'fixed'>): readonly Field[] {
  return fixed.map(({ field }) => field);
}

/** Records that a field is given. Returns false if it was given before. */
export function give(
  context: Context,
  field: Field,
  span: Span,
  given: Map<Field, Span>,
  request: WriteRequest,
): boolean {
  const earlier = given.get(field);
  if (!earlier) {
    given.set(field, span);
    return true;
  }
  const isParent = request.fixed.some((assignment) => assignment.field === field);
  if (isParent) context.report('parent-is-set', span, { reference: field.reference?.name ?? field.name });
  else context.report('given-twice', span, { field: field.name, first: earlier });
  return false;
}

export function writtenInputs(context: Context, request: WriteRequest, given: Map<Field, Span>): readonly Input[] {
  return request.items.flatMap((item) => {
    if (item.kind !== 'input') return [];
    reportNoPlace(context, request, item.span);
    return item.fields.flatMap((written) => writtenInput(context, request, written, given) ?? []);
  });
}

function writtenInput(
  context: Context,
  request: WriteRequest,
  written: ast.InputField,
  given: Map<Field, Span>,
): Input | undefined {
  for (const flag of written.misplaced)
    context.report('misplaced-flag', flag.span, { flag: flag.text, noun: 'an input', ...flag.span });
  if (written.required && written.default)
    context.report('required-with-default', written.required, { field: written.name.text });
  const field = settableField(context, written.name, request.model, fixedFields(request));
  if (!field || !give(context, field, written.name.span, given, request)) return undefined;
  const by = `\`${request.model.name}.${field.name}\``;
  const scope = at(request.scope, POSITIONS.set);
  const ownDefault = written.default && checkFitting(context, written.default, scope, { type: field.type, by });
  const required = written.required !== undefined;
  const input = inputOf(request, field, { named: true, required, default: ownDefault, alias: written.alias?.text });
  return { renamedAt: written.alias?.span, ...input };
}

interface InputWishes {
  readonly named: boolean;
  readonly required: boolean;
  readonly default: Expression | undefined;
  /** The name that clients use; by default the name of the field. */
  readonly alias?: string | undefined;
}

/** The properties that most inputs share. */
export const PLAIN_INPUT = {
  required: true,
  default: undefined,
  validate: undefined,
  mayBeAbsent: false,
  named: true,
  lookup: undefined,
} satisfies Partial<Input>;

export const NO_WISHES: InputWishes = { named: false, required: false, default: undefined };

/**
 * Builds an input. In a create, a field that is neither nullable nor has a default is required; an update requires
 * nothing by itself.
 */
export function inputOf(request: InputRequest, field: Field, wishes: InputWishes): Input {
  const fallback = wishes.default ?? (request.kind === 'create' ? field.default : field.onUpdate);
  const isNeeded = request.kind === 'create' && !field.type.nullable && !fallback;
  const required = wishes.required || isNeeded;
  return {
    path: pathOf(request, wishes.alias ?? field.name),
    doc: field.doc,
    type: field.type,
    required,
    default: required ? undefined : fallback,
    validate: field.validate,
    mayBeAbsent: !required && !fallback,
    named: wishes.named,
    normalise: field.normalise,
    field,
    lookup: undefined,
  };
}

/** The input for a field of a new record. */
export function createInput(field: Field): Input {
  return inputOf({ kind: 'create', inputsUnder: [] }, field, NO_WISHES);
}

type InputRequest = Pick<WriteRequest, 'kind' | 'inputsUnder'>;

function pathOf({ inputsUnder = [] }: InputRequest, name: string): Input['path'] {
  const [under] = inputsUnder;
  return under === undefined ? [name] : [under, name];
}

function reportNoPlace(context: Context, request: WriteRequest, span: Span): void {
  if (!request.inputsUnder)
    context.report('inputs-need-alias', span, { kind: request.kind, alias: snakeCase(request.model.name) });
}

/** `reference r { through path }`, with the create of a missing record, if the author wants it. */
export interface Lookup {
  readonly reference: Reference;
  readonly input: Input;
  readonly maker: Create | undefined;
  readonly span: Span;
}

export function lookupInputs(context: Context, request: WriteRequest, given: Map<Field, Span>): readonly Lookup[] {
  return request.items.flatMap((item) => {
    if (item.kind !== 'reference') return [];
    reportNoPlace(context, request, item.span);
    return lookupInput(context, request, item, given) ?? [];
  });
}

function lookupInput(
  context: Context,
  request: WriteRequest,
  item: ast.ReferenceItem,
  given: Map<Field, Span>,
): Lookup | undefined {
  const { model } = request;
  const reference = findMember(context, item.name, model);
  if (isStandIn(reference)) return undefined;
  if (reference?.kind !== 'reference') {
    const references = [...model.members.values()].filter(({ kind }) => kind === 'reference');
    const about = { model: model.name, ...notAmong(item.name, references) };
    return context.report('unknown-reference', item.name.span, about);
  }
  if (!give(context, reference.field, item.name.span, given, request)) return undefined;
  if (!item.through) return context.report('lookup-without-path', item.span, { reference: item.name.text });
  const found = identifyPath(context, item.through, reference.to);
  if (!found) return undefined;
  const names = [reference, ...found.steps, found.field].map(({ name }) => name);
  const type = reference.nullable ? nullable(found.field.type) : { ...found.field.type, nullable: false };
  const required = request.kind === 'create' && !reference.nullable;
  const input: Input = {
    path: pathOf(request, names.join('_')),
    ...PLAIN_INPUT,
    doc: reference.doc,
    type,
    required,
    mayBeAbsent: !required,
    normalise: found.field.normalise,
    field: reference.field,
    lookup: { to: reference.to, steps: found.steps, field: found.field },
  };
  const lookup = { reference, input, maker: undefined, span: item.span };
  return item.orCreate ? makingLookup(context, item.orCreate, lookup, found) : lookup;
}

/** The input is that of the field which the new record is made with. */
function makingLookup(
  context: Context,
  orCreate: Span,
  { reference, input, span }: Lookup,
  { steps, field }: Pick<Identify, 'steps' | 'field'>,
): Lookup | undefined {
  const model = reference.to;
  if (steps.length > 0 || field.origin !== 'written')
    return context.report('create-through-path', orCreate, {
      model: model.name,
      path: [...steps, field].map(({ name }) => name).join('.'),
      isId: steps.length === 0 && field.origin === 'id',
    });
  const lacking = model.fields.filter((other) => other !== field && other.origin !== 'id' && isRequired(other));
  if (lacking.length > 0)
    return context.report('create-lacks-field', orCreate, {
      model: model.name,
      by: field.name,
      fields: lacking.map((other) => ({ name: writtenName(other), declared: other.span })),
    });
  const sent: Input = { ...input, validate: field.validate, field, lookup: undefined };
  const maker: Create = {
    kind: 'create',
    own: false,
    model,
    variable: {
      name: `${input.path.join('.')}#made`,
      type: record(model, input.mayBeAbsent || input.type.nullable),
      holds: 'record',
    },
    values: [{ field, value: { kind: 'input', input: sent } }],
    onConflict: { does: 'keep', key: [field] },
    onlyWith: input.mayBeAbsent || input.type.nullable ? sent : undefined,
    link: undefined,
  };
  return { reference, input: sent, maker, span };
}

/** The inputs of `input *`, and those that are taken although the author does not list them. */
export function remainingInputs(
  context: Context,
  request: WriteRequest,
  given: ReadonlyMap<Field, Span>,
): readonly Input[] {
  const { model } = request;
  const all = request.items.filter((item) => item.kind === 'input-all');
  for (const item of all) reportNoPlace(context, request, item.span);
  for (const more of all.slice(1))
    context.report('duplicate-property', more.span, { property: 'input *', first: (all[0] as ast.InputAllItem).span });
  const except = exceptFields(context, all, model);
  reportExcepted(context, request, except);
  const left = model.fields.filter(
    (field) => field.origin !== 'id' && !given.has(field) && !request.withheld.includes(field),
  );
  const taken = !request.inputsUnder ? 'none' : all.length > 0 ? 'all' : unlistedOf(request);
  const inputs = left.filter((field) => !except.has(field) && isTaken(field, taken));
  if (request.kind === 'create')
    reportUnset(
      context,
      request,
      left.filter((field) => !inputs.includes(field)),
    );
  return inputs.map((field) => inputOf(request, field, NO_WISHES));
}

/** The fields that are taken beside a list of inputs: only those that the record needs. */
function unlistedOf({ items, unlisted }: WriteRequest): Unlisted {
  return unlisted === 'all' && items.some(({ kind }) => kind === 'input') ? 'required' : unlisted;
}

/** Whether the field is an input. Clients never set an internal field unless the author names it as an input. */
function isTaken(field: Field, taken: Unlisted): boolean {
  if (field.internal || taken === 'none') return false;
  return taken === 'all' || isRequired(field);
}

/** Whether no record can be stored without a value for the field. */
export function isRequired({ type, default: fallback }: Field): boolean {
  return !type.nullable && !fallback && type.base.kind !== 'any';
}

function reportExcepted(context: Context, { items, model }: WriteRequest, except: ReadonlyMap<Field, Span>): void {
  for (const { name } of items.flatMap((item) => (item.kind === 'input' ? item.fields : []))) {
    const member = model.members.get(name.text);
    const isStored = member?.kind === 'field' || member?.kind === 'reference';
    const excepted = isStored ? except.get(fieldOf(member)) : undefined;
    if (excepted) context.report('excepted-input', name.span, { field: name.text, excepted });
  }
}

function exceptFields(context: Context, all: readonly ast.InputAllItem[], model: Model): ReadonlyMap<Field, Span> {
  const fields = new Map<Field, Span>();
  for (const name of all.flatMap(({ except }) => except)) {
    const field = settableField(context, name, model);
    if (field) fields.set(field, name.span);
  }
  return fields;
}

function reportUnset(context: Context, request: WriteRequest, fields: readonly Field[]): void {
  const lacking = fields.filter(isRequired);
  if (lacking.length === 0) return;
  context.report('unset-field', request.head, {
    fields: lacking.map((field) => ({ name: writtenName(field), declared: field.span, internal: field.internal })),
    model: request.model.name,
    inputs: (request.inputsUnder !== undefined && request.unlisted !== 'none') || request.scope.isWork,
  });
}
