/** Bytes on a socket that are no request, or more than one, or one that says two things about its length. */
import { pick, type Random } from '../../../runtime/populate/random.ts';
import { SENT } from './marks.ts';

type Bytes = (path: string, authorization: string, random: Random) => string | Buffer;

export function brokenBytes(path: string, token: string | null, random: Random): Buffer {
  const authorization = token === null ? '' : `authorization: Bearer ${token}\r\n`;
  const made = pick(FORMS, random)(path, authorization, random);
  return typeof made === 'string' ? Buffer.from(made, 'latin1') : made;
}

const FORMS: readonly Bytes[] = [
  (path, auth) => post(path, `${auth}content-length: 2\r\ntransfer-encoding: chunked`, '0\r\n\r\n'),
  (path, auth) => post(path, `${auth}content-length: 2\r\ncontent-length: 3`, '{}'),
  (path, auth) => post(path, `${auth}content-length: -1`, '{}'),
  (path, auth) => post(path, `${auth}content-length: 1e1`, '{}'),
  (path, auth) => post(path, `${auth}content-length: 99999999999999999999`, '{}'),
  (path, auth) => post(path, `${auth}content-length: 20`, '{"title":'),
  (path, auth) => post(path, `${auth}transfer-encoding: chunked`, 'zz\r\n{}\r\n0\r\n\r\n'),
  (path, auth) => post(path, `${auth}transfer-encoding: chunked`, 'ffffffffffffffff\r\n{}\r\n0\r\n\r\n'),
  (path, auth) => post(path, `${auth}transfer-encoding: chunked`, '2\r\n{}\r\n0\r\nx-trailer: 1\r\n\r\n'),
  (path, auth) => post(path, `${auth}transfer-encoding: gzip, chunked`, '2\r\n{}\r\n0\r\n\r\n'),
  (path, auth) => post(path, `${auth}transfer-encoding : chunked`, '0\r\n\r\n'),
  (path, auth) => post(path, `${auth}expect: 100-continue\r\ncontent-length: 2`, '{}'),
  (path, auth) => post(path, `${auth}expect: 200-ok\r\ncontent-length: 2`, '{}'),
  (path) => get(path, `x-header without a colon`),
  (path) => get(path, `x y: 1`),
  (path) => get(path, `x-nul: \u0000`),
  (path) => get(path, `x-high: \u00ff\u00fe`),
  (path) => get(path, ` folded: 1`),
  (path) => get(path, `x: ${'y'.repeat(100_000)}`),
  (path) => get(path, Array.from({ length: 3000 }, (_, at) => `x-${at}: 1`).join('\r\n')),
  (path) => get(path, 'connection: upgrade\r\nupgrade: websocket'),
  (path) => get(path, 'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__'),
  (path) => `GET ${path} HTTP/1.1\r\n\r\n`,
  (path) => `GET ${path} HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`,
  (path) => `GET ${path} HTTP/1.0\r\n\r\n`,
  (path) => `GET ${path} HTTP/9.9\r\nhost: a\r\n\r\n`,
  (path) => `GET ${path}\r\n\r\n`,
  (path) => `GET ${path} HTTP/1.1\nhost: a\n\n`,
  (path) => `GET  ${path}  HTTP/1.1\r\nhost: a\r\n\r\n`,
  (path) => `get ${path} HTTP/1.1\r\nhost: a\r\n\r\n`,
  (path) => `GET ${path}\u0000 HTTP/1.1\r\nhost: a\r\n\r\n`,
  (path) => `GET ${path}\u00ff HTTP/1.1\r\nhost: a\r\n\r\n`,
  (path) => `GET ${path}#${SENT} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
  () => 'CONNECT elsewhere.example:443 HTTP/1.1\r\nhost: elsewhere.example\r\n\r\n',
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => 'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  () => Buffer.from('16030100c8010000c40303', 'hex'),
  (_, __, random) => Buffer.from(Array.from({ length: 1 + random.below(400) }, () => random.below(256))),
  (path, auth) => `GET ${path} HTTP/1.1\r\nhost: a\r\n${auth}\r\n`.repeat(20),
  (path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(1000),
];

function post(path: string, headers: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`;
}

function get(path: string, header: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${header}\r\n\r\n`;
}
