/** Tiny files for records whose field must have one. Each record has its own, which goes with it. */
import { Buffer } from 'node:buffer';
import type { FileRules } from '../../compiler/definition/definition.ts';
import { fitsType, SIGNATURES, ZIP } from '../files/fits-type.ts';
import { type FileStore, storeOwn } from '../files/store.ts';
import { isAccepted } from '../values/file-rules.ts';
import type { Value } from '../values/value.ts';
import type { FieldValues } from './field-values.ts';
import { textsOfPattern } from './pattern-texts.ts';

const encoded = (text: string) => Buffer.from(text, 'base64');

/** The first one is taken where all fit. Those of the other types have only the beginning that their type asks for. */
const SAMPLES: Readonly<Record<string, Buffer>> = {
  'image/png': encoded(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  'image/jpeg': encoded(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  ),
  'image/gif': encoded('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  'text/plain': Buffer.from('An example.\n'),
};

const TEXT = Buffer.from('<example/>\n');

/** The first bytes by which the type is known. */
function beginningOf(signature: RegExp): Buffer {
  return Buffer.from(textsOfPattern(signature.source)?.at(0) ?? '', 'latin1');
}

/** The type, and the bytes; undefined where none is known that fits. */
export function sampleFor({ accept = [], max }: FileRules): readonly [string, Buffer] | undefined {
  const begun = Object.entries(SIGNATURES).map(([type, signature]) => [type, beginningOf(signature)] as const);
  const known = [...Object.entries(SAMPLES), ...begun].filter(([type]) => isAccepted(type, accept));
  const others = accept
    .filter((type) => !type.endsWith('*'))
    .flatMap((type) => [TEXT, beginningOf(ZIP)].map((each) => [type, each] as const));
  return [...known, ...others].find(([type, sample]) => sample.length <= max && fitsType(sample, type));
}

/** Files under the ids that are drawn. */
export function sampleFiles(rules: FileRules, draw: FieldValues, store: FileStore | null): FieldValues {
  const sample = sampleFor(rules);
  return async () => {
    if (!sample) throw new Error('no tiny file is known that fits its `accept` and `max`: make the field nullable');
    if (!store) throw new Error('it must have a file, and FILES_URL is not set');
    const [type, content] = sample;
    const name = `example.${type.startsWith('text/') ? 'txt' : type.replace(/^.*[/.+-]/, '')}`;
    const form = { type, size: content.length };
    const id = String(await draw());
    await storeOwn(store, id, content, form);
    return { id, name, ...form } satisfies Value;
  };
}
