/** Webhooks as the document describes them: requests that this server sends, as Standard Webhooks say. */
import type { Webhook } from '../../definition/endpoint.ts';
import type { ComponentSchemas } from './components.ts';
import type { OpenApiDocument, Operation, Parameter, Schema } from './document.ts';
import { camelCase, wordsFrom } from './names.ts';
import { objectOf, shapeSchema } from './selection-schemas.ts';

export function webhooksOf(components: ComponentSchemas): Pick<OpenApiDocument, 'webhooks'> {
  const { webhooks = [] } = components.definition;
  if (webhooks.length === 0) return {};
  const items = webhooks.map((webhook) => [webhook.name, { post: operationOf(webhook, components) }]);
  return { webhooks: Object.fromEntries(items) };
}

function operationOf(webhook: Webhook, components: ComponentSchemas): Operation {
  const { name, doc } = webhook;
  return {
    operationId: camelCase(`webhook.${name}`),
    summary: doc ?? wordsFrom(name.replaceAll('.', ' ')),
    tags: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: webhookSchema(webhook, components) } } },
    responses: {
      '2XX': { description: 'The event was taken.' },
      '410': { description: 'The receiver wants no more events.' },
      default: { description: 'The event is sent again later.' },
    },
  };
}

function webhookSchema({ name, ...shape }: Webhook, components: ComponentSchemas): Schema {
  return objectOf({
    type: { const: name },
    timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
    data: shapeSchema(shape, components),
  });
}

const TEXT: Schema = { type: 'string' };

const HEADERS: readonly Parameter[] = [
  ['webhook-id', 'The same for each try.'],
  ['webhook-timestamp', 'When it was sent, in seconds since 1970.'],
  [
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of id, timestamp and body, in Base64; two of them while a secret is replaced.',
  ],
].map(([name = '', description = '']) => ({ name, in: 'header', required: true, description, schema: TEXT }) as const);
