import { PaymentEventService } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { pages } from './schemas.ts';

const { method } = PaymentEventService;

/** Requests with the source `chat` are rewritten to the area of chat deliveries before they reach these rows (custom/webhook-source.ts). */
const source = z.enum(['payments', 'chat']).default('payments');
const status = z.enum(['received', 'applied', 'ignored', 'unusable', 'unknown_clinic', 'unknown_variant', 'all']).default('all');

export const billing = area({
  prefix: '/api/superadmin/webhook-events',
  tag: 'Payment events',
  about:
    'Events that the payment provider delivered to POST /webhooks/payments. Events that could not be applied are stored and can be replayed. Send X-Admin-Key.',
  all: { scope: 'none' },
  routes: [
    { method: 'get', path: '/api/superadmin/webhook-events', rpc: method.listPaymentEvents, query: { source, status, ...pages } },
    {
      method: 'post',
      path: '/api/superadmin/webhook-events/:id/replay',
      rpc: method.replayPaymentEvent,
      summary: 'Replay a payment event',
      query: { source },
      notFound: 'Webhook event not found',
    },
  ],
});
