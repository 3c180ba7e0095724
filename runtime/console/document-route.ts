/**
 * `/openapi.json`. The document of a large application has megabytes, so it is sent compressed, and not at all to a client
 * that has it already. Each form is made once, when somebody first asks for it, and kept.
 */
import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { literalPath, OPENAPI } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { once } from '../../compiler/definition/memo.ts';
import { plainRoute, type Route } from '../request/exchange.ts';
import type { Encoding } from './assets.ts';
import { encodedHeaders, encodingFor, hasAlready, tagOf } from './negotiation.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** The highest quality would take a minute for a document of 25 MB, and save a third of 200 KB. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export function documentRoute(document: () => string): Route {
  const forms: Readonly<Record<Encoding, () => Buffer | Promise<Buffer>>> = {
    br: once(() => compressBrotli(Buffer.from(document()), QUALITY)),
    gzip: once(() => compressGzip(Buffer.from(document()))),
    identity: once(() => Buffer.from(document())),
  };
  // Weak, because all of its forms have the same.
  const tag = once(() => `W/${tagOf(document())}`);
  return plainRoute('GET', literalPath(OPENAPI), async ({ request }) => {
    const headers = { etag: tag(), 'cache-control': 'no-cache', vary: 'accept-encoding' };
    if (hasAlready(request.headers, tag().slice('W/'.length))) return { status: 304, headers, body: null };
    const encoding = encodingFor(request.headers);
    const body = await forms[encoding]();
    return { status: 200, headers: encodedHeaders(headers, encoding), body };
  });
}

// ── Served document ──────────────────────────────────────────────────────────────────────────────────────────────────

// The text of `/openapi.json`, and the fingerprint of the API in it. `kiln dev` gives a function that makes the text:
// that of a large application takes seconds, so it is made when somebody asks for it, and not with every edit.

export type DocumentSource = string | (() => string);

/**
 * The limit of endpoints up to which the document is made at once, since that takes a moment. Above it, the document is
 * made on request.
 */
const MOST_AT_ONCE = 300;

export interface ServedDocument {
  readonly read: () => string;
  /** Undefined as long as the text has not been made. */
  contract(): string | undefined;
  /** Called once when the text is made, where it was not there from the beginning. */
  onMade: () => void;
}

export function servedDocument(
  source: DocumentSource | undefined,
  { endpoints }: Definition,
): ServedDocument | undefined {
  if (source === undefined) return undefined;
  let contract: string | undefined;
  const document: ServedDocument = {
    read: once(() => {
      const text = typeof source === 'string' ? source : source();
      contract = contractIn(text);
      document.onMade();
      return text;
    }),
    contract: () => contract,
    onMade: () => undefined,
  };
  if (typeof source === 'string' || endpoints.length <= MOST_AT_ONCE) document.read();
  return document;
}

/** The fingerprint of the contract. It stands among the first keys. */
export function contractIn(text: string): string | undefined {
  return /"x-kiln-contract":\s*"(\w+)"/.exec(text.slice(0, 500))?.[1];
}

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

export function infoIn(text: string): DocumentInfo {
  return (JSON.parse(text) as { readonly info: DocumentInfo }).info;
}
