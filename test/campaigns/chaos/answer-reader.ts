/** Splits what a server sends into answers, byte by byte as HTTP/1.1 says. Only complete answers are given. */
import { Buffer } from 'node:buffer';

export interface WholeAnswer {
  readonly status: number;
  readonly body: Buffer;
}

const HEAD_END = '\r\n\r\n';

export class AnswerReader {
  #rest = Buffer.alloc(0);

  /** The answers that are complete by now. Throws where the bytes are no answer. */
  read(chunk: Buffer): readonly WholeAnswer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const answers: WholeAnswer[] = [];
    for (let next = this.#next(); next !== null; next = this.#next()) if (next.status >= 200) answers.push(next);
    return answers;
  }

  #next(): WholeAnswer | null {
    const end = this.#rest.indexOf(HEAD_END);
    if (end < 0) return null;
    const head = this.#rest.toString('latin1', 0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`no answer begins with ${JSON.stringify(head.slice(0, 80))}`);
    const read = bodyBehind(this.#rest, end + HEAD_END.length, head);
    if (read === null) return null;
    this.#rest = this.#rest.subarray(read.end);
    return { status, body: read.body };
  }
}

interface ReadBody {
  readonly body: Buffer;
  /** Where the next answer begins. */
  readonly end: number;
}

function bodyBehind(bytes: Buffer, start: number, head: string): ReadBody | null {
  if (/^transfer-encoding: chunked$/im.test(head)) return chunks(bytes, start);
  const end = start + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  return end > bytes.length ? null : { body: bytes.subarray(start, end), end };
}

function chunks(bytes: Buffer, start: number): ReadBody | null {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return null;
    const text = bytes.toString('latin1', at, line);
    if (!/^[0-9a-f]+$/i.test(text)) throw new Error(`no chunk begins with ${JSON.stringify(text.slice(0, 80))}`);
    const length = Number.parseInt(text, 16);
    at = line + 2 + length + 2;
    if (at > bytes.length) return null;
    if (length === 0) return { body: Buffer.concat(parts), end: at };
    parts.push(bytes.subarray(line + 2, line + 2 + length));
  }
}
