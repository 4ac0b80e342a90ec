// What browsers need to be told: security headers on every answer, and which other origins may call with credentials.
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Headers that hold for every answer of the API. */
export function securityHeaders(secure: boolean): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: secure ? { maxAge: 31_536_000, includeSubDomains: true } : false,
  });
}

/** Answers are personal: no cache may keep them. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** CORS for the named origins only. Requests without an Origin header do not pass through it at all. */
export function crossOrigin(origins: string[]): RequestHandler {
  const allow = cors({
    origin: origins,
    credentials: true,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'],
    maxAge: 600,
  });
  return (request, response, next) => {
    if (origins.length === 0) return next();
    response.vary('Origin');
    if (request.headers.origin === undefined) next();
    else allow(request, response, next);
  };
}
