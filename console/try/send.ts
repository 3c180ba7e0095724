/** Sends a request with the token of the session, and measures it. */
import { hasInexactNumbers } from '../../compiler/definition/contract/exact-json.ts';
import { NO_ANSWER, SERVER } from '../state/page.ts';
import { token } from '../state/session.ts';
import type { HttpRequest } from './request.ts';

export interface ApiResponse {
  readonly status: number;
  readonly statusText: string;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ResponseBody;
}

export type ResponseBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image' | 'file'; readonly url: string };

/** Throws a sentence for readers, or an `AbortError`. */
export async function send({ method, target, body }: HttpRequest, signal: AbortSignal): Promise<ApiResponse> {
  const current = token.get();
  const start = performance.now();
  const response = await fetch(`${SERVER}${target}`, {
    method,
    headers: {
      ...(current === null ? {} : { authorization: `Bearer ${current}` }),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === null ? {} : { body }),
    signal,
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new Error(NO_ANSWER);
  });
  const blob = await response.blob();
  const milliseconds = performance.now() - start;
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds,
    bytes: blob.size,
    headers: [...response.headers],
    body: await bodyOf(blob, response.headers.get('content-type') ?? ''),
  };
}

async function bodyOf(blob: Blob, type: string): Promise<ResponseBody> {
  if (blob.size === 0) return { kind: 'none' };
  if (/[/+]json\b/.test(type)) return jsonOf(await blob.text());
  if (/^text\//.test(type)) return { kind: 'text', text: await blob.text() };
  return { kind: /^image\//.test(type) ? 'image' : 'file', url: URL.createObjectURL(blob) };
}

function jsonOf(text: string): ResponseBody {
  try {
    const value: unknown = JSON.parse(text);
    // Written again, a number of many digits would be another one.
    return { kind: 'json', value, text: hasInexactNumbers(text) ? text : JSON.stringify(value, null, 2) };
  } catch {
    return { kind: 'text', text };
  }
}

/** By the place of the input, with dots: `author.email`. */
export type FieldErrors = Readonly<Record<string, string>>;

interface ValidationProblem {
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export function fieldErrorsIn({ body }: ApiResponse): FieldErrors {
  if (body.kind !== 'json' || typeof body.value !== 'object' || body.value === null) return {};
  const { errors = [] } = body.value as ValidationProblem;
  return Object.fromEntries(errors.map(({ path, message }) => [path, message]));
}
