// The reference of routes that have no row: the signed webhooks, the endless live stream, the status and the public keys.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Reason } from '@clinic/lib/errors/errors.ts';
import { LIVE_EVENTS } from '../live/live-event.ts';
import type { Schema } from './response-schemas.ts';

type CustomRoute = {
  method: 'get' | 'post';
  path: string;
  tag: string;
  operationId: string;
  summary: string;
  description: string;
  /** The column "Who may call" in docs/api.md. */
  who: string;
  security: Schema[];
  parameters?: Schema[];
  requestBody?: Schema;
  success: Schema;
  errors: Reason[];
};

/** A client of the live stream for browsers. A test runs it in a browser. */
const EXAMPLE = readFileSync(path.join(import.meta.dirname, '../live/example.js'), 'utf8');

export const CUSTOM_TAGS = [
  {
    name: 'Webhooks',
    description:
      'Deliveries of the chat provider and the payment provider. The signature covers the raw bytes. The response is sent once the delivery is stored.',
  },
  { name: 'Public keys', description: 'For programs that verify access tokens themselves.' },
  { name: 'Status', description: 'Which parts of the product work. No sign-in is needed.' },
  { name: 'Live events', description: 'Changes to the data of the clinic, as they happen.' },
];

export const SIGNATURES = {
  chatSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hub-Signature-256',
    description: '`sha256=` and the HMAC-SHA256 of the raw body in hex, keyed with the app secret of the chat provider (CHAT_APP_SECRET).',
  },
  paymentSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: 'The HMAC-SHA256 of the raw body in hex, keyed with the signing secret of the payment provider (PAYMENTS_WEBHOOK_SECRET).',
  },
};

const text = (name: string, description: string, more: Schema = {}) => ({
  name,
  in: 'query',
  required: true,
  description,
  schema: { type: 'string', ...more },
});
const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
const object = (properties: Record<string, Schema>, more: Schema = {}) => ({ type: 'object', properties, ...more });
const objects = { type: 'array', items: { type: 'object' } };
const PROVIDER_FORMAT = {
  description: 'In the format of the provider. Every signed delivery is stored; one that cannot be processed is left for an operator to replay.',
};

const CHAT_DELIVERY = object(
  {
    object: { type: 'string', description: 'whatsapp_business_account' },
    entry: {
      type: 'array',
      items: object({
        id: { type: 'string' },
        changes: {
          type: 'array',
          items: object({
            field: { type: 'string', description: 'messages, smb_message_echoes or user_preferences; others are stored and not processed' },
            value: object({
              messaging_product: { type: 'string' },
              metadata: object({ display_phone_number: { type: 'string' }, phone_number_id: { type: 'string', description: 'Determines the clinic' } }),
              contacts: objects,
              messages: objects,
              statuses: objects,
            }),
          }),
        },
      }),
    },
  },
  PROVIDER_FORMAT,
);

const PAYMENT_EVENT = object(
  {
    meta: object({ event_name: { type: 'string' }, webhook_id: { type: 'string' }, custom_data: object({ clinic_id: { type: 'string', format: 'uuid' } }) }),
    data: object({ type: { type: 'string' }, id: { type: ['string', 'integer'] }, attributes: { type: 'object' } }),
  },
  PROVIDER_FORMAT,
);

const stored = (within: string) =>
  `Returns 200 once the delivery is stored, or 503 if it cannot be stored within ${within}, so that the provider delivers it again.`;

