/** The columns of a block as closures: where each value comes from, in which order they are made. */
import type { Field, Model, Reference } from '../../compiler/definition/definition.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import { compileValidation, validationOf } from '../expressions/compile-validation.ts';
import { after, type ValidationEnvironment } from '../expressions/compiled.ts';
import type { Scope } from '../expressions/scope.ts';
import { fitsType } from '../values/kinds.ts';
import { normaliseOf } from '../values/normalise.ts';
import type { Value } from '../values/value.ts';
import { type Block, type Origin, originOf } from './blocks.ts';
import type { Candidate, Choices, Ids } from './candidates.ts';
import type { FieldValues } from './field-values.ts';
import type { Random } from './random.ts';
import { keyOf } from './starting-state.ts';
import { type Uniqueness, type Uniques, uniquenessOf, uniquesOf, type WalkPlan, type Walks } from './uniqueness.ts';

/** Makes the columns, in the order in which their values are made: those that walk read the others. */
export async function columnsOf(block: Block, ids: Ids, tools: ColumnTools): Promise<readonly Column[]> {
  const { fields } = block.model;
  const origins = new Map(fields.map((field) => [field.name, originOf(block, field)]));
  const candidates = await candidatesOf(block, origins, tools);
  const uniqueness = uniquenessOf(
    block.model,
    (field) => candidates.has(field),
    (field) => candidates.get(field)?.[0]?.kind === 'open',
  );
  const walking: Column[] = [];
  for (const plan of uniqueness.walks) walking.push(...(await columnsOfWalk(block, plan, candidates, tools)));
  const columns: Column[] = [];
  for (const [index, field] of fields.entries()) {
    if (walking.some((column) => column.field === field)) continue;
    columns.push({ field, index, make: await makingOf(block, field, origins, ids, candidates, uniqueness, tools) });
  }
  return [...columns, ...walking];
}

type Origins = ReadonlyMap<string, Origin>;

/** Finds the candidates of the columns that are generated, including references. */
async function candidatesOf(block: Block, origins: Origins, tools: ColumnTools): Promise<Candidates> {
  const found = new Map<string, readonly Candidate[]>();
  for (const field of block.model.fields) {
    const origin = origins.get(field.name);
    if (origin?.kind === 'generated') found.set(field.name, tools.candidates(block, field));
    if (origin?.kind === 'reference') found.set(field.name, [await tools.targets(block, origin.reference)]);
  }
  return found;
}

async function makingOf(
  block: Block,
  field: Field,
  origins: Origins,
  ids: Ids,
  candidates: Candidates,
  { numbered }: Uniqueness,
  tools: ColumnTools,
): Promise<Make> {
  const origin = origins.get(field.name) as Origin;
  switch (origin.kind) {
    case 'id':
      return ids.next;
    case 'parent':
      return () => block.parent?.id ?? null;
    case 'set':
    case 'default':
      return expressed(block.model, field, origin, tools);
    case 'reference':
      return referring(origin.reference, candidates.get(field.name)?.[0] as Choices, tools.random);
    case 'generated':
      return tools.values(block, field, candidates.get(field.name) ?? [], numbered.has(field.name));
  }
}

/** One of so many records leads nowhere, where it may. */
const ONE_WITHOUT = 4;

function referring({ to, nullable }: Reference, choices: Choices, random: Random): Make {
  return () => {
    const size = choices.size();
    if (nullable && (size === 0 || random.below(ONE_WITHOUT) === 0)) return null;
    if (size === 0) throw new Error(nothingToReferTo(to));
    return choices.at(random.below(size));
  };
}

// ── Expressed column ────────────────────────────────────────────────────────────────────────────────────────────────

// A column whose value is written in the program: set by the populator, or the default of the field.

type Written = Extract<Origin, { readonly value: Expression }>;

/**
 * Compiles a written value. A `set` is normalised and validated, like the input of a client; a default of the model is
 * not.
 */
function expressed(model: Model, field: Field, { kind, value }: Written, tools: ColumnTools): Make {
  const mayRepeat = !uniquesOf(model).some((fields) => fields.includes(field.name));
  const environment = tools.environment(mayRepeat);
  const { run } = compileExpression(value, environment);
  const typed = value.type.kind === 'any' ? fitting(field, environment) : (given: unknown) => given as Value;
  const normalise = kind === 'set' ? normaliseOf(field.normalise) : null;
  const validation = kind === 'set' && field.validate ? validationOf(field.type, field.validate, environment) : null;
  const checked = (given: unknown) => {
    const fitted = normalise ? normalise(typed(given)) : typed(given);
    if (validation === null || fitted === null) return fitted;
    return after(validation.check(fitted, tools.scope), (failures) => unlessRefused(fitted, failures));
  };
  return () => after(run(tools.scope), checked);
}

function fitting({ type }: Field, { enumValues }: ValidationEnvironment): (value: unknown) => Value {
  return (value) => {
    if (value === null || value === undefined) return null;
    const checked = fitsType(value, type, enumValues);
    if (!checked.ok) throw new Error(`the value ${checked.message}`);
    return checked.value;
  };
}

function unlessRefused(value: Value, failures: readonly { readonly message: string }[]): Value {
  if (failures.length > 0) throw new Error(`the value ${failures.map(({ message }) => message).join(' and ')}`);
  return value;
}

