// GET /check-in/:token, the page behind the code of a visit, and what its form sends to POST /api/check-in/:token. A
// client that speaks JSON passes on to the route row.

import { REASONS, toServiceError } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { describeError, logFailure } from '../http/errors.ts';
import { clientIp, requestIdOf } from '../http/request-log.ts';
import { call, type Transports } from '../http/rpc.ts';
import type { Limits } from '../limits/limits.ts';
import { brokenPage, busyPage, checkInPage, PAGE_POLICY, unknownPage } from './check-in-page.ts';

const PAGE = '/check-in/:token';
const FORM = '/api/check-in/:token';
const { getCheckIn, checkIn } = CheckInService.method;

export function checkInRoutes({ transports, limits, log }: { transports: Transports; limits: Limits; log: Log }): Router {
  const scheduling = transports('scheduling');
  const limit = limits.of('api');

  const shown =
    (path: string, work: (token: string, caller: Caller, response: Response) => Promise<void>): RequestHandler =>
    async (request, response) => {
      response.locals.route = path;
      try {
        const pass = await limit?.(clientIp(request));
        for (const [name, value] of Object.entries(pass?.headers ?? {})) response.setHeader(name, value);
        if (pass?.refused) throw pass.refused;
        await work(tokenOf(request), anonymous(request, response), response);
      } catch (thrown) {
        const failure = describeError(thrown);
        logFailure(log, requestIdOf(response), thrown, failure);
        const { reason } = failure.error;
        send(response, failure.status, reason === 'NOT_FOUND' ? unknownPage() : reason === 'RATE_LIMITED' ? busyPage() : brokenPage());
      }
    };

  const router = express.Router({ caseSensitive: true });
  router.get(
    PAGE,
    shown(PAGE, async (token, caller, response) => {
      send(response, 200, checkInPage(await call(scheduling, getCheckIn, { token }, caller), token));
    }),
  );
  router.all(PAGE, (_request, response) => {
    response.locals.route = PAGE;
    response.setHeader('Allow', 'GET, HEAD');
    send(response, REASONS.METHOD_NOT_ALLOWED.http, unknownPage());
  });
  const form = shown(FORM, async (token, caller, response) => {
    // A visit that is closed meanwhile says so on its page.
    await call(scheduling, checkIn, { token }, caller).catch((thrown) => {
      if (toServiceError(thrown, {}).reason !== 'CHECK_IN_CLOSED') throw thrown;
    });
    response.writeHead(303, { Location: `/check-in/${token}` }).end();
  });
  router.post(FORM, (request, response, next) => (request.is('application/x-www-form-urlencoded') ? form(request, response, next) : next()));
  return router;
}

/** What is no token reaches the service as one that nobody signed. */
const tokenOf = ({ params: { token } }: Request) => (typeof token === 'string' && /^[\w-]{66}$/.test(token) ? token : '');

const anonymous = (request: Request, response: Response): Caller => ({
  kind: 'anonymous',
  id: '',
  requestId: requestIdOf(response),
  ip: clientIp(request),
  role: '',
});

function send(response: Response, status: number, html: string): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY, 'Content-Length': Buffer.byteLength(html) });
  response.end(html);
}
