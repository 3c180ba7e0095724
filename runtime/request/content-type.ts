/** Whether the headers of a request announce JSON that can be read here: UTF-8, not compressed. */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../errors/api-error.ts';

export function requireJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type !== 'application/json') requireJsonType(type);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupported(`The body must not be compressed, but its content-encoding is ${encoding}.`);
  }
}

export function isJson(headers: IncomingHttpHeaders): boolean {
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
  if (!JSON_TYPE.test(type)) {
    throw unsupported(`The content-type of the body must be application/json, but it is ${type}.`);
  }
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
