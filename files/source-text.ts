import { type SourceProblem, sourceProblem } from './source-problem.ts';

/** The text of a file's bytes, without a byte order mark; or why they are no text. */
export function sourceText(path: string, bytes: Uint8Array): string | SourceProblem {
  const text = utf8Text(bytes);
  if (text === undefined) return notUtf8(path, bytes);
  const nul = text.indexOf('\0');
  return nul < 0 ? text : nulByte(path, text, nul);
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function notUtf8(path: string, bytes: Uint8Array): SourceProblem {
  if (looksLikeUtf16(bytes)) {
    return sourceProblem('not-utf8', path, `\`${path}\` is UTF-16 text; save it as UTF-8`);
  }
  const offset = firstBadByte(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const line = lineAt(bytes, offset);
  const place = `byte ${offset}, on line ${line}, is not part of any character`;
  return sourceProblem('not-utf8', path, `\`${path}\` is not UTF-8 text: ${place}; save it as UTF-8`);
}

function looksLikeUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** Decoding puts U+FFFD for what is wrong; the first one that is not itself in the bytes is the place. */
function firstBadByte(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (bytes.toString('hex', offset, offset + 3) !== 'efbfbd') break;
    offset += 3;
    from = at + 1;
  }
  return offset;
}

function nulByte(path: string, text: string, at: number): SourceProblem {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const place = `byte ${Buffer.byteLength(before)}, on line ${line}, is zero`;
  return sourceProblem('nul-byte', path, `\`${path}\` is not a text file: ${place}`);
}

function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < offset; at = bytes.indexOf(0x0a, at + 1)) line++;
  return line;
}
