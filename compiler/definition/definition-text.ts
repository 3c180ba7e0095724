import type { Definition } from './definition.ts';

/**
 * The definition as it is stored: the same bytes for the same definition. A model or an endpoint is one line, so that
 * a difference between two releases shows what has changed, and a thousand models are still quick to read.
 */
export function definitionText(definition: Definition): string {
  const properties = Object.entries(definition).map(([key, value]) => `${JSON.stringify(key)}: ${itemsText(value)}`);
  return `{\n${properties.join(',\n')}\n}\n`;
}

function itemsText(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value);
  return `[\n${value.map((item) => JSON.stringify(item)).join(',\n')}\n]`;
}
