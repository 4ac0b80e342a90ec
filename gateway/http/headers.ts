// Response headers for browsers: security headers, and which other origins may call with credentials.
import cors from 'cors';
import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** Sets the same security headers on every response. `secure` adds HSTS. */
export function securityHeaders(secure: boolean): RequestHandler {
  const fill = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], objectSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: secure ? { maxAge: 31_536_000, includeSubDomains: true } : false,
  });
  const headers = new Map<string, string>();
  const empty = { setHeader: (name: string, value: string) => headers.set(name, value), removeHeader() {} };
  fill({} as Request, empty as unknown as Response, () => {});
  return (_request, response, next) => {
    response.setHeaders(headers);
    next();
  };
}

/** Responses hold personal data: no cache may store them. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** CORS for these origins only. Requests without an Origin header skip it. */
export function crossOrigin(origins: string[]): RequestHandler {
  const allow = cors({
    origin: origins,
    credentials: true,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'Prefer', 'X-Admin-Key', 'X-Request-Id'],
    exposedHeaders: [
      ...['X-Request-Id', 'Warning', 'Deprecation', 'Sunset', 'Retry-After', 'Content-Disposition'],
      ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'],
    ],
    maxAge: 600,
  });
  return (request, response, next) => {
    if (origins.length === 0) return next();
    response.vary('Origin');
    if (request.headers.origin === undefined) next();
    else allow(request, response, next);
  };
}
