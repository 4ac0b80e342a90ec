// Pages to which the links of mails lead: a new password, a new clinic. What a link carries stands behind the # of the address,
// so only the page's own script sees it, which sends it to the API with what the person types.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import express, { type Router } from 'express';
import { sendError } from '../http/send.ts';

/** Serves `<name>.html` of this folder at `/<name>`. */
export function page(name: string, log: Log): Router {
  const html = readFileSync(path.join(import.meta.dirname, `${name}.html`), 'utf8');
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policyOf(html), 'Content-Length': Buffer.byteLength(html) };
  const router = express.Router({ caseSensitive: true });
  router.get(`/${name}`, (_request, response) => {
    response.locals.route = `/${name}`;
    response.writeHead(200, headers);
    response.end(html);
  });
  router.all(`/${name}`, (request, response) => {
    response.locals.route = `/${name}`;
    response.setHeader('Allow', 'GET, HEAD');
    sendError(request, response, new ServiceError('METHOD_NOT_ALLOWED'), log);
  });
  return router;
}

/** The page may run its own script, wear its own style, and call the API that it came from. */
const policyOf = (html: string) =>
  [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

function hashOf(html: string, element: string): string {
  const [, text = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(html) ?? [];
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
