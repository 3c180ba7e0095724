/** What a client of an application with webhooks has for their receivers: the events, and a check of the signature. */
import type { OpenApiDocument, Schema } from '../openapi/document.ts';
import { type TypeContext, typeOf } from './schema-types.ts';

/** The bodies of webhooks. */
export function eventSchemas({ webhooks = {} }: OpenApiDocument): readonly Schema[] {
  return Object.values(webhooks).flatMap(({ post }) =>
    Object.values(post?.requestBody?.content ?? {}).map(({ schema }) => schema),
  );
}

export function webhookText(document: OpenApiDocument, context: TypeContext) {
  const [only, ...others] = eventSchemas(document);
  if (!only) return { types: '', code: '', declarations: '' };
  const several = [only, ...others].map((schema) => `\n  | ${typeOf(schema, context, '    ')}`);
  const events = others.length > 0 ? several : [` ${typeOf(only, context, '')}`];
  return {
    types: `/** What webhooks tell of. */\nexport type WebhookEvent =${events.join('')};\n${HEADERS}`,
    code: `${DOC}export async ${SIGNATURE} ${BODY}`,
    declarations: `${DOC}export declare ${SIGNATURE};\n`,
  };
}

const HEADERS = `
/** The headers of a request, with names in lower case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
`;

const DOC = `/**
 * The event of a request that was signed with the secret within the last five minutes; throws if it was not. The body is
 * the text as it was received: not parsed and written again.
 */
`;

const SIGNATURE =
  'function verifyWebhook(secret: string, headers: WebhookHeaders, rawBody: string): Promise<WebhookEvent>';

const BODY = `{
  const header = (name: string): string => {
    const found = headers instanceof Headers ? headers.get(name) : headers[name];
    return typeof found === 'string' ? found : '';
  };
  const [id, time] = [header('webhook-id'), header('webhook-timestamp')];
  if (!/^\\d+$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300)
    throw new Error('The webhook has no time, or is not of the last five minutes.');
  const bytes = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret.replace(/^whsec_/, '')), algorithm, false, ['verify']);
  const signed = new TextEncoder().encode(\`\${id}.\${time}.\${rawBody}\`);
  for (const each of header('webhook-signature').split(' ')) {
    const [version, value = ''] = each.split(',');
    const isReadable = version === 'v1' && /^[A-Za-z0-9+/]{43}=$/.test(value);
    if (isReadable && (await crypto.subtle.verify('HMAC', key, bytes(value), signed))) return JSON.parse(rawBody);
  }
  throw new Error('The signature of the webhook is wrong.');
}
`;
