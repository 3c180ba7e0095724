/**
 * A text as the value of a header. A header carries bytes, and Node takes a character for each. So addresses are
 * percent-encoded, the name of a file is written as RFC 8187 says, and any other text becomes the bytes of its UTF-8.
 * Doing it twice changes nothing.
 */
import { Buffer, isUtf8 } from 'node:buffer';

/** Throws where the text has control characters: they could end the header and begin another. */
export function headerText(name: string, text: string): string {
  if (ASCII.test(text)) return text;
  const control = CONTROL.exec(text)?.[0];
  if (control !== undefined) throw new Error(`the header \`${name}\` would hold the character ${codePoint(control)}`);
  return (ENCODINGS[name.toLowerCase()] ?? utf8Bytes)(text.toWellFormed());
}

const ASCII = /^[\t\x20-\x7e]*$/;
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

const ENCODINGS: Readonly<Record<string, ((text: string) => string) | undefined>> = {
  location: percentEncoded,
  'content-location': percentEncoded,
  link: percentEncoded,
  refresh: percentEncoded,
  'content-disposition': (text) => utf8Bytes(withEncodedFile(text)),
};

function codePoint(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function percentEncoded(text: string): string {
  return text.replace(/[^\0-\x7f]+/g, encodeURIComponent);
}

/** Encodes a text, unless it consists of such bytes already: Express reads a header to add to it. */
function utf8Bytes(text: string): string {
  const isDone = !/[^\0-\xff]/.test(text) && isUtf8(Buffer.from(text, 'latin1'));
  return isDone ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * Encodes a file name: `filename="Ünï.txt"` becomes `filename="_n_.txt"; filename*=UTF-8''%C3%9Cn%C3%AF.txt`, which all
 * clients can read.
 */
function withEncodedFile(text: string): string {
  if (/;\s*filename\*\s*=/i.test(text)) return text;
  return text.replace(FILE_NAME, (_, before: string, quoted: string | undefined, plain: string | undefined) => {
    const file = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
    const fallback = file.replace(/[^\0-\x7f]/gu, '_').replace(/["\\]/g, '\\$&');
    return `${before}filename="${fallback}"; filename*=UTF-8''${extendedValue(file)}`;
  });
}

const FILE_NAME = /(;\s*)filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i;

/** `encodeURIComponent` leaves some characters that RFC 8187 does not. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
