/**
 * Whether the first bytes of a file are what its type says. Types that are not known here are believed, but a page is never
 * taken for a picture or a text.
 */
import type { Buffer } from 'node:buffer';
import { PAGES } from '../../compiler/definition/files.ts';

export const ZIP = /^PK(?:\x03\x04|\x05\x06)/;
const OGG = /^OggS/;

/** The bytes are Latin-1. In MPEG-4, `ftyp` is the first box, and behind it is its brand. */
export const SIGNATURES: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF.{4}WEBP/s,
  'image/avif': /^.{4}ftyp(?:avif|avis|mif1)/s,
  'image/heic': /^.{4}ftyp(?:heic|heix|hevc|mif1)/s,
  'image/bmp': /^BM/,
  'image/tiff': /^(?:II\*\0|MM\0\*)/,
  'application/pdf': /^%PDF-/,
  'application/zip': ZIP,
  'application/gzip': /^\x1f\x8b/,
  'video/mp4': /^.{4}ftyp/s,
  'video/quicktime': /^.{4}(?:ftyp|moov|mdat|wide|free)/s,
  'video/webm': /^\x1a\x45\xdf\xa3/,
  'audio/mpeg': /^(?:ID3|\xff[\xe2-\xff])/,
  'audio/mp4': /^.{4}ftyp(?:M4A|mp4|iso|dash)/s,
  'audio/wav': /^RIFF.{4}WAVE/s,
  'audio/ogg': OGG,
  'video/ogg': OGG,
};

const ZIPPED = /^application\/(?:vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|epub\+zip$)/;

/** What a browser would show as a page, behind spaces and comments. A comment ends in one place only, so that no text takes long. */
const PAGE =
  /^(?:\xef\xbb\xbf)?(?:\s|<!--(?:(?!-->).)*-->|<\?(?:(?!\?>).)*\?>)*<(?:!doctype|html|head|body|script|iframe|svg)\b/is;

export function fitsType(head: Buffer, type: string): boolean {
  const bytes = head.toString('latin1');
  const signature = ZIPPED.test(type) ? ZIP : SIGNATURES[type];
  if (signature) return signature.test(bytes);
  if (PAGES.includes(type)) return isText(bytes) && bytes.includes('<');
  if (/^(?:text\/|application\/json$)/.test(type)) return isText(bytes) && !PAGE.test(bytes);
  return !(/^(?:image|audio|video|font)\//.test(type) && PAGE.test(bytes));
}

/** Texts have no control characters but tabs and ends of lines. */
function isText(bytes: string): boolean {
  return !/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(bytes);
}
