/**
 * Whether the first bytes of a file are what its type says. Types that are not known here are believed, but a page is never
 * taken for a picture or a text.
 */
import type { Buffer } from 'node:buffer';
import { PAGES } from '../values/file-rules.ts';

/** Bytes as Latin-1. */
type Begins = (head: string) => boolean;

const begins =
  (...signatures: readonly string[]): Begins =>
  (head) =>
    signatures.some((signature) => head.startsWith(signature));

/** A box of MPEG-4, and one of the brands in it. */
const brand =
  (...brands: readonly string[]): Begins =>
  (head) =>
    head.startsWith('ftyp', 4) && brands.some((each) => head.startsWith(each, 8));

const riff =
  (form: string): Begins =>
  (head) =>
    head.startsWith('RIFF') && head.startsWith(form, 8);

const zip = begins('PK\x03\x04', 'PK\x05\x06');
const ogg = begins('OggS');
const matroska = begins('\x1a\x45\xdf\xa3');

const SIGNATURES: Readonly<Record<string, Begins>> = {
  'image/png': begins('\x89PNG\r\n\x1a\n'),
  'image/jpeg': begins('\xff\xd8\xff'),
  'image/gif': begins('GIF87a', 'GIF89a'),
  'image/webp': riff('WEBP'),
  'image/avif': brand('avif', 'avis', 'mif1'),
  'image/heic': brand('heic', 'heix', 'hevc', 'mif1'),
  'image/bmp': begins('BM'),
  'image/tiff': begins('II*\0', 'MM\0*'),
  'application/pdf': begins('%PDF-'),
  'application/zip': zip,
  'application/gzip': begins('\x1f\x8b'),
  'video/mp4': (head) => head.startsWith('ftyp', 4),
  'video/quicktime': (head) => /^.{4}(?:ftyp|moov|mdat|wide|free)/s.test(head),
  'video/webm': matroska,
  'audio/mpeg': (head) => /^(?:ID3|\xff[\xe2-\xff])/.test(head),
  'audio/mp4': brand('M4A', 'mp4', 'iso', 'dash'),
  'audio/wav': riff('WAVE'),
  'audio/ogg': ogg,
  'video/ogg': ogg,
};

const ZIPPED = /^application\/(?:vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|epub\+zip$)/;

/** What a browser would show as a page, behind spaces and comments. A comment ends in one place only, so that no text takes long. */
const PAGE =
  /^(?:\xef\xbb\xbf)?(?:\s|<!--(?:(?!-->).)*-->|<\?(?:(?!\?>).)*\?>)*<(?:!doctype|html|head|body|script|iframe|svg)\b/is;

export function fitsType(head: Buffer, type: string): boolean {
  const bytes = head.toString('latin1');
  const signature = ZIPPED.test(type) ? zip : SIGNATURES[type];
  if (signature) return signature(bytes);
  if (PAGES.has(type)) return isText(bytes) && bytes.includes('<');
  if (/^(?:text\/|application\/json$)/.test(type)) return isText(bytes) && !PAGE.test(bytes);
  return !(/^(?:image|audio|video|font)\//.test(type) && PAGE.test(bytes));
}

/** Texts have no control characters but tabs and ends of lines. */
function isText(bytes: string): boolean {
  return !/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(bytes);
}