export const CUSTOM_ROUTES: CustomRoute[] = [
  {
    method: 'get',
    path: '/webhooks/chat',
    tag: 'Webhooks',
    operationId: 'verifyChatWebhook',
    summary: 'Verify the address of the chat webhook',
    description: 'The chat provider calls this once and receives its challenge back as plain text.',
    who: 'the chat provider',
    security: [],
    parameters: [
      text('hub.mode', 'The kind of request.', { const: 'subscribe' }),
      text('hub.verify_token', 'The verification secret of the deployment (CHAT_VERIFY_TOKEN).'),
      text('hub.challenge', 'Returned unchanged.'),
    ],
    success: { description: 'The challenge', content: { 'text/plain': { schema: { type: 'string' } } } },
    errors: ['VALIDATION_ERROR', 'FORBIDDEN'],
  },
  {
    method: 'post',
    path: '/webhooks/chat',
    tag: 'Webhooks',
    operationId: 'deliverChatEvents',
    summary: 'Deliver chat messages and statuses',
    description: `${stored('half a second')} A message that was delivered before is recognised by its id and has no effect. At most 3 MB.`,
    who: 'the chat provider',
    security: [{ chatSignature: [] }],
    requestBody: { required: true, ...json(CHAT_DELIVERY) },
    success: { description: 'Stored', ...json(object({ status: { const: 'received' } }, { required: ['status'] })) },
    errors: ['INVALID_SIGNATURE', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
  },
  {
    method: 'post',
    path: '/webhooks/payments',
    tag: 'Webhooks',
    operationId: 'deliverPaymentEvent',
    summary: 'Deliver a payment event',
    description: `${stored('8 seconds')} The order of the events of a clinic and repeated deliveries do not affect the resulting state. At most 1 MB.`,
    who: 'the payment provider',
    security: [{ paymentSignature: [] }],
    parameters: [{ name: 'X-Event-Name', in: 'header', description: 'Used when the body does not name the event.', schema: { type: 'string' } }],
    requestBody: { required: true, ...json(PAYMENT_EVENT) },
    success: { description: 'Stored', ...json(object({ received: { const: true } }, { required: ['received'] })) },
    errors: ['INVALID_SIGNATURE', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
  },
  {
    method: 'get',
    path: '/.well-known/jwks.json',
    tag: 'Public keys',
    operationId: 'getPublicKeys',
    summary: 'Get the keys that verify access tokens',
    description: 'A JSON Web Key Set (RFC 7517). The `kid` in the header of a token names its key.',
    who: 'anyone',
    security: [],
    success: { description: 'The key set', ...json(object({ keys: objects }, { required: ['keys'] })) },
    errors: ['VALIDATION_ERROR', 'INTERNAL', 'UNAVAILABLE'],
  },
  {
    method: 'get',
    path: '/status',
    tag: 'Status',
    operationId: 'getStatus',
    summary: 'Get the status of the product',
    description: 'The status of each part, at most ten seconds old. `maintenance` is null unless changes are being refused at present.',
    who: 'anyone',
    security: [],
    success: {
      description: 'The state of the product',
      ...json(
        object(
          {
            status: { enum: ['operational', 'maintenance', 'partial_outage', 'outage'] },
            components: {
              type: 'array',
              items: object({ name: { type: 'string' }, status: { enum: ['operational', 'outage'] } }, { required: ['name', 'status'] }),
            },
            maintenance: {
              type: ['object', 'null'],
              properties: { until: { type: ['string', 'null'], format: 'date-time' }, message: { type: 'string' } },
            },
            at: { type: 'string', format: 'date-time' },
          },
          { required: ['status', 'components', 'maintenance', 'at'] },
        ),
      ),
    },
    errors: ['VALIDATION_ERROR'],
  },
  {
    method: 'get',
    path: '/api/events',
    tag: 'Live events',
    operationId: 'streamEvents',
    summary: 'Stream live events',
    description: `Server-sent events of the caller’s clinic: ${LIVE_EVENTS.map(({ name }) => `\`${name}\``).join(', ')}. Their data consists of ids and states. The only personal data is the \`phone\` of a conversation, which identifies it in this API. With \`Last-Event-ID\` the stream begins with the events that were missed, up to 24 hours back.\n\n\`EventSource\` cannot send a token. In a browser, read the stream with \`fetch\`:\n\n\`\`\`js\n${EXAMPLE}\`\`\``,
    who: 'any user',
    security: [{ bearer: [] }],
    parameters: [{ name: 'Last-Event-ID', in: 'header', description: 'The id of the last event received.', schema: { type: 'string', format: 'uuid' } }],
    success: {
      description: 'A stream that stays open, with events of these forms',
      content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/LiveEvent' } } },
    },
    errors: [
      'RATE_LIMITED',
      'UNAUTHENTICATED',
      'TOKEN_EXPIRED',
      'USER_INACTIVE',
      'CLINIC_SUSPENDED',
      'SUBSCRIPTION_EXPIRED',
      'SCOPE_REQUIRED',
      'MFA_SETUP_REQUIRED',
      'VALIDATION_ERROR',
      'UNAVAILABLE',
    ],
  },
];