// ── Walking columns ─────────────────────────────────────────────────────────────────────────────────────────────────

// The columns that keep a unique together by walking through their combinations.

/** The first of the walked columns takes the step, the others have their part in it. */
async function columnsOfWalk(
  block: Block,
  plan: WalkPlan,
  candidates: Candidates,
  tools: ColumnTools,
): Promise<readonly Column[]> {
  const { fields } = block.model;
  const members = plan.walked.map((name) => candidates.get(name)?.[0] as Choices);
  const take = await stepping(block, plan, members, tools);
  let step: readonly Value[] | null = null;
  return plan.walked.map((name, part) => {
    const index = indexIn(block, name);
    const field = fields[index] as Field;
    const make = (row: readonly Value[]) => {
      if (part === 0) step = take(row);
      if (step !== null) return step[part] ?? null;
      if (field.type.nullable) return null;
      throw new Error(exhausted(block, field, plan, members[part] as Choices));
    };
    return { field, index, make };
  });
}

async function stepping(
  block: Block,
  plan: WalkPlan,
  members: readonly Choices[],
  tools: ColumnTools,
): Promise<(row: readonly Value[]) => readonly Value[] | null> {
  const walks = tools.walks(block, plan, members);
  const others = plan.fields.filter((name) => !plan.walked.includes(name)).map((name) => indexIn(block, name));
  const isTaken = await takenCombinations(block, plan, tools);
  const isValid = validCombinations(block, plan, tools);
  return (row) => {
    const group = keyOf(others.map((index) => row[index] ?? null));
    for (let step = walks.next(group); step !== null; step = walks.next(group))
      if (isValid(step) && !isTaken(row, step)) return step;
    return null;
  };
}

async function takenCombinations(
  block: Block,
  plan: WalkPlan,
  { uniques }: ColumnTools,
): Promise<(row: readonly Value[], step: readonly Value[]) => boolean> {
  const taken = await uniques.taken(block.model, plan.fields);
  const indexes = plan.fields.map((name) => indexIn(block, name));
  const parts = plan.fields.map((name) => plan.walked.indexOf(name));
  const valueAt = (at: number, row: readonly Value[], step: readonly Value[]) =>
    (parts[at] as number) < 0 ? row[indexes[at] as number] : step[parts[at] as number];
  return (row, step) => taken.has(indexes.map((_, at) => valueAt(at, row, step) ?? null));
}

/** Runs only the synchronous validators; those of hooks are left to the author. */
function validCombinations(block: Block, plan: WalkPlan, tools: ColumnTools): (step: readonly Value[]) => boolean {
  const checks = plan.walked.flatMap((name, part) => {
    const { validate } = block.model.fields[indexIn(block, name)] as Field;
    const validation = validate && compileValidation(validate, tools.environment(false));
    return validation && !validation.isAsync ? [{ part, validation }] : [];
  });
  return (step) =>
    checks.every(({ part, validation }) => {
      const value = step[part] ?? null;
      return (validation.check(value, tools.scope) as readonly unknown[]).length === 0;
    });
}

function indexIn({ model }: Block, name: string): number {
  return model.fields.findIndex((field) => field.name === name);
}

function exhausted({ model }: Block, field: Field, { fields, walked }: WalkPlan, choices: Choices): string {
  const { name, reference } = field;
  const to = model.references.find((candidate) => candidate.name === reference)?.to;
  if (to !== undefined && choices.size() === 0) return nothingToReferTo(to);
  const others = fields.filter((other) => other !== name).map((other) => memberName(model, other));
  const together = others.length > 0 ? ` together with ${others.join(', ')}` : '';
  const most = `there are no more than ${choices.size()} to choose from${to ? `: ${to}` : ''}`;
  return `it must be unique${together}, and ${walked.length > 1 ? 'all combinations are taken' : most}`;
}

/** The name as the author wrote it: a reference and its key are one column. */
function memberName({ fields }: Model, name: string): string {
  return fields.find((field) => field.name === name)?.reference ?? name;
}

// ── Parts of a column ────────────────────────────────────────────────────────────────────────────────────────────────

// One column of a block, and what columns are made with.

export interface Column {
  readonly field: Field;
  /** Its place in a row. */
  readonly index: number;
  readonly make: Make;
}

/** Sees the columns that were made before it. A promise only where code of a hook has to be waited for. */
type Make = (row: readonly Value[]) => Value | Promise<Value>;

export interface ColumnTools {
  readonly scope: Scope;
  readonly random: Random;
  readonly uniques: Uniques;
  environment(mayRepeat: boolean): ValidationEnvironment;
  candidates(block: Block, field: Field): readonly Candidate[];
  /** One for all blocks of the model, so that they count on together. */
  values(block: Block, field: Field, candidates: readonly Candidate[], isNumbered: boolean): Promise<FieldValues>;
  /** The records that a reference of the block may lead to. */
  targets(block: Block, reference: Reference): Promise<Choices>;
  walks(block: Block, plan: WalkPlan, members: readonly Choices[]): Walks;
}

type Candidates = ReadonlyMap<string, readonly Candidate[]>;

function nothingToReferTo(to: string): string {
  return `there is no ${to} to refer to: populate ${to} first, or set the reference`;
}
