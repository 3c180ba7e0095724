/**
 * How the generated columns of a block keep its uniques. Where one of them can be numbered, it is; otherwise the
 * generated ones walk through their combinations.
 */
import type { Model } from '../../compiler/definition/definition.ts';

export interface Uniqueness {
  /** Fields that have a value of their own in every record. */
  readonly numbered: ReadonlySet<string>;
  readonly walks: readonly WalkPlan[];
}

export interface WalkPlan {
  readonly fields: readonly string[];
  /** The generated ones among them. */
  readonly walked: readonly string[];
}

export function uniquesOf({ fields, uniques }: Model): readonly (readonly string[])[] {
  const single = fields.filter(({ unique, name }) => unique && name !== 'id').map(({ name }) => [name]);
  return [...single, ...uniques];
}

export function uniquenessOf(
  model: Model,
  isGenerated: (field: string) => boolean,
  isOpen: (field: string) => boolean,
): Uniqueness {
  const numbered = new Set<string>();
  const walked = new Set<string>();
  const walks: WalkPlan[] = [];
  for (const fields of uniquesOf(model)) {
    const generated = fields.filter(isGenerated);
    if (generated.some((field) => numbered.has(field))) continue;
    const open = generated.find(isOpen);
    const free = generated.filter((field) => !walked.has(field));
    if (open !== undefined) numbered.add(open);
    else if (free.length > 0) walks.push({ fields, walked: free });
    if (open === undefined) for (const field of free) walked.add(field);
  }
  return { numbered, walks };
}
