// GET /check-in/:token, the page that the QR code of an appointment opens, and its form, which is sent to POST /api/check-in/:token. Requests
// of other content types pass on to the route row (routes/check-in.ts).
import { type Reason, toServiceError } from '@clinic/lib/errors/errors.ts';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import express, { type Router } from 'express';
import { call } from '../http/rpc.ts';
import { serveGet } from '../http/send.ts';
import { checkInPage, errorPage, rateLimitedPage, unknownPage } from './check-in-page.ts';
import { redirect } from './form-body.ts';
import { type PageOptions, pageHandler } from './page-handler.ts';
import { sendPage } from './public-page.ts';

const PAGE = '/check-in/:token';
const FORM = '/api/check-in/:token';
const { getCheckIn, checkIn } = CheckInService.method;

const toErrorPage = (reason: Reason) => (reason === 'NOT_FOUND' ? unknownPage() : reason === 'RATE_LIMITED' ? rateLimitedPage() : errorPage());

export function checkInRoutes({ transports, operating, ...options }: PageOptions): Router {
  const scheduling = transports('scheduling');
  const router = express.Router({ caseSensitive: true });
  serveGet(
    router,
    PAGE,
    options.log,
    pageHandler({ ...options, operating, rate: 'booking_view' }, PAGE, toErrorPage, async (token, caller, response) => {
      const view = await call(scheduling, getCheckIn, { token }, caller);
      sendPage(response, 200, checkInPage(view, token, { isPaused: view.readOnly || operating.maintenance() !== undefined }));
    }),
  );
  const form = pageHandler({ ...options, operating, rate: 'booking' }, FORM, toErrorPage, async (token, caller, response) => {
    operating.checkChange();
    // CHECK_IN_CLOSED is explained by the page to which the response redirects.
    await call(scheduling, checkIn, { token }, caller).catch((thrown) => {
      if (toServiceError(thrown, {}).reason !== 'CHECK_IN_CLOSED') throw thrown;
    });
    redirect(response, `/check-in/${token}`);
  });
  // `all` and not `post`: Express itself would respond to OPTIONS on a path that has only a POST handler.
  router.all(FORM, (request, response, next) =>
    request.method === 'POST' && request.is('application/x-www-form-urlencoded') ? form(request, response, next) : next(),
  );
  return router;
}
