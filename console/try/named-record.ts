/** Which record an input names. */

/** A field of a model that a value of the input is found by. */
export interface Named {
  readonly model: string;
  readonly field: string;
}

/** The document says it in words: "The `slug` of `Post`." */
export function namedBy(description: string | undefined): Named | null {
  const [, field, model] = /^The `([\w-]+)` of `(\w+)`/.exec(description ?? '') ?? [];
  return field === undefined || model === undefined ? null : { model, field };
}
