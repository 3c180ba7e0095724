/** The values that a create or an update stores: values that are set, and inputs that the client sends. */

import type * as ast from '../ast/ast.ts';
import { storedInput } from '../program/parts.ts';
import type { Assignment, Create, Expression, Field, Input, Model } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { recordPath } from './entrypoints.ts';
import { saidInputsOf } from './input-paths.ts';
import { rootKey } from './narrowing.ts';
import { type Binding, POSITIONS, type Scope, withFacts } from './scope.ts';
import { checkSet } from './sets.ts';
import {
  fieldToWrite,
  give,
  inputOf,
  isRequired,
  type Lookup,
  lookupInputs,
  NO_WISHES,
  remainingInputs,
  type WriteRequest,
  type Writing,
  writtenInputs,
} from './write-inputs.ts';

interface Write {
  /** Creates the missing records that inputs name, before anything else is done. */
  readonly before: readonly Create[];
  readonly values: readonly Assignment[];
  readonly inputs: readonly Input[];
  /** The inputs as names, for the expressions that come after. */
  readonly names: ReadonlyMap<string, Binding>;
}

/**
 * Checks a write: first the fields and who gives them, then the remaining inputs, then the values, which may use the
 * inputs.
 */
export function checkWrite(request: WriteRequest): Write {
  const { context, fixed, head } = request;
  const writing: Writing = { ...request, given: new Map(fixed.map(({ field }) => [field, head])) };
  const sets = setFields(writing);
  const named = writtenInputs(writing);
  const lookups = lookupInputs(writing);
  const taken = [
    ...named,
    ...lookups.flatMap(({ input, maker }) => (maker ? [] : [input])),
    ...remainingInputs(writing),
  ];
  const plain = [...taken, ...unlistedOfSets(request, sets, taken)];
  const making = lookups.filter((lookup) => lookup.maker !== undefined);
  const inputs = [...plain, ...making.map(({ input }) => input)];
  const names = new Map<string, Binding>();
  for (const input of inputs)
    names.set(input.path.at(-1) as string, { kind: 'input', input, span: input.field?.span ?? head });
  const scope: Scope = {
    ...request.scope,
    ownInputs: new Map([...request.scope.ownInputs, ...names]),
    position: positionOf(request),
  };
  const stored = [
    ...fixed,
    ...sets.map((set) => checkOwnSet(context, set, plain, scope)),
    ...plain.flatMap((input) => (isReplaced(input, sets) ? [] : [storedInput(input)])),
    ...making.flatMap(madeValue),
  ];
  const values = request.kind === 'update' ? [...stored, ...updatedBeside(stored, request.model)] : stored;
  return { before: making.flatMap(({ maker }) => maker ?? []), values, inputs, names };
}

function positionOf({ kind, model, inputsUnder, position = POSITIONS.set }: WriteRequest): Scope['position'] {
  return kind === 'create' && inputsUnder ? { ...position, creates: model } : position;
}

/** The record that was found or made for the input. */
function madeValue({ input, maker, reference, span }: Lookup): readonly Assignment[] {
  return maker ? [{ field: reference.field, value: recordPath(maker.variable, span), sentWith: input }] : [];
}

/** The fields that every update of the model sets, apart from those that this one sets itself. */
export function updatedBeside(stored: readonly { readonly field: Field }[], { fields }: Model) {
  return fields.flatMap((field) => {
    const isLeft = field.onUpdate && !stored.some((assignment) => assignment.field === field);
    return isLeft ? [{ field, value: field.onUpdate as Expression }] : [];
  });
}

// ── set ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function setFields(writing: Writing) {
  const { context, items, kind } = writing;
  const made = new Map<Field, Span>();
  return items.flatMap((item) => {
    if (item.kind !== 'set') return [];
    const field = fieldToWrite(writing, item.name);
    if (!field) return [];
    const keepsInput = isMadeOfInput(item, field, writing);
    const earlier = made.get(field);
    if (earlier) context.report('given-twice', item.name.span, { field: field.name, first: earlier });
    if (earlier || (!keepsInput && !give(writing, field, item.name.span))) return [];
    if (keepsInput) made.set(field, item.name.span);
    if (kind === 'create') reportSometimesSet(context, field, item);
    return [{ field, item, keepsInput }];
  });
}

/** `set title upper(@input.title)`: the field stays an input, and this is what it becomes. */
function isMadeOfInput(
  { value, when }: ast.SetItem,
  field: Field,
  { inputsUnder, scope, items }: WriteRequest,
): boolean {
  const listed = items.flatMap((item) => (item.kind === 'input' ? item.fields : []));
  const renamed = listed.find(({ name }) => name.text === field.name || name.text === field.reference?.name)?.alias;
  const name = renamed?.text ?? field.name;
  const isExtra = scope.names.get(name)?.kind === 'input' || scope.ownInputs.has(name);
  return inputsUnder !== undefined && !isExtra && saidInputsOf(value, when).includes(name);
}

type WrittenSet = ReturnType<typeof setFields>[number];

function isReplaced({ field }: Input, sets: readonly WrittenSet[]): boolean {
  return sets.some((set) => set.keepsInput && set.field === field);
}

/** Inputs that only a `set` names. */
function unlistedOfSets(request: WriteRequest, sets: readonly WrittenSet[], taken: readonly Input[]): readonly Input[] {
  const isTaken = (field: Field) => taken.some((input) => input.field === field);
  return sets
    .filter(({ field, keepsInput }) => keepsInput && !isTaken(field))
    .map(({ field }) => inputOf(request, field, { ...NO_WISHES, named: true }));
}

/** Checks a `set`. If its value uses the field's own input, it is set only if the input is sent. */
function checkOwnSet(
  context: Context,
  { field, item, keepsInput }: WrittenSet,
  inputs: readonly Input[],
  scope: Scope,
) {
  const input = keepsInput ? inputs.find((each) => each.field === field) : undefined;
  if (!input) return checkSet(context, field, item, scope);
  const isThere = field.type.nullable ? [] : [rootKey({ kind: 'input', input })];
  return { sentWith: input, ...checkSet(context, field, item, withFacts(scope, isThere)) };
}

/** Reports a `set` with a condition in a create: without the condition a new record still needs a value. */
function reportSometimesSet(context: Context, field: Field, { name, when }: ast.SetItem): void {
  if (!when || !isRequired(field)) return;
  context.report('sometimes-set', name.span, { field: name.text, model: field.model.name, declared: field.span });
}
