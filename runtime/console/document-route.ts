/**
 * `/openapi.json`. The document of a large application has megabytes, so it is sent compressed, and not at all to a client
 * that has it already. Each form is made once, when somebody first asks for it, and kept: no request but the first one of a
 * form reads the file.
 */
import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { literalPath, OPENAPI } from '../../compiler/definition/contract/routes.ts';
import { once } from '../../compiler/definition/memo.ts';
import { plainRoute, type Route } from '../request/exchange.ts';
import type { Encoding } from './assets.ts';
import type { DocumentText } from './document-text.ts';
import { encodedHeaders, encodingFor, hasAlready, onceMade, tagOf } from './negotiation.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** The highest quality would take a minute for a document of 25 MB, and save a third of 200 KB. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export function documentRoute(document: () => DocumentText): Route {
  const whole = (): string => document().whole();
  const forms: Readonly<Record<Encoding, () => Buffer | Promise<Buffer>>> = {
    br: onceMade(async () => compressBrotli(Buffer.from(whole()), QUALITY)),
    gzip: onceMade(async () => compressGzip(Buffer.from(whole()))),
    identity: once(() => Buffer.from(whole())),
  };
  // Weak, because all of its forms have the same.
  const tag = once(() => `W/${tagOf(whole())}`);
  return plainRoute('GET', literalPath(OPENAPI), async ({ request }) => {
    const headers = { etag: tag(), 'cache-control': 'no-cache', vary: 'accept-encoding' };
    if (hasAlready(request.headers, tag().slice('W/'.length))) return { status: 304, headers, body: null };
    const encoding = encodingFor(request.headers);
    const body = await forms[encoding]();
    return { status: 200, headers: encodedHeaders(headers, encoding), body };
  });
}
