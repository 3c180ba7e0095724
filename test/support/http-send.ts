/** Sends the request of a case byte by byte as it is written: nothing tidies up the path. */
import { createHmac } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Header, Request } from './http-case.ts';
import { filled, type Kept, type SeenAnswer } from './http-match.ts';

export async function sendRequest(url: string, request: Request, kept: Kept): Promise<SeenAnswer> {
  const body = request.body && filled(request.body.text, kept);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = httpRequest(new URL(url), {
      method: request.method,
      path: filled(request.path, kept),
      headers: headersOf(request, body, kept),
    });
    sent
      .once('response', resolve)
      .once('error', reject)
      .end(body ?? undefined);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return {
    status: answer.statusCode ?? 0,
    headers: headersFromRaw(answer.rawHeaders),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function headersOf(request: Request, body: string | null, kept: Kept): Record<string, string | number> {
  const written = request.headers.map(
    ([name, value]) => [name, signedValue(value, body) ?? filled(value, kept)] as const,
  );
  const usual = body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const all = Object.entries({ ...usual, ...Object.fromEntries(written) });
  return Object.fromEntries(all.filter(([, value]) => value !== '-'));
}

/** `{{signed with SECRET}}` is what Stripe would send with this body now. */
function signedValue(value: string, body: string | null): string | undefined {
  const [, secret] = /^\{\{signed with (.+)\}\}$/.exec(value) ?? [];
  if (secret === undefined) return undefined;
  const time = Math.floor(Date.now() / 1000);
  return `t=${time},v1=${createHmac('sha256', secret)
    .update(`${time}.${body ?? ''}`)
    .digest('hex')}`;
}

function headersFromRaw(raw: readonly string[]): readonly Header[] {
  const headers: Header[] = [];
  for (let at = 0; at < raw.length; at += 2) headers.push([(raw[at] ?? '').toLowerCase(), decoded(raw[at + 1] ?? '')]);
  return headers;
}

/** Node gives each byte of a header as a character. */
function decoded(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}
