// What the payment provider told, for the operators: POST /webhooks/payments (custom/webhooks-payments.ts) brings it in.
import { PaymentEventService } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { pages } from './schemas.ts';

const { method } = PaymentEventService;

const status = z.enum(['received', 'applied', 'ignored', 'unusable', 'unknown_clinic', 'unknown_variant', 'all']).default('all');

export const billing = area({
  prefix: '/api/superadmin/webhook-events',
  tag: 'Payment events',
  about: 'What the payment provider told by POST /webhooks/payments. Nothing is lost: what could not be used waits here, and can be replayed.',
  routes: [
    { method: 'get', path: '/api/superadmin/webhook-events', rpc: method.listPaymentEvents, summary: 'List payment events', query: { status, ...pages } },
    {
      method: 'post',
      path: '/api/superadmin/webhook-events/:id/replay',
      rpc: method.replayPaymentEvent,
      summary: 'Replay a payment event',
      notFound: 'Webhook event not found',
    },
  ],
});
