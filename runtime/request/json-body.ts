/**
 * The body of a request as the JSON object that it must be; an empty one where there is no body. `JSON.parse` makes
 * every key a property of the object's own, `__proto__` too, so that no key reaches a prototype.
 */
import { type Buffer, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { withoutInexactNumbers } from '../../compiler/definition/contract/exact-json.ts';
import { ApiError } from '../errors/api-error.ts';
import { announcesBody, type BodyLimits, bytesOfBody } from './body.ts';
import { isJson, requireJson } from './content-type.ts';
import { jsonMistake } from './json-mistake.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export async function jsonBodyOf(request: IncomingMessage, limits: BodyLimits): Promise<JsonObject> {
  const parsed = bodyReadBefore(request);
  if (parsed !== undefined) return objectFrom(parsed);
  if (!announcesBody(request)) return {};
  requireJson(request.headers);
  return jsonObjectFrom(await bytesOfBody(request, limits));
}

/** A body for the code of hooks: any JSON, and the bytes that it was read from. */
interface ReadBody {
  /** Undefined for an empty body. */
  readonly value: unknown;
  readonly bytes: Buffer;
}

/** Null where no JSON is announced, or somebody has read it before: what else there may be is for the hook to read. */
export async function anyJsonOf(request: IncomingMessage, limits: BodyLimits): Promise<ReadBody | null> {
  if (bodyReadBefore(request) !== undefined || !announcesBody(request) || !isJson(request.headers)) return null;
  const bytes = await bytesOfBody(request, limits);
  return { value: bytes.length === 0 ? undefined : jsonFrom(bytes), bytes };
}

/** Where these routes are mounted in somebody's own application, `express.json()` may have been there first. */
function bodyReadBefore(request: IncomingMessage & { readonly body?: unknown }): unknown {
  return request.readableEnded ? request.body : undefined;
}

function jsonObjectFrom(bytes: Buffer): JsonObject {
  return bytes.length === 0 ? {} : objectFrom(jsonFrom(bytes));
}

function jsonFrom(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.');
  const text = withoutByteOrderMark(bytes.toString('utf8'));
  const value = notTooDeep(parsed(text), bytes.length);
  const exact = withoutInexactNumbers(text);
  if (exact !== null && typeof value === 'object' && value !== null) EXACTLY.set(value, JSON.parse(exact));
  return value;
}

const EXACTLY = new WeakMap<object, JsonObject>();

/** The body with infinity in place of numbers that are not what was sent; the body itself where there are none. */
export function exactly(body: JsonObject): JsonObject {
  return EXACTLY.get(body) ?? body;
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(`The body is not valid JSON${jsonMistake(text) ?? '.'}`);
  }
}

/** What is nested deeper would overflow the stack of those who read it, here and in the database. */
const MOST_LEVELS = 200;

function notTooDeep(value: unknown, length: number): unknown {
  // Each level takes two brackets, so that most bodies need not be looked at.
  if (length > 2 * MOST_LEVELS && isDeeperThan(MOST_LEVELS, value)) {
    throw malformed(`The body is nested in more than ${MOST_LEVELS} levels.`);
  }
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
