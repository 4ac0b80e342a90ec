// The chat provider's door: it asks once whether the address is ours, then delivers. A delivery is answered 200 when it is
// stored and 503 when it cannot be, in half a second either way, so that the provider knows whether to deliver it again.
import { createHash, timingSafeEqual } from 'node:crypto';
import { fail, ServiceError } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { ChatEventService } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import express, { type RequestHandler, type Router } from 'express';
import { parseQuery } from '../http/query.ts';
import { requestIdOf } from '../http/request-log.ts';
import { call, type Transports } from '../http/rpc.ts';
import { sendError, sendJson } from '../http/send.ts';
import { readSigned } from './signed-webhook.ts';

const PATH = '/webhooks/chat';
/** The provider's own limit is 3 MB. */
const MAX_BYTES = 3 * 1024 * 1024;
/** The rest of half a second is for a machine that is busy. */
const STORED_WITHIN_MS = 350;

export type ChatWebhook = { appSecret: string; verifyToken: string; transports: Transports; log: Log };

export function chatWebhook({ appSecret, verifyToken, transports, log }: ChatWebhook): Router {
  const messaging = transports('messaging');
  const signed = { secret: appSecret, header: 'x-hub-signature-256', prefix: 'sha256=', maxBytes: MAX_BYTES };

  const verify: RequestHandler = (request, response) => {
    const query = parseQuery(request.url, ['hub.mode', 'hub.verify_token', 'hub.challenge']);
    if (query['hub.mode'] !== 'subscribe' || !isEqual(query['hub.verify_token'] ?? '', verifyToken)) fail('FORBIDDEN', 'The verify token is another one');
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.end(query['hub.challenge'] ?? '');
  };

  const receive: RequestHandler = async (request, response) => {
    const body = await readSigned(request, signed);
    const storing = call(messaging, ChatEventService.method.receiveChatEvent, { body }, serviceCaller('gateway', requestIdOf(response)));
    // Whatever kept it from being stored, it has to come again; the service has told its log why.
    await within(STORED_WITHIN_MS, storing).catch(() => fail('UNAVAILABLE'));
    sendJson(request, response, 200, '{"status":"received"}');
  };

  const router = express.Router({ caseSensitive: true });
  const handle =
    (work: RequestHandler): RequestHandler =>
    async (request, response, next) => {
      response.locals.route = PATH;
      try {
        await work(request, response, next);
      } catch (error) {
        sendError(request, response, error, log);
      }
    };
  router.get(PATH, handle(verify));
  router.post(PATH, handle(receive));
  router.all(
    PATH,
    handle((_request, response) => {
      response.setHeader('Allow', 'GET, HEAD, POST');
      fail('METHOD_NOT_ALLOWED');
    }),
  );
  return router;
}

/** Whatever keeps the store from answering, the sender hears of it in time. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ServiceError('UNAVAILABLE')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const isEqual = (given: string, wanted: string) => timingSafeEqual(digest(given), digest(wanted));
