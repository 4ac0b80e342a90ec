// HTML pages that people open by links in mails and by QR codes. They share one style; the content security policy of a page permits only that
// style and the page's own script.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { escapeXml } from '@clinic/lib/formats/svg.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import express, { type Response, type Router } from 'express';
import { serveGet } from '../http/send.ts';

/** A file of `pages/`. */
export const readPageFile = (file: string) => readFileSync(path.join(import.meta.dirname, 'pages', file), 'utf8');

export type PublicPage = { html: string; policy: string; isEmbedded: boolean };

const STYLE = readPageFile('style.css');
const SCRIPT = readPageFile('forms.js');

/**
 * `title` and `content` are HTML. Pages of the origins in `ancestors` may embed the page. A page with a script may call the API; a page without
 * one may send forms to it.
 */
export function publicPage(title: string, content: string, { className = '', script = '', lang = 'es', ancestors = [] as string[] } = {}): PublicPage {
  const html = `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main class="${className}">
${content}
</main>
${script && `<script>${script}</script>`}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    ...(script ? [`script-src ${sourceOf(script)}`, "connect-src 'self'"] : []),
    `style-src ${sourceOf(STYLE)}`,
    `form-action ${script ? "'none'" : "'self'"}`,
    `frame-ancestors ${ancestors.join(' ') || "'none'"}`,
    "base-uri 'none'",
  ];
  return { html, policy: policy.join('; '), isEmbedded: ancestors.length > 0 };
}

/** A title and a line. */
export type Ending = readonly [string, string];

type Notice = { mark: string; state: 'done' | 'closed'; before?: string; after?: string; ancestors?: string[] };

/** A page with a mark, a title and a line, for example an outcome or an error. */
export function noticePage([title, line]: Ending, lang: Language, { mark, state, before = '', after = '', ancestors }: Notice): PublicPage {
  const content = `${before}<div class="mark" aria-hidden="true">${mark}</div>\n<h1>${title}</h1>\n<p>${line}</p>\n${after}`;
  return publicPage(title, content, { className: `check-in ${state}`, lang, ...(ancestors && { ancestors }) });
}

/** A link on its own line. `text` is HTML. */
export const linkLine = (href: string, text: string) => `<p class="link"><a href="${escapeXml(href)}">${text}</a></p>\n`;

/** A link that calls a phone; empty without one. */
export const phoneLine = (phone: string | undefined) => (phone ? linkLine(`tel:${phone.replaceAll(/[^+\d]/g, '')}`, escapeXml(phone)) : '');

const sourceOf = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;

export function sendPage(response: Response, status: number, { html, policy, isEmbedded }: PublicPage): void {
  if (isEmbedded) response.removeHeader('X-Frame-Options');
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy, 'Content-Length': Buffer.byteLength(html) });
  response.end(html);
}

/**
 * Serves the form of `pages/<name>.html` at `/<name>`. The secret of its link is in the fragment of the URL, so that only the page's script
 * sees it; the script sends it to the API together with the input.
 */
export function formPage(name: string, title: string, log: Log): Router {
  const page = publicPage(title, readPageFile(`${name}.html`), { script: SCRIPT });
  const router = express.Router({ caseSensitive: true });
  serveGet(router, `/${name}`, log, (_request, response) => sendPage(response, 200, page));
  return router;
}
