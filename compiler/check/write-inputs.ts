/** The inputs of a create or an update: those that are listed, those that find a record, and the remaining ones. */

import type * as ast from '../ast/ast.ts';
import { snakeCase } from '../definition/names.ts';
import { storedInput } from '../program/parts.ts';
import type { Assignment, Create, Expression, Field, Identify, Input, Model, Reference } from '../program/program.ts';
import { nullable, record } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, findMember, isStandIn, notAmong, writtenName } from './context.ts';
import { identifyPath } from './field-paths.ts';
import { checkFitting } from './fitting.ts';
import { at, POSITIONS, type Scope } from './scope.ts';
import { reportShownSecrets, secretIn } from './secrets.ts';
import { fieldOf, settableField } from './sets.ts';

export interface WriteRequest {
  readonly context: Context;
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

/** A write that is being checked, with the fields that have been given so far. */
export interface Writing extends WriteRequest {
  readonly given: Map<Field, Span>;
}

/**
 * The fields that are inputs if none are listed. Required fields are those without which the record cannot be stored.
 */
type Unlisted = 'all' | 'required' | 'none';

/** The field of that name. What surrounds the action sets some of them. */
export function fieldToWrite({ context, model, fixed }: WriteRequest, name: ast.Name): Field | undefined {
  const others = fixed.map(({ field }) => field);
  return settableField(context, name, model, others);
}

/** Records that a field is given. Returns false if it was given before. */
export function give({ context, given, fixed }: Writing, field: Field, span: Span): boolean {
  const earlier = given.get(field);
  if (!earlier) {
    given.set(field, span);
    return true;
  }
  const isParent = fixed.some((assignment) => assignment.field === field);
  if (isParent) context.report('parent-is-set', span, { reference: field.reference?.name ?? field.name });
  else context.report('given-twice', span, { field: field.name, first: earlier });
  return false;
}

export function writtenInputs(writing: Writing): readonly Input[] {
  return writing.items.flatMap((item) => {
    if (item.kind !== 'input') return [];
    reportNoPlace(writing, item.span);
    return item.fields.flatMap((written) => writtenInput(writing, written) ?? []);
  });
}

function writtenInput(writing: Writing, written: ast.InputField): Input | undefined {
  const { context } = writing;
  for (const flag of written.misplaced)
    context.report('misplaced-flag', flag.span, { flag: flag.text, noun: 'an input', ...flag.span });
  if (written.required && written.default)
    context.report('required-with-default', written.required, { field: written.name.text });
  const field = fieldToWrite(writing, written.name);
  if (!field || !give(writing, field, written.name.span)) return undefined;
  const by = `\`${writing.model.name}.${field.name}\``;
  const scope = at(writing.scope, POSITIONS.set);
  const ownDefault = written.default && checkFitting(context, written.default, scope, { type: field.type, by });
  if (ownDefault) reportShownSecrets(context, ownDefault, field, 'the default');
  const secret = field.secret && ownDefault && secretIn(context, ownDefault) ? field : undefined;
  const required = written.required !== undefined;
  const input = inputOf(writing, field, { named: true, required, default: ownDefault, alias: written.alias?.text });
  return { renamedAt: written.alias?.span, secret, ...input };
}

interface InputWishes {
  readonly named: boolean;
  readonly required: boolean;
  readonly default: Expression | undefined;
  /** The name that clients use; by default the name of the field. */
  readonly alias?: string | undefined;
}

/** The properties that most inputs share. */
export const PLAIN_INPUT = { required: true, mayBeAbsent: false, named: true } satisfies Partial<Input>;

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

function reportNoPlace({ context, inputsUnder, kind, model }: WriteRequest, span: Span): void {
  if (!inputsUnder) context.report('inputs-need-alias', span, { kind, alias: snakeCase(model.name) });
}

/** `reference r { through path }`, with the create of a missing record, if the author wants it. */
export interface Lookup {
  readonly reference: Reference;
  readonly input: Input;
  readonly maker: Create | undefined;
  readonly span: Span;
}

export function lookupInputs(writing: Writing): readonly Lookup[] {
  return writing.items.flatMap((item) => {
    if (item.kind !== 'reference') return [];
    reportNoPlace(writing, item.span);
    return lookupInput(writing, item) ?? [];
  });
}

function lookupInput(writing: Writing, item: ast.ReferenceItem): Lookup | undefined {
  const { context, kind, model } = writing;
  const reference = findMember(context, item.name, model);
  if (isStandIn(reference)) return undefined;
  if (reference?.kind !== 'reference') {
    const references = [...model.members.values()].filter(({ kind }) => kind === 'reference');
    const about = { model: model.name, ...notAmong(item.name, references) };
    return context.report('unknown-reference', item.name.span, about);
  }
  if (!give(writing, reference.field, item.name.span)) return undefined;
  if (!item.through) return context.report('lookup-without-path', item.span, { reference: item.name.text });
  const found = identifyPath(context, item.through, reference.to);
  if (!found) return undefined;
  const names = [reference, ...found.steps, found.field].map(({ name }) => name);
  const type = reference.nullable ? nullable(found.field.type) : { ...found.field.type, nullable: false };
  const required = kind === 'create' && !reference.nullable;
  const input: Input = {
    path: pathOf(writing, names.join('_')),
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
    values: [storedInput(sent)],
    onConflict: { does: 'keep', key: [field] },
    onlyWith: input.mayBeAbsent || input.type.nullable ? sent : undefined,
    link: undefined,
  };
  return { reference, input: sent, maker, span };
}

/** The inputs of `input *`, and those that are taken although the author does not list them. */
export function remainingInputs(writing: Writing): readonly Input[] {
  const { context, kind, model, items, given, withheld, inputsUnder } = writing;
  const all = items.filter((item) => item.kind === 'input-all');
  for (const item of all) reportNoPlace(writing, item.span);
  for (const more of all.slice(1))
    context.report('duplicate-property', more.span, { property: 'input *', first: (all[0] as ast.InputAllItem).span });
  const except = exceptFields(context, all, model);
  reportExcepted(writing, except);
  const left = model.fields.filter((field) => field.origin !== 'id' && !given.has(field) && !withheld.includes(field));
  const taken = !inputsUnder ? 'none' : all.length > 0 ? 'all' : unlistedOf(writing);
  const inputs = left.filter((field) => !except.has(field) && isTaken(field, taken));
  const others = left.filter((field) => !inputs.includes(field));
  if (kind === 'create') reportUnset(writing, others.filter(isRequired));
  return inputs.map((field) => inputOf(writing, field, NO_WISHES));
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

function reportExcepted({ context, items, model }: WriteRequest, except: ReadonlyMap<Field, Span>): void {
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

function reportUnset({ context, head, model, inputsUnder, unlisted, scope }: WriteRequest, fields: readonly Field[]) {
  if (fields.length === 0) return;
  context.report('unset-field', head, {
    fields: fields.map((field) => ({ name: writtenName(field), declared: field.span, internal: field.internal })),
    model: model.name,
    inputs: (inputsUnder !== undefined && unlisted !== 'none') || scope.isWork,
  });
}
