/** Parses a record; undefined where the text does not have the shape. */
export function shapedFrom<T>(text: string, is: Is): T | undefined {
  const value = jsonFrom(text);
  return is(value) ? (value as T) : undefined;
}

/** Parses JSON; undefined where the text is not JSON. */
export function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a record, which a push may have brought, has the shape that it must have. More properties are no harm. */
export type Is = (value: unknown) => boolean;

export const isText: Is = (value) => typeof value === 'string';
export const isAmount: Is = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
export const oneOf =
  (...words: readonly string[]): Is =>
  (value) =>
    isText(value) && words.includes(value as string);
export const optional =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);
export const orNull =
  (is: Is): Is =>
  (value) =>
    value === null || is(value);
export const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is);
export const objectOf =
  (is: Is): Is =>
  (value) =>
    isObject(value) && Object.values(value).every(is);
export const isShaped =
  (shape: Readonly<Record<string, Is>>): Is =>
  (value) =>
    isObject(value) && Object.entries(shape).every(([key, is]) => is(value[key]));

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
