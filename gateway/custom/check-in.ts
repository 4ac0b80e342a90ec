// GET /check-in/:token, the page that the QR code of an appointment opens, and its form, which is sent to POST /api/check-in/:token. Requests
// of other content types pass on to the route row (routes/check-in.ts).
import { toServiceError } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { describeError, logFailure } from '../http/errors.ts';
import { clientIp, requestIdOf } from '../http/request-log.ts';
import { call, type Transports } from '../http/rpc.ts';
import { refuseMethod, setHeaders } from '../http/send.ts';
import type { Limits } from '../limits/limits.ts';
import type { Operating } from '../limits/operating-state.ts';
import { checkInPage, errorPage, rateLimitedPage, unknownPage } from './check-in-page.ts';
import { sendPage } from './public-page.ts';

const PAGE = '/check-in/:token';
const FORM = '/api/check-in/:token';
const { getCheckIn, checkIn } = CheckInService.method;

export type CheckInOptions = { transports: Transports; limits: Limits; operating: Operating; log: Log };

export function checkInRoutes({ transports, limits, operating, log }: CheckInOptions): Router {
  const scheduling = transports('scheduling');
  const limit = limits.of('api');

  /** Errors are shown as pages. */
  const handle =
    (path: string, work: (token: string, caller: Caller, response: Response) => Promise<void>): RequestHandler =>
    async (request, response) => {
      response.locals.route = path;
      try {
        const check = await limit?.(clientIp(request));
        if (check) setHeaders(response, check.headers);
        if (check?.refused) throw check.refused;
        await work(tokenOf(request), anonymous(request, response), response);
      } catch (thrown) {
        const failure = describeError(thrown);
        logFailure(log, response, thrown, failure);
        const { reason } = failure.error;
        sendPage(response, failure.status, reason === 'NOT_FOUND' ? unknownPage() : reason === 'RATE_LIMITED' ? rateLimitedPage() : errorPage());
      }
    };

  const router = express.Router({ caseSensitive: true });
  router.get(
    PAGE,
    handle(PAGE, async (token, caller, response) => {
      sendPage(response, 200, checkInPage(await call(scheduling, getCheckIn, { token }, caller), token));
    }),
  );
  router.all(PAGE, refuseMethod(PAGE, ['GET'], log));
  const form = handle(FORM, async (token, caller, response) => {
    operating.checkChange();
    // CHECK_IN_CLOSED: the page to which the response leads says why.
    await call(scheduling, checkIn, { token }, caller).catch((thrown) => {
      if (toServiceError(thrown, {}).reason !== 'CHECK_IN_CLOSED') throw thrown;
    });
    response.writeHead(303, { Location: `/check-in/${token}` }).end();
  });
  // Not only for POST, because Express answers OPTIONS for a path with one method itself.
  router.all(FORM, (request, response, next) =>
    request.method === 'POST' && request.is('application/x-www-form-urlencoded') ? form(request, response, next) : next(),
  );
  return router;
}

/** Malformed tokens reach the service as '', which is answered like a token with a wrong signature. */
const tokenOf = ({ params: { token } }: Request) => (typeof token === 'string' && /^[\w-]{66}$/.test(token) ? token : '');

const anonymous = (request: Request, response: Response): Caller => ({
  kind: 'anonymous',
  id: '',
  requestId: requestIdOf(response),
  ip: clientIp(request),
  role: '',
});
