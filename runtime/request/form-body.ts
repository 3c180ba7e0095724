/**
 * A form (`multipart/form-data`) as the body of a request that takes files. Parts are inputs by name, `author.name` for one of
 * a group. A part is text where the input is, and JSON otherwise. In place of a file the body has an id, as it has of one that
 * was uploaded before.
 */
import { Buffer } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Input, Request } from '../../compiler/definition/endpoint.ts';
import type { Type } from '../../compiler/definition/expression.ts';
import { ApiError } from '../errors/api-error.ts';
import { type BodyLimits, bytesOfBody } from './body.ts';
import { jsonFrom, objectFrom } from './json-body.ts';

/** The files of a form, by the ids that the body has in place of them. */
export type FormFiles = ReadonlyMap<string, File>;

export function isForm({ headers }: IncomingMessage): boolean {
  return /^multipart\/form-data\s*;/i.test(headers['content-type'] ?? '');
}

const UPLOADS = "Larger files are sent by their fields' upload endpoints, and the body then has their ids.";

/** Node has a parser of forms, which it loads with the first of them. */
export async function formOf(request: IncomingMessage, limits: BodyLimits): Promise<FormData> {
  const bytes = await bytesOfBody(request, limits).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'too-large') throw error;
    throw new ApiError('too-large', { detail: `${error.detail} ${UPLOADS}` });
  });
  const headers = { 'content-type': String(request.headers['content-type']) };
  return new Response(bytes, { headers }).formData().catch((cause: unknown) => {
    throw new ApiError('malformed-request', { detail: 'The body is not a valid form.', cause });
  });
}

/** Parts that nothing takes are left out, as keys of JSON are. The body is read like one that was sent as JSON. */
export function bodyOfForm(form: FormData, { inputs, under }: Request) {
  const prefix = under === undefined ? [] : [under];
  const places = new Map(inputs.flatMap(placesOf).map((place) => [[...prefix, ...place.path].join('.'), place]));
  const sent: Texts = {};
  const files = new Map<string, File>();
  for (const [name, part] of form) {
    const place = places.get(name);
    if (place && typeof part !== 'string' && place.type?.kind !== 'file') throw noFile(place.path.join('.'));
    const text = typeof part === 'string' ? jsonOf(part, place?.type) : idOf(part, files);
    if (place && text !== null) put(sent, place.path, text);
  }
  const body = under === undefined ? sent : { [under]: sent };
  return { body: objectFrom(jsonFrom(Buffer.from(textOf(body)))), files };
}

function noFile(path: string): ApiError {
  const error = { path, code: 'wrong-type', message: 'must be a value, not a file', params: {} } as const;
  return new ApiError('validation-failed', { errors: [error] });
}

/** What a request has sent, as text. A file of a form counts by its content, for its id is another one each time. */
export async function textOfSent(received: { readonly files?: FormFiles }): Promise<string> {
  const { files = new Map<string, File>(), ...rest } = received;
  let text = JSON.stringify(rest);
  for (const [id, file] of files) {
    const hash = createHash('sha256').update(new Uint8Array(await file.arrayBuffer()));
    text = text.replaceAll(id, hash.update(JSON.stringify([file.name, file.type])).digest('hex'));
  }
  return text;
}

interface Place {
  readonly path: readonly [string] | readonly [string, string];
  /** Missing for a list of objects. */
  readonly type?: Type;
}

function placesOf(input: Input): readonly Place[] {
  if (input.kind === 'value') return [{ path: [input.name], type: input.type }];
  if (input.kind === 'list') return [{ path: [input.name] }];
  return input.inputs.map(({ name, type }) => ({ path: [input.name, name], type }));
}

/** Values as JSON. */
interface Texts {
  [name: string]: string | Texts;
}

function put(sent: Texts, [first, second]: Place['path'], text: string): void {
  sent[first] = second === undefined ? text : { ...(sent[first] as Texts | undefined), [second]: text };
}

function textOf(texts: string | Texts): string {
  if (typeof texts === 'string') return texts;
  return `{${Object.entries(texts).map(([name, text]) => `${JSON.stringify(name)}:${textOf(text)}`)}}`;
}

/** A browser sends an empty part for a file that was not chosen. */
function idOf(file: File, files: Map<string, File>): string | null {
  if (file.size === 0 && file.name === '') return null;
  const id = randomUUID();
  files.set(id, file);
  return JSON.stringify(id);
}

const NOT_TEXT: ReadonlySet<Type['kind']> = new Set(['integer', 'float', 'boolean', 'json', 'record', 'any', 'file']);

/** What is no JSON stays a text, which the check of the input refuses. An empty text may stand for a file not chosen, too. */
function jsonOf(text: string, type: Type | undefined): string | null {
  if (type?.kind === 'file' && text === '') return null;
  if ((type?.kind !== 'string' || type.many) && text === '') return 'null';
  const isText = type && !type.many && !NOT_TEXT.has(type.kind);
  return isText || !isJson(text) ? JSON.stringify(text) : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
