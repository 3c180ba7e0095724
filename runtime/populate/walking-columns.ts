/** The columns that keep a unique together by walking through their combinations. */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import { compileValidation } from '../expressions/compile-validation.ts';
import type { Value } from '../values/value.ts';
import type { Block } from './blocks.ts';
import type { Choices } from './candidates.ts';
import { type Candidates, type Column, type ColumnTools, nothingToReferTo } from './column.ts';
import { keyOf } from './starting-state.ts';
import type { WalkPlan } from './uniqueness.ts';

export async function walkingColumns(
  block: Block,
  walks: readonly WalkPlan[],
  candidates: Candidates,
  tools: ColumnTools,
): Promise<readonly Column[]> {
  const columns: Column[] = [];
  for (const plan of walks) columns.push(...(await columnsOfWalk(block, plan, candidates, tools)));
  return columns;
}

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
    return { field, index, isAsync: false, make };
  });
}

type TakeStep = (row: readonly Value[]) => readonly Value[] | null;

async function stepping(
  block: Block,
  plan: WalkPlan,
  members: readonly Choices[],
  tools: ColumnTools,
): Promise<TakeStep> {
  const walks = tools.walks(block, plan, members);
  const others = plan.fields.filter((name) => !plan.walked.includes(name)).map((name) => indexIn(block, name));
  const isTaken = await takenCombinations(block, plan, tools);
  const isValid = validCombinations(block, plan, tools);
  const isOfParent = isWithParent(block, plan);
  return (row) => {
    if (isOfParent) walks.begin(block.parent?.id ?? null);
    const group = keyOf(others.map((index) => row[index] ?? null));
    for (let step = walks.next(group); step !== null; step = walks.next(group))
      if (isValid(step) && !isTaken(row, step)) return step;
    return null;
  };
}

function isWithParent({ populate }: Block, { fields }: WalkPlan): boolean {
  return populate.parent !== null && fields.includes(populate.parent);
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

/** Only what can be said at once; what a hook decides is left to the author. */
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

/** As the author wrote it: a reference and its key are one column. */
function memberName({ fields }: Model, name: string): string {
  return fields.find((field) => field.name === name)?.reference ?? name;
}
