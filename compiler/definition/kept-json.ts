/**
 * The JSON of a part of something large, such as a model of a definition, made once for each object. After an edit most
 * parts are the same objects, and so are their texts.
 */
const KEPT = new WeakMap<object, string>();

export function keptJson(part: object): string {
  const text = KEPT.get(part) ?? JSON.stringify(part);
  KEPT.set(part, text);
  return text;
}

/** As `JSON.stringify` gives it. */
export function keptJsonOfList(parts: readonly object[]): string {
  return `[${parts.map(keptJson).join(',')}]`;
}
