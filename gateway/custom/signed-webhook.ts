// Webhooks whose sender signs each delivery. The signature covers the raw bytes, so it is checked before anything parses them. Without a
// signature no body is read. The response is 200 once the delivery is stored, and 503 when it cannot be, so that the provider delivers it again.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isExplained } from '@clinic/lib/errors/explained.ts';
import { type Caller, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { arrivalOf } from '../http/arrival.ts';
import { readBytes } from '../http/body.ts';
import { requestIdOf } from '../http/request-log.ts';
import { refuseMethod, sendError, sendJson } from '../http/send.ts';

type SignedWebhook = {
  path: string;
  secret: string;
  /** Header with `prefix` and the HMAC-SHA256 of the raw body in hex. */
  header: string;
  prefix: string;
  maxBytes: number;
  /**
   * The time from the arrival of a request to its response. When too little of it is left to store the delivery, the response is 503 at once.
   * If a delivery is stored after its 503, the provider repeats it, and the service recognises it.
   */
  answerMs: number;
  /** Stores a delivery durably within `timeoutMs`. */
  store: (body: Uint8Array, request: Request, caller: Caller, timeoutMs: number) => Promise<unknown>;
  /** JSON of the 200 response. */
  reply: string;
  /** Answers the GET by which the provider verifies the address. */
  verify?: (request: Request, response: Response) => void;
  log: Log;
};

/** Providers send a body without pauses; one that takes longer does not come from them. */
const BODY_TIMEOUT_MS = 10_000;

export function signedWebhook({ path, secret, header, prefix, maxBytes, answerMs, store, reply, verify, log }: SignedWebhook): Router {
  const storing = createStoreEstimate();
  const receive = async (request: Request, response: Response) => {
    const handled = performance.now();
    const waited = handled - arrivalOf(request);
    const signature = parseSignature(request.headers[header], prefix);
    const hmac = createHmac('sha256', secret);
    const body = await readBytes(request, maxBytes, { timeoutMs: BODY_TIMEOUT_MS, onPart: (part) => hmac.update(part) });
    if (!timingSafeEqual(signature, hmac.digest())) fail('INVALID_SIGNATURE');
    const requestId = requestIdOf(response);
    const began = performance.now();
    const left = Math.floor(answerMs - waited - Math.min(began - handled, MAX_BODY_MS));
    if (!storing.fits(left)) fail('UNAVAILABLE');
    const stored = store(body, request, serviceCaller('gateway', requestId), left);
    const ended = () => {
      const ms = performance.now() - began;
      storing.took(ms < left ? ms : 2 * left); // how long it would have taken is not known
    };
    stored.then(ended, ended);
    try {
      await stored;
    } catch (error) {
      log[isExplained(error) ? 'debug' : 'error']({ err: error, path, requestId }, 'webhook delivery was not stored; the provider will repeat it');
      fail('UNAVAILABLE');
    }
    sendJson(request, response, 200, reply);
  };
  const handle =
    (work: (request: Request, response: Response) => unknown): RequestHandler =>
    async (request, response) => {
      response.locals.route = path;
      try {
        await work(request, response);
      } catch (error) {
        sendError(request, response, error, log);
      }
    };
  const router = express.Router({ caseSensitive: true });
  if (verify) router.get(path, handle(verify));
  router.post(path, handle(receive));
  router.all(path, refuseMethod(path, verify ? ['GET', 'POST'] : ['POST'], log));
  return router;
}

/** Estimates how long storing takes at present. Each refused delivery lowers the estimate, so that a later one is tried. */
function createStoreEstimate() {
  let ms = 0;
  return {
    took(observed: number): void {
      ms += (observed - ms) / (observed > ms ? 2 : 8);
    },
    fits(left: number): boolean {
      if (left > Math.max(MIN_STORE_MS, ms)) return true;
      ms *= 0.9;
      return false;
    },
  };
}

const MIN_STORE_MS = 30;
/** A body that takes longer is charged only this much against `answerMs`: the rest of the delay is the sender's. */
const MAX_BODY_MS = 200;

/** The 32 bytes of the signature. Throws INVALID_SIGNATURE. */
function parseSignature(header: string | string[] | undefined, prefix: string): Buffer {
  if (typeof header !== 'string' || !header.startsWith(prefix)) fail('INVALID_SIGNATURE');
  const hex = header.slice(prefix.length);
  return /^[0-9a-f]{64}$/i.test(hex) ? Buffer.from(hex, 'hex') : fail('INVALID_SIGNATURE');
}
