// POST /webhooks/payments: events of the payment provider. Billing stores them and processes them later.
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { PaymentEventService } from '@clinic/proto/billing/v1/payment_event_pb.js';
import type { Router } from 'express';
import { call, type Transports } from '../http/rpc.ts';
import { signedWebhook } from './signed-webhook.ts';

export function paymentWebhook({ transports, secret, log }: { transports: Transports; secret: string; log: Log }): Router {
  const billing = transports('billing');
  return signedWebhook({
    path: '/webhooks/payments',
    secret,
    header: 'x-signature',
    prefix: '',
    maxBytes: 1024 * 1024,
    // The provider repeats a delivery only three times, so this waits even for a slow database. Storing depends on nothing else.
    answerMs: 8_000,
    store(body, { headers }, caller, timeoutMs) {
      const eventName = headers['x-event-name'];
      return call(billing, PaymentEventService.method.receivePaymentEvent, { body, eventName: typeof eventName === 'string' ? eventName : '' }, caller, {
        timeoutMs,
      });
    },
    reply: '{"received":true}',
    log,
  });
}
