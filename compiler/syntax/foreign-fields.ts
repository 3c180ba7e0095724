/** Members of a model as other languages write them. */
import { scalarMeantBy } from '../definition/scalars.ts';
import type { Reading } from './reading.ts';
import { formsOf } from './shapes.ts';
import type { Token } from './tokens.ts';

/** Signs that other languages put between a property and its value. */
export const JOINING_SIGNS: ReadonlySet<string> = new Set([':', '?:', '=', '=>', '->', ':=', '==']);

/** A field without its keyword; but `type string` is part of one. */
export function reportedBareField(reading: Reading): boolean {
  const { at } = reading;
  const isProperty = formsOf('field').some((form) => reading.reach(form.shapes, at).at > at + 1);
  return !isProperty && reportedForeignField(reading, at);
}

/** `title: string`, `title string` and `string title`, with or without `field` before it. */
export function reportedForeignField(reading: Reading, at: number): boolean {
  const joint = reading.tokenAt(at + 1);
  const sign = joint.kind === 'sign' && JOINING_SIGNS.has(joint.text) ? joint.text : undefined;
  const first = reading.tokenAt(at);
  const typeAt = at + (sign ? 2 : 1);
  const type = reading.tokenAt(typeAt);
  const asks = reading.isAt('?', typeAt + 1) && reading.touches(typeAt + 1);
  const isNullable = asks || sign === '?:';
  const instead = first.kind === 'word' && type.kind === 'word' && memberFrom(first.text, sign, type.text, isNullable);
  if (!instead || first.line !== type.line) return false;
  const last = asks ? reading.tokenAt(typeAt + 1) : type;
  const start = at > 0 && reading.wordAt(at - 1) === 'field' ? reading.tokenAt(at - 1) : first;
  const facts = { found: reading.textFrom(start, last), instead, span: reading.spanOf(start, last) };
  reading.report('foreign-field', facts, start, last);
  return true;
}

/** `type varchar(80)`, `type string?` and `type string[]`: what other languages put behind a type. */
export function reportedBehindType(reading: Reading): boolean {
  const type = reading.tokenAt(reading.at - 1);
  if (type.kind !== 'word' || reading.wordAt(reading.at - 2) !== 'type') return false;
  if (reading.isAt('?')) reportNullable(reading);
  else if (reading.isAt('(') && reading.braces.partner.has(reading.at)) reportLength(reading, type.text);
  else if (reading.isAt('[') && reading.isAt(']', reading.at + 1)) reportList(reading, type);
  else return false;
  return true;
}

function reportNullable(reading: Reading): void {
  const edits = [{ span: reading.spanOf(reading.token), text: ', nullable' }];
  reading.reportUnexpected('behind a type', { label: 'write `nullable`', edits });
}

function reportList(reading: Reading, type: Token): void {
  const close = reading.tokenAt(reading.at + 1);
  const instead = `[${type.text}]`;
  const facts = {
    found: reading.textFrom(type, close),
    where: 'as a type',
    label: `write \`${instead}\``,
    edits: [{ span: reading.spanOf(type, close), text: instead }],
  };
  reading.report('unexpected-text', facts, type, close);
}

function reportLength(reading: Reading, type: string): void {
  const open = reading.token;
  const close = reading.tokenAt(reading.braces.partner.get(reading.at) as number);
  const found = reading.textFrom(open, close);
  const length = /^\( ?(\d+) ?\)$/.exec(found)?.[1];
  const isText = scalarMeantBy(type) === 'string';
  const help = length && isText ? `to limit a text, write \`validate { maxLength(${length}) }\`` : undefined;
  const facts = { found, where: `behind \`${type}\``, label: 'a type has no length', help };
  reading.report('unexpected-text', facts, open, close);
}

/** The member that was meant by two words, if one of them is a type or a sign joins them. */
function memberFrom(first: string, sign: string | undefined, last: string, isNullable: boolean): string | undefined {
  const nullable = isNullable ? ', nullable' : '';
  const type = scalarMeantBy(last);
  const typeBefore = scalarMeantBy(first);
  if (type) return `field ${first} { type ${type}${nullable} }`;
  if (!sign) return typeBefore && `field ${last} { type ${typeBefore} }`;
  return /^[A-Z]/.test(last)
    ? `reference ${first} { to ${last}${nullable} }`
    : `field ${first} { type ${last}${nullable} }`;
}
