// GET /api/events: the live events of the caller's clinic as server-sent events. The stream ends when its token expires
// or its user loses access.
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { RequestHandler } from 'express';
import type { CheckAccess } from '../access/check-access.ts';
import type { VerifyToken } from '../access/tokens.ts';
import { refuseQuery } from '../http/query.ts';
import { clientIp, requestIdOf } from '../http/request-log.ts';
import { within } from '../http/rpc.ts';
import { sendError } from '../http/send.ts';
import type { Limits } from '../limits/limits.ts';
import { EVENT_STREAM_HEADERS, HEARTBEAT, HEARTBEAT_MS } from '../pipeline/event-stream.ts';
import type { Hub } from './hub.ts';
import { type LiveEvent, toText } from './live-event.ts';
import { createOpenStreams } from './open-streams.ts';

/** While NATS is unavailable for longer than this, the stream is refused, so that clients know that they receive no events. */
const RECEIVING_MS = 2_000;
/** How often the access of the user is checked again. */
const RECHECK_MS = 60_000;
/** An event is sent only if the access of the user was checked this recently. */
const MAX_CHECK_AGE_MS = 10_000;
/** A client that reads more slowly than events arrive is disconnected; it reconnects and resumes. */
const MAX_BUFFERED_BYTES = 256 * 1024;

type StreamOptions = { checkAccess: CheckAccess; verifyToken: VerifyToken; hub: Hub; limits: Limits; clock: Clock; log: Log };

export function streamEvents({ checkAccess, verifyToken, hub, limits, clock, log }: StreamOptions): RequestHandler {
  const limit = limits.of('api');
  const enter = createOpenStreams();
  return async (request, response) => {
    let headers: Record<string, string> | undefined;
    const check = (isCounted: boolean) => checkAccess({ access: 'user', isCounted }, request, requestIdOf(response), clientIp(request));
    try {
      const rate = await limit?.(clientIp(request));
      headers = rate?.headers;
      if (rate?.refused) throw rate.refused;
      const { clinic, id } = await check(false);
      const { expires } = await verifyToken(request.headers.authorization);
      refuseQuery(request.url);
      const lastId = request.headers['last-event-id'];
      if (!clinic) return fail('FORBIDDEN');
      if (!(await within(RECEIVING_MS, hub.receiving()))) fail('UNAVAILABLE');
      if (response.closed) return;
      const streamHeaders = { ...headers, ...EVENT_STREAM_HEADERS, 'Cache-Control': 'no-store' };
      if (request.method === 'HEAD') return void response.writeHead(200, streamHeaders).end();
      response.once('close', enter(id, clinic.id));
      const close = () => void response.end();
      response.writeHead(200, streamHeaders);
      response.write('retry: 2000\n\n');
      let checkedAt = Date.now();
      const recheck = async () => {
        await check(true);
        checkedAt = Date.now();
      };
      let sent = Promise.resolve(); // each event waits for the one before, to preserve the order
      const send = (event: LiveEvent) => {
        sent = sent.then(() => sendChecked(event)).catch(close);
      };
      const sendChecked = async (event: LiveEvent) => {
        if (Date.now() - checkedAt > MAX_CHECK_AGE_MS && !response.writableEnded) await recheck();
        if (response.writableEnded) return;
        if (response.writableLength > MAX_BUFFERED_BYTES) close();
        else response.write(toText(event));
      };
      const recheckOrClose = () => void recheck().catch(close);
      const listener = { userId: id, send, recheck: recheckOrClose, close };
      const leave = await hub.join(clinic.id, typeof lastId === 'string' && isUuid(lastId) ? lastId.toLowerCase() : undefined, listener);
      const heartbeat = setInterval(() => response.write(HEARTBEAT), HEARTBEAT_MS);
      const rechecking = setInterval(recheckOrClose, RECHECK_MS);
      const expiring = setTimeout(close, expires - clock.now().getTime());
      const end = () => {
        clearInterval(heartbeat);
        clearInterval(rechecking);
        clearTimeout(expiring);
        leave();
      };
      if (response.closed) end();
      else response.once('close', end);
    } catch (thrown) {
      if (response.headersSent) response.end();
      else sendError(request, response, thrown, log, headers);
    }
  };
}
