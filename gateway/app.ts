// The public API: one Express application, in the order in which a request passes through it.

import type { Clock } from '@clinic/lib/clock/clock.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { SetCookie } from 'cookie';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { createAccessCheck } from './access/check-access.ts';
import { createResolveKey } from './access/integration-keys.ts';
import { createOperatorLookup } from './access/operator-keys.ts';
import { createResolveAccess } from './access/resolve-access.ts';
import { createSigningKeys } from './access/signing-keys.ts';
import { createTokenVerifier } from './access/tokens.ts';
import { bookingRoutes } from './custom/booking.ts';
import { chatWebhook } from './custom/chat-webhook.ts';
import { checkInRoutes } from './custom/check-in.ts';
import { desk } from './custom/desk.ts';
import { formRoutes } from './custom/forms.ts';
import { manageRoutes } from './custom/manage.ts';
import { paymentWebhook } from './custom/payment-webhook.ts';
import { formPage } from './custom/public-page.ts';
import { sharedDocumentPages } from './custom/shared-document-page.ts';
import { statusPage } from './custom/status.ts';
import { chooseWebhookSource, WEBHOOK_EVENTS_PATH } from './custom/webhook-source.ts';
import { FHIR, fhirRoutes } from './fhir/routes.ts';
import { acceptHostCookies, toHostCookie } from './http/cookies.ts';
import { crossOrigin, noStore, securityHeaders } from './http/headers.ts';
import { refuseQuery } from './http/query.ts';
import { logRequests } from './http/request-log.ts';
import type { Area } from './http/route.ts';
import type { Transports } from './http/rpc.ts';
import { sendError, sendJson, serveGet } from './http/send.ts';
import { traceRequests } from './http/trace-requests.ts';
import { createClinicLimits } from './limits/clinic-limits.ts';
import type { Limits } from './limits/limits.ts';
import type { Operating } from './limits/operating-state.ts';
import type { Hub } from './live/hub.ts';
import { streamEvents } from './live/stream.ts';
import { guides } from './openapi/guides.ts';
import { reference } from './openapi/reference.ts';
import { mountAreas } from './pipeline/mount.ts';
import type { GatewaySettings } from './settings.ts';

type AppOptions = {
  settings: GatewaySettings;
  areas: Area[];
  transports: Transports;
  limits: Limits;
  operating: Operating;
  hub: Hub;
  completeMs: number;
  clock: Clock;
  log: Log;
};

export function createApp({ settings, areas, transports, limits, operating, hub, completeMs, clock, log }: AppOptions): Express {
  const production = settings.NODE_ENV === 'production';
  const identity = transports('identity');
  const keys = createSigningKeys(identity, clock);
  const clinicLimits = createClinicLimits({ settings, operating, clock, countOf: limits.countOf });
  const resolveKey = createResolveKey(identity);
  const verifyToken = createTokenVerifier(keys, clock);
  const checkAccess = createAccessCheck({
    operating,
    clinicLimits,
    resolveAccess: createResolveAccess(identity),
    resolveKey,
    verifyToken,
    findOperator: createOperatorLookup(settings.SUPERADMIN_KEYS, settings.SUPERADMIN_KEYS_FILE, log),
    clock,
  });

  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', false);
  app.set('trust proxy', settings.TRUST_PROXY === 0 ? false : settings.TRUST_PROXY);
  app.use(traceRequests);
  app.use(logRequests(log), securityHeaders(production), crossOrigin(settings.CORS_ORIGINS));
  app.use(['/api', FHIR, '/check-in', '/forms', '/book', '/manage'], noStore);
  // Before the check-in area: the form of the page is handled here, every other request by the row of the same path.
  const pages = { transports, limits, operating, clock, log };
  app.use(checkInRoutes(pages), sharedDocumentPages());
  const toCookie = settings.HOST_COOKIES ? toHostCookie : (cookie: SetCookie) => ({ ...cookie, secure: settings.NODE_ENV !== 'development' });
  if (settings.HOST_COOKIES) app.use(acceptHostCookies);
  const mount = { transports, checkAccess, resolveKey, clinicLimits, limits, operating, completeMs, log, toCookie };
  app.use(WEBHOOK_EVENTS_PATH, chooseWebhookSource);
  app.use(mountAreas(areas, mount)); // early, because most requests are for these routes
  app.use(formRoutes(pages), bookingRoutes(pages), manageRoutes(pages));
  app.use(fhirRoutes({ ...mount, publicUrl: settings.PUBLIC_URL ?? '', clock }));
  serveGet(app, '/.well-known/jwks.json', log, async (request, response) => {
    refuseQuery(request.url);
    sendJson(request, response, 200, await keys.jwks(), { 'Cache-Control': 'public, max-age=300' });
  });
  app.use(chatWebhook({ appSecret: settings.CHAT_APP_SECRET, verifyToken: settings.CHAT_VERIFY_TOKEN, transports, log }));
  app.use(paymentWebhook({ transports, secret: settings.PAYMENTS_WEBHOOK_SECRET, log }));
  app.use(statusPage({ transports, operating, clock, log }));
  app.use(reference(areas, settings.PUBLIC_URL ?? '/', log), guides(log), noStore);
  serveGet(app, '/api/events', log, streamEvents({ checkAccess, verifyToken, hub, limits, clock, log }));
  if (settings.NODE_ENV === 'development') app.use(desk(log));
  app.use(formPage('reset-password', 'Nueva contraseña', log), formPage('register', 'Registre su clínica', log));
  app.use(() => fail('NOT_FOUND', 'There is nothing at this path'));
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => sendError(request, response, error, log));
  return app;
}
