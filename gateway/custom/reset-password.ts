// GET /reset-password, where the link of a mail leads. The token stands behind the # of the address, so only the page's own
// script sees it, which sends it to the API with the new password.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ServiceError } from '@clinic/lib/errors.ts';
import type { Log } from '@clinic/lib/log.ts';
import express, { type Router } from 'express';
import { answerError } from '../answer.ts';

const PATH = '/reset-password';
const PAGE = readFileSync(path.join(import.meta.dirname, 'reset-password.html'), 'utf8');

const hashOf = (element: string) => {
  const [, text = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(PAGE) ?? [];
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
};

/** The page may run its own script, wear its own style, and call the API that it came from. */
const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf('script')}`,
  `style-src ${hashOf('style')}`,
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

export function resetPasswordPage(log: Log): Router {
  const router = express.Router({ caseSensitive: true });
  router.get(PATH, (_request, response) => {
    response.locals.route = PATH;
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY, 'Content-Length': Buffer.byteLength(PAGE) });
    response.end(PAGE);
  });
  router.all(PATH, (request, response) => {
    response.locals.route = PATH;
    response.setHeader('Allow', 'GET, HEAD');
    answerError(request, response, new ServiceError('METHOD_NOT_ALLOWED'), log);
  });
  return router;
}
