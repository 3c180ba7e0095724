/** The blocks of a populator as they run: how often, under which name, and what becomes of each column. */
import type { Definition, Field, Model, Populate, Populator, Reference } from '../../compiler/definition/definition.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { modelIn } from '../../compiler/definition/lookup.ts';
import type { Value } from '../values/value.ts';

export interface Block {
  /** The path for messages: `Author > posts`. */
  readonly path: string;
  readonly model: Model;
  readonly populate: Populate;
  readonly parent: Block | null;
  /** Records for each parent. */
  readonly count: number;
  /** The number of records in all. */
  readonly total: number;
  readonly children: readonly Block[];
  /** The number of records so far. */
  made: number;
  /** The id of the record that was made last. */
  id: Value;
}

/** The origin of the value of a column. */
export type Origin =
  | { readonly kind: 'id' }
  | { readonly kind: 'parent' }
  | { readonly kind: 'set' | 'default'; readonly value: Expression }
  | { readonly kind: 'reference'; readonly reference: Reference }
  | { readonly kind: 'generated' };

export function blocksOf(populator: Populator, definition: Definition, scale: number): readonly Block[] {
  return populator.populates.map((populate) => blockOf(populate, null, definition, scale));
}

function blockOf(populate: Populate, parent: Block | null, definition: Definition, scale: number): Block {
  const model = modelIn(definition, populate.model) as Model;
  const count = scaled(populate.repeat.end - populate.repeat.start + 1, scale);
  const children: Block[] = [];
  const path = parent ? `${parent.path} > ${relationName(populate, parent.model, model)}` : model.name;
  const total = count * (parent?.total ?? 1);
  const block: Block = { path, model, populate, parent, count, total, children, made: 0, id: null };
  children.push(...populate.populates.map((inner) => blockOf(inner, block, definition, 1)));
  return block;
}

/** Scales a count. A single record stays the only one: a clerk, an administrator. */
function scaled(count: number, scale: number): number {
  return count <= 1 ? count : Math.max(1, Math.round(count * scale));
}

function relationName({ parent }: Populate, around: Model, model: Model): string {
  const reference = model.references.find(({ field }) => field === parent);
  const isReverse = (relation: { from: string; through: string }) =>
    relation.from === model.name && relation.through === reference?.name;
  return around.relations.find(isReverse)?.name ?? model.name;
}

export function withInner(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block) => [block, ...withInner(block.children)]);
}

export function modelsOf(blocks: readonly Block[]): readonly Model[] {
  return [...new Set(withInner(blocks).map(({ model }) => model))];
}

export function originOf({ model, populate }: Block, field: Field): Origin {
  if (field.name === 'id') return { kind: 'id' };
  if (field.name === populate.parent) return { kind: 'parent' };
  const set = populate.values.find((value) => value.field === field.name);
  if (set) return { kind: 'set', value: set.value };
  if (field.default && !isTheSameForAll(field)) return { kind: 'default', value: field.default };
  const reference = model.references.find((candidate) => candidate.field === field.name);
  return reference ? { kind: 'reference', reference } : { kind: 'generated' };
}

/** A default that is written out can be that of one record only, where the field is unique. */
function isTheSameForAll({ unique, default: value }: Field): boolean {
  return unique && value?.kind === 'literal' && value.value !== null;
}

// ── Table order ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The order in which tables are filled: what is referred to comes before what refers to it, as far as that goes.

export function tableOrder(definition: Definition): readonly Model[] {
  const order: Model[] = [];
  const seen = new Set<string>();
  const visit = (model: Model): void => {
    if (seen.has(model.name)) return;
    seen.add(model.name);
    // Nullable references give way where models refer to each other in a circle.
    const required = [...model.references].sort((a, b) => Number(a.nullable) - Number(b.nullable));
    for (const { to } of required) visit(modelIn(definition, to) as Model);
    order.push(model);
  };
  for (const model of definition.models) visit(model);
  return order;
}

/** Whether the rows that a reference leads to may come later than the rows that refer to them. */
export function isBackward(order: readonly Model[], from: string, to: string): boolean {
  const place = (name: string) => order.findIndex((model) => model.name === name);
  return place(to) > place(from);
}
