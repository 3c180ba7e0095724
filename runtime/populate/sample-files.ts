/** Tiny files for records whose field must have one. Each record has its own, which goes with it. */
import { Buffer } from 'node:buffer';
import type { FileRules } from '../../compiler/definition/definition.ts';
import { fitsType } from '../files/fits-type.ts';
import { type FileStore, storeOwn } from '../files/store.ts';
import { isAccepted } from '../values/file-rules.ts';
import type { Value } from '../values/value.ts';
import type { FieldValues } from './field-values.ts';

const encoded = (text: string) => Buffer.from(text, 'base64');
const bytes = (text: string) => Buffer.from(text, 'latin1');

const ZIP = bytes(`PK\x05\x06${'\0'.repeat(18)}`);
const TEXT = bytes('<example/>\n');

/** Pictures are whole. Others begin as their type wants it, and have nothing behind that. The first is taken where all fit. */
const SAMPLES: Readonly<Record<string, Buffer>> = {
  'image/png': encoded(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  'image/jpeg': encoded(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  ),
  'image/gif': encoded('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  'text/plain': bytes('An example.\n'),
  'application/pdf': bytes('%PDF-1.4\n%%EOF\n'),
  'application/zip': ZIP,
  'application/gzip': bytes('\x1f\x8b\x08'),
  'image/webp': bytes('RIFF\x04\0\0\0WEBP'),
  'image/avif': bytes('\0\0\0\x10ftypavif\0\0\0\0'),
  'image/heic': bytes('\0\0\0\x10ftypheic\0\0\0\0'),
  'image/bmp': bytes('BM'),
  'image/tiff': bytes('II*\0'),
  'video/mp4': bytes('\0\0\0\x10ftypmp42\0\0\0\0'),
  'video/quicktime': bytes('\0\0\0\x10ftypqt  \0\0\0\0'),
  'video/webm': bytes('\x1a\x45\xdf\xa3'),
  'video/ogg': bytes('OggS'),
  'audio/mpeg': bytes('ID3\x03\0\0\0\0\0\0'),
  'audio/mp4': bytes('\0\0\0\x10ftypM4A \0\0\0\0'),
  'audio/wav': bytes('RIFF\x04\0\0\0WAVE'),
  'audio/ogg': bytes('OggS'),
};

/** The type, and the bytes; undefined where none is known that fits. */
export function sampleFor({ accept = [], max }: FileRules): readonly [string, Buffer] | undefined {
  const known = Object.entries(SAMPLES).filter(([type]) => isAccepted(type, accept));
  const others = accept
    .filter((type) => !type.endsWith('*'))
    .flatMap((type) => [TEXT, ZIP].map((each) => [type, each] as const));
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
