import type { Bound } from '../database.ts';

/** A list becomes an array literal. Every element is quoted, so that `NULL`, braces and empty texts stay what they are. */
export function textFromBound(bound: Bound): string | null {
  return bound === null || typeof bound === 'string' ? bound : `{${bound.map(elementText).join(',')}}`;
}

function elementText(element: string | null): string {
  return element === null ? 'NULL' : `"${element.replace(/[\\"]/g, '\\$&')}"`;
}
