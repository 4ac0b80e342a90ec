// GET /api/events: a stream of server-sent events for each open screen. It ends when its user may no longer see it.

import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { RequestHandler } from 'express';
import type { CheckAccess } from '../access/check-access.ts';
import { clientIp, requestIdOf } from '../http/request-log.ts';
import { sendError } from '../http/send.ts';
import type { Limits } from '../limits/limits.ts';
import type { Hub } from './hub.ts';

const PATH = '/api/events';
/** Keeps proxies from closing a quiet stream. */
const HEARTBEAT_MS = 15_000;
/** How often the right to listen is asked for again. */
const RECHECK_MS = 60_000;
/** A client that reads slower than its clinic works is cut off and resumes. */
const MOST_BUFFERED = 256 * 1024;

export function streamEvents({ admit, hub, limits, log }: { admit: CheckAccess; hub: Hub; limits: Limits; log: Log }): RequestHandler {
  const limit = limits.of('api');
  return async (request, response) => {
    response.locals.route = PATH;
    let headers: Record<string, string> | undefined;
    const check = () => admit({ access: 'user' }, request, requestIdOf(response), clientIp(request));
    try {
      const pass = await limit?.(clientIp(request));
      headers = pass?.headers;
      if (pass?.refused) throw pass.refused;
      const { clinic } = await check();
      const lastId = request.headers['last-event-id'];
      if (!clinic) return fail('FORBIDDEN');
      const close = () => response.end();
      response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
      response.write('retry: 2000\n\n');
      const tell = ({ text }: { text: string }) => {
        if (response.writableLength > MOST_BUFFERED) close();
        else response.write(text);
      };
      const leave = await hub.join(clinic.id, typeof lastId === 'string' && isUuid(lastId) ? lastId : undefined, { send: tell, close });
      const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
      const recheck = setInterval(() => void Promise.resolve(check()).catch(close), RECHECK_MS);
      const end = () => {
        clearInterval(heartbeat);
        clearInterval(recheck);
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
