/** What the objects of an answer look like as JSON: the parts of a selection, with all that can be written beforehand. */
import { Piece } from './json-bytes.ts';
import type { JsonForm } from './json-form.ts';
import type { Collection, Part } from './shape.ts';

/** One property. All kinds have the same members, so that the loop over them is one that the engine knows well. */
export interface JsonField {
  readonly kind: 'value' | 'one' | 'many';
  /** `,"name":`, or `{"name":` for the first one. */
  readonly key: Piece;
  /** Negative where there is no such column. */
  readonly at: number;
  readonly form: JsonForm | null;
  /** Of the record, or of each record of the collection. */
  readonly shape: JsonShape | null;
  readonly collection: Collection | null;
}

export interface JsonShape {
  readonly fields: readonly JsonField[];
  /** Of kind `many`, with those of the records inside. */
  readonly collections: readonly JsonField[];
  /** How many bytes an object has beside its values. */
  readonly size: number;
}

/** Null where the code of a hook takes part: it needs values, and gives one. */
export function jsonShapeOf(parts: readonly Part[]): JsonShape | null {
  const fields: JsonField[] = [];
  for (const part of parts) {
    const field = fieldOf(part, new Piece(`${fields.length === 0 ? '{' : ','}${JSON.stringify(part.name)}:`));
    if (field === null) return null;
    fields.push(field);
  }
  return { fields, collections: fields.flatMap(collectionsOf), size: fields.reduce(sizeWith, BRACES) };
}

function fieldOf(part: Part, key: Piece): JsonField | null {
  switch (part.kind) {
    case 'value':
      return { kind: 'value', key, at: part.at, form: part.json, shape: null, collection: null };
    case 'one': {
      const shape = jsonShapeOf(part.parts);
      return shape && { kind: 'one', key, at: part.at, form: null, shape, collection: null };
    }
    case 'many': {
      const { collection } = part;
      const shape = collection.isSingle ? null : jsonShapeOf(collection.parts);
      return shape && { kind: 'many', key, at: part.at ?? -1, form: null, shape, collection };
    }
    case 'hook':
      return null;
  }
}

function collectionsOf(field: JsonField): readonly JsonField[] {
  if (field.kind === 'many') return [field];
  return field.shape?.collections ?? [];
}

const BRACES = 2;
const BRACKETS = 2;

function sizeWith(sum: number, { kind, key, shape }: JsonField): number {
  const own = kind === 'one' ? (shape as JsonShape).size : BRACKETS;
  return sum + key.length + own;
}
