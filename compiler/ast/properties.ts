/**
 * Properties that are keywords with at most one value behind them, such as `limit INTEGER`, `to NAME` and `unique`. The
 * grammar says what they hold, so they are read by their shapes: a new one needs no type and no reader.
 */
import type { FormName } from '../syntax/forms.ts';
import { SHAPES } from '../syntax/grammar-forms.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type { PropertyValues } from './nodes.ts';
import { ALONE, type Read } from './parts.ts';
import type { Reader } from './reader.ts';

/** The readers of each kind of value. */
type Readers = { readonly [Held in keyof PropertyValues]: Read<PropertyValues[Held]> };

type ReadProperty = (reader: Reader, property: SyntaxNode) => unknown;

interface Property {
  /** Its name in the abstract syntax: its keywords. */
  readonly name: string;
  readonly read: ReadProperty;
}

const CHOICE_OF_WORDS = /^\(([^{}]+)\)$/;

/**
 * Makes a reader of properties. Values contain properties too, because a value may be a hook, so the readers of values
 * are passed in.
 */
export function propertiesReader(readers: Readers) {
  const known = new Map((Object.keys(SHAPES) as FormName[]).flatMap((form) => propertyFrom(form, readers)));

  return (reader: Reader, written: ReadonlyMap<string, SyntaxNode>): object => {
    const found: Record<string, unknown> = {};
    for (const [key, node] of written) {
      const property = known.get(key);
      if (property) found[property.name] = property.read(reader, node);
    }
    return found;
  };
}

function propertyFrom(form: FormName, readers: Readers): [string, Property][] {
  const [rule = '', word] = form.split(' ');
  if (word)
    return [
      rule === 'flag' ? [word, { name: word, read: ofShape('', readers) }] : [rule, { name: rule, read: chosen([]) }],
    ];
  const keywords = keywordsOf(form);
  const held = SHAPES[form].slice(keywords.length).trimStart();
  const words = CHOICE_OF_WORDS.exec(held)?.[1]?.split(' | ');
  const read = words ? chosen(words) : Object.hasOwn(readers, held) && ofShape(held as keyof Readers, readers);
  return keywords && read ? [[form, { name: camelCase(keywords), read }]] : [];
}

/** What has an optional part behind its value is read as a whole. */
function ofShape(held: keyof Readers, readers: Readers): ReadProperty {
  const isWhole = / \[.*\]$/.test(held);
  return (reader, property) => readers[held](reader, isWhole ? property : valueNodeOf(property), ALONE);
}

/**
 * Reads one of several words. The first of two words, such as `set null`, is enough: a comment may stand between them.
 */
function chosen(words: readonly string[]): ReadProperty {
  return (reader, property) => {
    const value = valueNodeOf(property);
    reader.contents(value);
    const [first] = reader.words(value).split(/\W/, 1);
    return { value: words.find((choice) => choice.startsWith(`${first} `)) ?? first, span: reader.span(property) };
  };
}

/** The grammar names the value of a property. */
function valueNodeOf(property: SyntaxNode): SyntaxNode {
  return property.children.find((child) => child.field !== undefined) ?? property;
}

/** The keywords at the beginning of a form, such as `order by`; empty if it begins with a choice of keywords. */
export function keywordsOf(form: FormName): string {
  return KEYWORDS[form];
}

const KEYWORDS = Object.fromEntries(
  Object.entries(SHAPES).map(([form, shape]) => [form, /^[a-z]\w*(?: [a-z]\w*)*/.exec(shape)?.[0] ?? '']),
) as Readonly<Record<FormName, string>>;

function camelCase(words: string): string {
  return words.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
}
