// What is served by code of its own and not by rows, as the reference tells it: the webhooks, which are signed, and the live
// stream, which does not end.
import type { Reason } from '@clinic/lib/errors/errors.ts';
import type { Schema } from './response-schemas.ts';

export type CustomRoute = {
  method: 'get' | 'post';
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** In docs/api.md. */
  who: string;
  security: Schema[];
  parameters?: Schema[];
  requestBody?: Schema;
  success: Schema;
  errors: Reason[];
};

export const CUSTOM_TAGS = [
  { name: 'Webhooks', description: 'Where the chat provider and the payment provider deliver. Signed over the bytes as they come, answered when stored.' },
  { name: 'Live changes', description: 'What changes in the clinic, as it changes.' },
];

export const SIGNATURES = {
  chatSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hub-Signature-256',
    description: '`sha256=` and the HMAC-SHA256 of the raw body in hex, keyed with the app secret of the chat channel (CHAT_APP_SECRET).',
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
            field: { type: 'string', description: 'messages, smb_message_echoes or user_preferences; others are taken and left alone' },
            value: object({
              messaging_product: { type: 'string' },
              metadata: object({ display_phone_number: { type: 'string' }, phone_number_id: { type: 'string', description: 'Says which clinic it is for' } }),
              contacts: { type: 'array', items: { type: 'object' } },
              messages: { type: 'array', items: { type: 'object' } },
              statuses: { type: 'array', items: { type: 'object' } },
            }),
          }),
        },
      }),
    },
  },
  { description: 'The provider’s own shape. Whatever is signed is stored: what is of no use waits for an operator.' },
);

const PAYMENT_EVENT = object(
  {
    meta: object({ event_name: { type: 'string' }, custom_data: object({ clinic_id: { type: 'string', format: 'uuid' } }) }),
    data: object({ type: { type: 'string' }, id: { type: ['string', 'integer'] }, attributes: { type: 'object' } }),
  },
  { description: 'The provider’s own shape. Whatever is signed is stored: what is of no use waits for an operator.' },
);

export const CUSTOM_ROUTES: CustomRoute[] = [
  {
    method: 'get',
    path: '/webhooks/chat',
    tag: 'Webhooks',
    summary: 'Verify the address of the chat webhook',
    description: 'The chat provider asks once whether the address is ours, and gets its challenge back as plain text.',
    who: 'the chat provider',
    security: [],
    parameters: [
      text('hub.mode', 'What is asked for.', { const: 'subscribe' }),
      text('hub.verify_token', 'The verification secret of the deployment (CHAT_VERIFY_TOKEN).'),
      text('hub.challenge', 'Comes back as it is.'),
    ],
    success: { description: 'The challenge', content: { 'text/plain': { schema: { type: 'string' } } } },
    errors: ['FORBIDDEN'],
  },
  {
    method: 'post',
    path: '/webhooks/chat',
    tag: 'Webhooks',
    summary: 'Deliver chat messages and states',
    description:
      'Answered 200 when it is stored, and 503 within half a second when it cannot be, so that it is delivered again. A message that came before is known by its id and changes nothing. At most 3 MB.',
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
    summary: 'Deliver a payment event',
    description:
      'Answered 200 when it is stored, and 503 within half a second when it cannot be, so that it is sent again. Repeats and any order of the events of a clinic end in the same state. At most 1 MB.',
    who: 'the payment provider',
    security: [{ paymentSignature: [] }],
    parameters: [{ name: 'X-Event-Name', in: 'header', description: 'Used where the body names no event.', schema: { type: 'string' } }],
    requestBody: { required: true, ...json(PAYMENT_EVENT) },
    success: { description: 'Stored', ...json(object({ received: { const: true } }, { required: ['received'] })) },
    errors: ['INVALID_SIGNATURE', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
  },
  {
    method: 'get',
    path: '/api/events',
    tag: 'Live changes',
    summary: 'Listen to live changes',
    description:
      'Server-sent events of the caller’s clinic: `appointment_…`, `waitlist_…`, `conversation_…`, `message_…`, `outbound_message_…` and `subscription_expiring`, with ids and states as data, never personal data. With `Last-Event-ID` what was missed since then comes first.',
    who: 'any user',
    security: [{ bearer: [] }],
    parameters: [{ name: 'Last-Event-ID', in: 'header', description: 'The id of the last event that was heard.', schema: { type: 'string', format: 'uuid' } }],
    success: { description: 'A stream that stays open', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    errors: ['RATE_LIMITED', 'UNAUTHENTICATED', 'TOKEN_EXPIRED', 'USER_INACTIVE', 'CLINIC_SUSPENDED', 'SUBSCRIPTION_EXPIRED', 'UNAVAILABLE'],
  },
];
