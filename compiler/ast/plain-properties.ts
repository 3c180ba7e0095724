/**
 * Properties that hold one value, such as `limit INTEGER` and `filter { EXPRESSION }`. The grammar says what they hold, so
 * they are read by their shape: a new one needs no reader.
 */
import { type Form, type FormName, type PlaceName, places } from '../syntax/forms.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type { PlainProperties } from './ast.ts';
import { expressionFrom } from './expressions.ts';
import type { Reader } from './reader.ts';

/** The properties of a body, by the rule of the grammar. */
export type Properties = ReadonlyMap<string, SyntaxNode>;

type Read = (reader: Reader, value: SyntaxNode) => unknown;

const READERS: Readonly<Record<string, Read>> = {
  INTEGER: (reader, value) => reader.wholeNumber(value),
  STRING: (reader, value) => reader.text(value),
  EXPRESSION: expressionFrom,
};

interface Plain {
  readonly form: FormName;
  /** Its name in the abstract syntax. */
  readonly name: string;
  readonly read: Read;
}

const PLAIN = new Map(Object.entries(places).map(([name, { forms }]) => [name, forms.flatMap(plainFrom)]));

function plainFrom({ name: form, shape }: Form): readonly Plain[] {
  const read = READERS[/ (?:\{ )?(\w+)(?: \})?$/.exec(shape)?.[1] ?? ''];
  return read ? [{ form, name: camelCase(form), read }] : [];
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function plainPropertiesFrom<Place extends PlaceName>(
  place: Place,
  reader: Reader,
  properties: Properties,
): PlainProperties<Place> {
  return plainProperties(place, ({ form, read }) => {
    const node = properties.get(form);
    return node && read(reader, reader.child(node, 'value'));
  });
}

/** Where none of them is written. */
export function noPlainProperties<Place extends PlaceName>(place: Place): PlainProperties<Place> {
  return plainProperties(place, () => undefined);
}

function plainProperties<Place extends PlaceName>(
  place: Place,
  valueFrom: (property: Plain) => unknown,
): PlainProperties<Place> {
  const entries = (PLAIN.get(place) ?? []).map((property) => [property.name, valueFrom(property)]);
  return Object.fromEntries(entries) as PlainProperties<Place>;
}
