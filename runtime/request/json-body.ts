/**
 * The body of a request as the JSON object that it must be; an empty one where there is no body. `JSON.parse` makes
 * every key a property of the object's own, `__proto__` too, so that no key reaches a prototype.
 */
import { type Buffer, isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { withoutInexactNumbers } from '../../compiler/definition/contract/exact-json.ts';
import { ApiError } from '../errors/api-error.ts';
import { announcesBody, type BodyLimits, bytesOfBody } from './body.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export async function jsonBodyOf(request: IncomingMessage, limits: BodyLimits): Promise<JsonObject> {
  const parsed = bodyReadBefore(request);
  if (parsed !== undefined) return objectFrom(parsed);
  if (!announcesBody(request)) return {};
  requireJson(request.headers);
  const bytes = await bytesOfBody(request, limits);
  return bytes.length === 0 ? {} : objectFrom(jsonFrom(bytes));
}

/** A body for the code of hooks: any JSON, and the bytes that it was read from. */
interface ReadBody {
  /** Undefined for an empty body. */
  readonly value: unknown;
  readonly bytes: Buffer;
}

/**
 * Reads a JSON body; null where none is announced, or it has been read before: the hook reads any other body itself.
 */
export async function anyJsonOf(request: IncomingMessage, limits: BodyLimits): Promise<ReadBody | null> {
  if (bodyReadBefore(request) !== undefined || !announcesBody(request) || !isJson(request.headers)) return null;
  const bytes = await bytesOfBody(request, limits);
  return { value: bytes.length === 0 ? undefined : jsonFrom(bytes), bytes };
}

/** The bytes of a JSON body, as they were sent. */
export async function rawBodyOf(
  request: IncomingMessage & { readonly rawBody?: Buffer },
  limits: BodyLimits,
): Promise<Buffer> {
  if (announcesBody(request)) requireJson(request.headers);
  if (!request.readableEnded) return bytesOfBody(request, limits);
  if (request.rawBody) return request.rawBody;
  throw new Error('the body was read before Kiln could verify its signature: mount Kiln in front of `express.json()`');
}

/** The body that `express.json()` has read already, where these routes are mounted in another application. */
function bodyReadBefore(request: IncomingMessage & { readonly body?: unknown }): unknown {
  return request.readableEnded ? request.body : undefined;
}

export function jsonFrom(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.');
  const text = withoutByteOrderMark(bytes.toString('utf8'));
  const value = notTooDeep(parsed(text), bytes.length);
  const exact = withoutInexactNumbers(text);
  if (exact !== null && typeof value === 'object' && value !== null) EXACTLY.set(value, JSON.parse(exact));
  return value;
}

const EXACTLY = new WeakMap<object, JsonObject>();

/** The body with infinity in place of numbers that are not exact; the body itself where there are none. */
export function exactly(body: JsonObject): JsonObject {
  return EXACTLY.get(body) ?? body;
}

/** The value under a key of the body, as exact as the body; an empty object where there is none. */
export function bodyUnder(body: JsonObject, key: string): unknown {
  const inner = Object.hasOwn(body, key) ? body[key] : {};
  const exact = EXACTLY.get(body)?.[key];
  if (typeof inner === 'object' && inner !== null && typeof exact === 'object') EXACTLY.set(inner, exact as JsonObject);
  return inner;
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(`The body is not valid JSON${placeOfMistake(text)}.`);
  }
}

/** The limit of nested levels: deeper values would overflow the stack of their readers, here and in the database. */
const MOST_LEVELS = 200;

function notTooDeep(value: unknown, length: number): unknown {
  // Each level takes two brackets, so that most bodies need not be looked at.
  if (length > 2 * MOST_LEVELS && isDeeperThan(MOST_LEVELS, value))
    throw malformed(`The body is nested in more than ${MOST_LEVELS} levels.`);
  return value;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each));
}

export function objectFrom(value: unknown): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw malformed(`The body must be a JSON object, but it is ${kindOf(value)}.`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

function malformed(detail: string): ApiError {
  return new ApiError('malformed-request', { detail });
}

// ── Content type ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Whether the headers of a request announce JSON that can be read here: UTF-8, not compressed.

export function requireJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type !== 'application/json') requireJsonType(type);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported(`The body must not be compressed, but its content-encoding is ${encoding}.`);
}

function isJson(headers: IncomingHttpHeaders): boolean {
  try {
    requireJson(headers);
    return true;
  } catch {
    return false;
  }
}

const JSON_TYPE = /^application\/(?:[\w.!#$&^+-]+\+)?json$/i;

function requireJsonType(header: string | undefined): void {
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  if (type === '') throw unsupported('The body has no content-type: it must be application/json.');
  if (!JSON_TYPE.test(type))
    throw unsupported(`The content-type of the body must be application/json, but it is ${type}.`);
  for (const parameter of parameters) requireUtf8(parameter);
}

function requireUtf8(parameter: string): void {
  const [name = '', value = ''] = parameter.split('=');
  if (name.trim().toLowerCase() !== 'charset') return;
  const charset = value.trim().replace(/^"(.*)"$/, '$1');
  if (!/^utf-?8$/i.test(charset)) throw unsupported(`The body must be in UTF-8, but its charset is ${charset}.`);
}

function unsupported(detail: string): ApiError {
  return new ApiError('unsupported-media-type', { detail });
}

// ── Json mistake ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Looking takes 15 times as long as parsing, and anybody may send such a text: at most two milliseconds. */
const LONGEST_TEXT = 4096;

/** ` at line 2, column 7`, where a text stops being JSON. V8 names the place only for some errors. */
export function placeOfMistake(text: string): string {
  if (text.length > LONGEST_TEXT) return '';
  let [right, wrong] = [0, text.length + 1];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (isBeginning(text.slice(0, middle))) right = middle;
    else wrong = middle;
  }
  const lines = text.slice(0, right).split('\n');
  return ` at line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
}

/** Whether JSON can begin with the text: then nothing is wrong before its end. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    return message.startsWith('Unexpected end') || Number(/^[^"]*position (\d+)/.exec(message)?.[1]) === text.length;
  }
}
