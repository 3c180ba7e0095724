/**
 * `/openapi.json`. The document of a large application has megabytes, so it is sent compressed, and not at all to a client
 * that has it already. Each form is made once, when somebody first asks for it, and kept: no request but the first one of a
 * form reads the file.
 */
import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { literalPath, OPENAPI } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { once } from '../../compiler/definition/memo.ts';
import { plainRoute, type Route } from '../request/exchange.ts';
import type { Encoding } from './assets.ts';
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

// ── Served document ──────────────────────────────────────────────────────────────────────────────────────────────────

// The text of `/openapi.json`, and the fingerprint of the API in it. `kiln dev` gives a function that makes the text:
// that of a large application takes seconds, so it is made when somebody asks for it, and not with every edit.

export type DocumentSource = string | DocumentText | (() => string);

/**
 * The limit of endpoints up to which the document is made at once, since that takes a moment. Above it, the document is
 * made on request.
 */
const MOST_AT_ONCE = 300;

export interface ServedDocument {
  readonly read: () => DocumentText;
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
      const text = textFrom(source);
      contract = contractIn(text);
      document.onMade();
      return text;
    }),
    contract: () => contract,
    onMade: () => undefined,
  };
  if (typeof source !== 'function' || endpoints.length <= MOST_AT_ONCE) document.read();
  return document;
}

function textFrom(source: DocumentSource): DocumentText {
  if (typeof source === 'function') return documentText(source());
  return typeof source === 'string' ? documentText(source) : source;
}

// ── Document text ────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The text of `/openapi.json`. That of a large application has megabytes, and many servers are never asked for it. So
 * only the beginning of a file is read at the start.
 */
export interface DocumentText {
  /** The first kilobytes: what a server needs of it stands first. */
  readonly beginning: string;
  whole(): string;
}

export function documentText(text: string): DocumentText {
  return { beginning: text, whole: () => text };
}

/** The fingerprint of the contract. It stands among the first keys. */
export function contractIn({ beginning }: DocumentText): string | undefined {
  return /"x-kiln-contract":\s*"(\w+)"/.exec(beginning.slice(0, 500))?.[1];
}

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

/** Indented, as in most documents, or on one line, as in large ones. */
const INFO = /^(?: {2}"info": (\{$.*?^ {2}\})|"info": (\{.*?\})),?$/ms;

/** The whole text is read only where Kiln has not written it, or where it begins with more than is expected. */
export function infoIn({ beginning, whole }: DocumentText): DocumentInfo {
  const [, indented, info = indented] = INFO.exec(beginning) ?? [];
  return info === undefined
    ? (JSON.parse(whole()) as { readonly info: DocumentInfo }).info
    : (JSON.parse(info) as DocumentInfo);
}
