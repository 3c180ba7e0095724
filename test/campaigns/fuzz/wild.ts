/** Requests that no client would send by mistake: other bytes, headers, methods and paths than those of the document. */
import type { OutgoingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { pick, type Random } from '../../../runtime/populate/random.ts';
import { SENT } from './marks.ts';
import { ODD_TEXTS, ODD_VALUES } from './odd-values.ts';
import { encoded, type FuzzedRequest } from './requests.ts';

type Change = (request: FuzzedRequest, random: Random) => Partial<FuzzedRequest>;

export function wildRequest(request: FuzzedRequest, random: Random): FuzzedRequest {
  const changes: readonly Change[] = [
    otherBody,
    otherBody,
    otherBody,
    otherQuery,
    otherPath,
    otherHeaders,
    otherMethod,
  ];
  const changed = { ...request, ...pick(changes, random)(request, random), kind: 'wild' as const };
  return { ...changed, headers: sendable(changed.headers) };
}

/** Headers that Node itself would refuse to send are for `broken-bytes.ts`. */
function sendable(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => !/[^\t\x20-\x7e]/.test(String(value))));
}

// ── Bodies ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const JSON_TYPE = { 'content-type': 'application/json' };

function otherBody({ headers, body }: FuzzedRequest, random: Random): Partial<FuzzedRequest> {
  const sent = body?.toString() ?? '{}';
  const text = random.next() < 0.5 ? withOtherValue(sent, random) : pick(BODIES, random)(sent, random);
  return { headers: { ...headers, ...JSON_TYPE }, body: typeof text === 'string' ? Buffer.from(text) : text };
}

/** As they stand in a body, whether or not that is JSON. */
const JSON_VALUES: readonly string[] = [
  '1e400',
  '-0',
  '123456789012345678901234567890',
  `0.${'1'.repeat(5000)}`,
  '"\\ud800"',
  '"\\u0000"',
  '"\\x"',
  'NaN',
  'undefined',
  nested(150),
];

/** What slow validators, patterns and conversions take very long for. */
const LONG_TEXTS: readonly string[] = [
  `a${'\u0301\u0316'.repeat(60_000)}`,
  'x'.repeat(90_000),
  `${'a'.repeat(60)}!`,
  `${'a-'.repeat(45_000)}!`,
  `http://${'a.'.repeat(45_000)}`,
  `http://a/${'%'.repeat(90_000)}`,
  `${'a.'.repeat(45_000)}@a`,
  `a@${'a-'.repeat(45_000)}`,
  '9'.repeat(90_000),
  ' '.repeat(90_000),
  '👩‍👩‍👧‍👦'.repeat(5_000),
];

