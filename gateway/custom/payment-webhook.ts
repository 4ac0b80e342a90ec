// POST /webhooks/payments: the signature is checked over the bytes as they came, the event is kept, and only then is it
// acknowledged. What it says is billing's to find out.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail, ServiceError } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { PaymentEventService } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { createClient } from '@connectrpc/connect';
import express, { type Request, type Router } from 'express';
import { readBytes } from '../http/json.ts';
import { requestIdOf } from '../http/request-log.ts';
import type { Transports } from '../http/rpc.ts';
import { sendError, sendJson } from '../http/send.ts';

const PATH = '/webhooks/payments';
const MAX_BYTES = 1024 * 1024;
/** The provider is to have its answer within half a second, also of a busy machine; it sends again what got none. */
const DEADLINE_MS = 350;

export function paymentWebhook({ transports, secret, log }: { transports: Transports; secret: string; log: Log }): Router {
  const events = createClient(PaymentEventService, transports('billing'));

  async function receive(request: Request, requestId: string): Promise<void> {
    const body = await readBytes(request, MAX_BYTES);
    if (!isSigned(body, request.headers['x-signature'], secret)) fail('INVALID_SIGNATURE');
    const eventName = request.headers['x-event-name'];
    const kept = events.receivePaymentEvent(
      { body, eventName: typeof eventName === 'string' ? eventName : '' },
      { ...callAs(serviceCaller('gateway', requestId)), timeoutMs: DEADLINE_MS },
    );
    await inTime(kept);
  }

  const router = express.Router({ caseSensitive: true });
  router.post(PATH, async (request, response) => {
    response.locals.route = PATH;
    try {
      await receive(request, requestIdOf(response));
      sendJson(request, response, 200, '{"received":true}');
    } catch (thrown) {
      // Whatever kept us from keeping it, the provider is to send it again.
      const refused = thrown instanceof ServiceError && thrown.reason !== 'INTERNAL';
      if (!refused) log.error({ err: thrown, requestId: requestIdOf(response) }, 'a payment event was not kept');
      sendError(request, response, refused ? thrown : new ServiceError('UNAVAILABLE'), log);
    }
  });
  router.all(PATH, (request, response) => {
    response.locals.route = PATH;
    response.setHeader('Allow', 'POST, OPTIONS');
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else sendError(request, response, new ServiceError('METHOD_NOT_ALLOWED'), log);
  });
  return router;
}

/** Whether the header holds the hex HMAC-SHA256 of the body, compared in constant time. */
export function isSigned(body: Uint8Array, header: string | string[] | undefined, secret: string): boolean {
  const wanted = createHmac('sha256', secret).update(body).digest();
  const wellFormed = typeof header === 'string' && /^[0-9a-f]{64}$/i.test(header);
  const given = wellFormed ? Buffer.from(header, 'hex') : Buffer.alloc(wanted.length);
  return timingSafeEqual(given, wanted) && wellFormed;
}

/** In one process nothing else ends a call that takes too long. The event may still be kept: a repeat of it is known. */
function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ServiceError('UNAVAILABLE')), DEADLINE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
