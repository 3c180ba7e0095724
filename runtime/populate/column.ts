/** One column of a block, and what columns are made with. */
import type { Field, Reference } from '../../compiler/definition/definition.ts';
import type { ValidationEnvironment } from '../expressions/compile-validation.ts';
import type { Scope } from '../expressions/scope.ts';
import type { Value } from '../values/value.ts';
import type { Block } from './blocks.ts';
import type { Candidate, Choices } from './candidates.ts';
import type { FieldValues } from './field-values.ts';
import type { Random } from './random.ts';
import type { Uniques } from './taken-keys.ts';
import type { WalkPlan } from './uniqueness.ts';
import type { Walks } from './walk.ts';

export interface Column {
  readonly field: Field;
  /** Its place in a row. */
  readonly index: number;
  readonly isAsync: boolean;
  /** Sees the columns that were made before it. A promise only where `isAsync` says so. */
  make(row: readonly Value[]): Value | Promise<Value>;
}

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

export type Making = Pick<Column, 'isAsync' | 'make'>;
export type Candidates = ReadonlyMap<string, readonly Candidate[]>;

export function nothingToReferTo(to: string): string {
  return `there is no ${to} to refer to: populate ${to} first, or set the reference`;
}