const VALUE = /(?<=":)("(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null)/g;

/** One value of the body is another one, so that it stands where the server expects something. */
function withOtherValue(sent: string, random: Random): string {
  const value = random.next() < 0.5 ? pick(JSON_VALUES, random) : JSON.stringify(pick(LONG_TEXTS, random));
  const chosen = random.below([...sent.matchAll(VALUE)].length || 1);
  let at = 0;
  return sent.replace(VALUE, (old) => (at++ === chosen ? value : old));
}

const BODIES: readonly ((sent: string, random: Random) => string | Buffer)[] = [
  () => '',
  () => ' \n',
  () => 'null',
  () => '[]',
  () => '"x"',
  () => '{',
  (sent) => sent.slice(0, -1),
  (sent) => `${sent}${sent}`,
  (sent) => `\ufeff${sent}`,
  (sent) => Buffer.from(sent, 'utf16le'),
  (sent) => `${sent.slice(0, -1)},}`,
  (sent) => sent.replace(/"(\w+)":/, '"$1":1,"$1":'),
  (sent) => sent.replace(/^\{/, '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}},'),
  () => nested(300),
  () => nested(100_000),
  () => `{"x":"${'x'.repeat(1_100_000)}"}`,
  () => `{${Array.from({ length: 5000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
  () => `[${'1,'.repeat(10_000)}1]`,
  (_, random) => Buffer.from(Array.from({ length: 1 + random.below(200) }, () => random.below(256))),
  (sent, random) => flipped(Buffer.from(sent), random),
  (sent) => sent.replace(/[a-z]/, '\\u00'),
  (_, random) => JSON.stringify(pick(ODD_VALUES, random)) ?? '',
];

function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}

function flipped(bytes: Buffer, random: Random): Buffer {
  if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

// ── Paths, queries and methods ──────────────────────────────────────────────────────────────────────────────────────

function otherQuery({ target }: FuzzedRequest, random: Random): Partial<FuzzedRequest> {
  const [path = ''] = target.split('?');
  return { target: `${path}?${pick(QUERIES, random)(random)}` };
}

const QUERIES: readonly ((random: Random) => string)[] = [
  () => 'page=1&page=2',
  () => 'page[]=1&pageSize[a]=2',
  () => 'page=%zz',
  () => 'page=%00',
  () => 'page=%ff%fe',
  () => 'page=1e9&pageSize=0x10',
  () => 'page=99999999999999999999',
  () => 'page=+1',
  () => 'pageSize=1000000',
  () => '&&&=&=x&',
  () => '__proto__=1&constructor=2&__proto__[x]=1',
  () => `x=${'y'.repeat(7000)}`,
  () => Array.from({ length: 500 }, (_, at) => `k${at}=1`).join('&'),
  (random) => `state=${encoded(pick(ODD_TEXTS, random))}&q=${SENT}`,
  () => 'a=1;b=2?c=3/../..',
];

function otherPath({ target }: FuzzedRequest, random: Random): Partial<FuzzedRequest> {
  return { target: pick(PATHS, random)(target.split('?')[0] ?? '/', random) };
}

const PATHS: readonly ((path: string, random: Random) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => `${path}%2F..`,
  (path) => `${path}/../..`,
  (path) => `${path}%00`,
  (path) => `${path}%zz`,
  (path) => `${path}%ff`,
  (path) => `${path}/${'x'.repeat(5000)}`,
  (path) => `${path}/%2e%2e/%2e%2e/etc/hosts`,
  (path) => withLast(path, '__proto__'),
  (path) => withLast(path, 'constructor'),
  (path) => withLast(path, '-1'),
  (path) => withLast(path, '99999999999999999999'),
  (path) => withLast(path, '1e3'),
  (path) => `http://elsewhere.example${path}`,
  (path, random) => withLast(path, encoded(pick(ODD_TEXTS, random)) || 'x'),
  () => '/',
  () => '/api',
  () => '*',
  () => '/docs/../openapi.json',
];

/** Without a regular expression: a path may be so long that one would hold up the answers to all other clients. */
function withLast(path: string, segment: string): string {
  return `${path.slice(0, path.lastIndexOf('/') + 1)}${segment}`;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE'];

function otherMethod(_: FuzzedRequest, random: Random): Partial<FuzzedRequest> {
  return { method: pick(METHODS, random) };
}

// ── Headers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function otherHeaders(request: FuzzedRequest, random: Random): Partial<FuzzedRequest> {
  const { body = request.body, ...headers } = pick(HEADERS, random)(request, random);
  return { headers: { ...request.headers, ...headers } as OutgoingHttpHeaders, body: body as Buffer | null };
}

type Headers = Readonly<Record<string, unknown>>;

const HEADERS: readonly ((request: FuzzedRequest, random: Random) => Headers)[] = [
  () => ({ 'content-type': 'text/plain' }),
  () => ({ 'content-type': 'application/json; charset=utf-16' }),
  () => ({ 'content-type': 'application/json;;;=' }),
  () => ({ 'content-type': 'APPLICATION/JSON ; Charset="UTF-8"' }),
  () => ({ 'content-type': 'multipart/form-data; boundary=x' }),
  () => ({ 'content-type': '' }),
  ({ body }) => ({ 'content-encoding': 'gzip', body: body && gzipSync(body) }),
  () => ({ 'content-encoding': 'br' }),
  () => ({ 'content-encoding': 'x-unknown, gzip' }),
  () => ({ accept: 'text/html;q=0.9, */*;q=0' }),
  () => ({ 'accept-encoding': 'gzip;q=1.0, identity; q=0' }),
  () => ({ 'accept-charset': 'x'.repeat(500) }),
  () => ({ 'x-request-id': `${SENT} <b>` }),
  () => ({ 'x-request-id': 'x'.repeat(3000) }),
  () => ({ authorization: `Basic ${Buffer.from(`a:${SENT}`).toString('base64')}` }),
  () => ({ authorization: 'Bearer' }),
  () => ({ authorization: `Bearer ${'A'.repeat(6000)}` }),
  () => ({ authorization: 'Bearer a b c' }),
  () => ({ authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }),
  () => ({ host: `${SENT}.example` }),
  () => ({ cookie: `session=${SENT}; a=${'b'.repeat(4000)}` }),
  () => ({ 'x-forwarded-for': '127.0.0.1, ::1', 'x-forwarded-proto': 'https', forwarded: `for=${SENT}` }),
  () => ({ 'x-http-method-override': 'DELETE' }),
  () => ({ 'if-none-match': '*', 'if-modified-since': 'yesterday', range: 'bytes=0-1,5-' }),
  () => ({ origin: 'https://elsewhere.example', 'access-control-request-method': 'DELETE' }),
  () => ({ 'kiln-contract': SENT }),
  () => ({ 'x-many': Array.from({ length: 90 }, (_, at) => `v${at}`) }),
  (_, random) => ({ [`x-${random.below(1e6)}`]: encoded(pick(ODD_TEXTS, random)) }),
];
