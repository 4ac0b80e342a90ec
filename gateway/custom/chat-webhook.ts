// GET and POST /webhooks/chat: the chat provider verifies the address once, then delivers messages and statuses.
import { hash, timingSafeEqual } from 'node:crypto';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { ChatEventService } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import type { Router } from 'express';
import { parseQuery } from '../http/query.ts';
import { call, type Transports } from '../http/rpc.ts';
import { signedWebhook } from './signed-webhook.ts';

export function chatWebhook({ appSecret, verifyToken, transports, log }: { appSecret: string; verifyToken: string; transports: Transports; log: Log }): Router {
  const messaging = transports('messaging');
  return signedWebhook({
    path: '/webhooks/chat',
    secret: appSecret,
    header: 'x-hub-signature-256',
    prefix: 'sha256=',
    maxBytes: 3 * 1024 * 1024, // the provider's own limit
    answerMs: 430, // leaves 70 ms of half a second in reserve for a busy machine
    store: (body, _request, caller, timeoutMs) => call(messaging, ChatEventService.method.receiveChatEvent, { body }, caller, { timeoutMs }),
    reply: '{"status":"received"}',
    verify(request, response) {
      const query = parseQuery(request.url, ['hub.mode', 'hub.verify_token', 'hub.challenge']);
      if (query['hub.mode'] !== 'subscribe' || !isEqual(query['hub.verify_token'] ?? '', verifyToken)) fail('FORBIDDEN', 'The verify token does not match');
      response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      response.end(query['hub.challenge'] ?? '');
    },
    log,
  });
}

const digest = (text: string) => hash('sha256', text, 'buffer');
/** Compares in constant time. */
const isEqual = (received: string, expected: string) => timingSafeEqual(digest(received), digest(expected));
