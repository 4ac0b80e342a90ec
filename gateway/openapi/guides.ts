// The guides next to the reference: docs/guides/*.md as pages, in the order in which README.md lists them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import compression from 'compression';
import express, { type Router } from 'express';
import helmet from 'helmet';
import type { RendererObject } from 'marked';
import { serveGet } from '../http/send.ts';

const FOLDER = path.join(import.meta.dirname, '../../docs/guides');
const STYLE = path.join(import.meta.dirname, 'guides.css');
const GUIDES = '/docs/guides';
const INDEX = 'README';

/** The names of the guides, without `.md`. */
export const guideNames = (): string[] => [...read(INDEX).matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name = '']) => name);

export function guides(log: Log): Router {
  const router = express.Router();
  const names = guideNames();
  for (const name of [INDEX, ...names]) {
    const address = addressOf(name);
    let page: string | undefined; // rendered at the first request: most processes never receive one
    serveGet(router, address, log, policy, compression(), async (_request, response) => {
      page ??= await render(name, names);
      response.type('html').set('Cache-Control', 'public, max-age=300').send(page);
    });
  }
  serveGet(router, `${GUIDES}.css`, log, compression(), (_request, response) => response.sendFile(STYLE, { maxAge: '1h' }));
  return router;
}

const read = (name: string) => readFileSync(path.join(FOLDER, `${name}.md`), 'utf8');
const addressOf = (name: string) => (name === INDEX ? GUIDES : `${GUIDES}/${name}`);
const titleOf = (name: string) => /^# (.+)$/m.exec(read(name))?.[1] ?? name;

/** A link to another guide leads to its page; a link to a file that is not served becomes plain text. */
const renderer: RendererObject = {
  link({ href, tokens }) {
    const text = this.parser.parseInline(tokens);
    if (/^(https?:|\/|#)/.test(href)) return `<a href="${href}">${text}</a>`;
    const [, name, fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
    return name ? `<a href="${addressOf(name)}${fragment}">${text}</a>` : text;
  },
};

/** Code and tables may be wider than the page; `tabindex` lets the keyboard scroll them. */
async function toHtml(text: string): Promise<string> {
  const { Marked } = await import('marked');
  const html = await new Marked({ renderer }).parse(text);
  return html.replaceAll(/<(pre|table)>/g, '<$1 tabindex="0">');
}

const render = async (name: string, names: string[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(name)}: Clinic Management Service</title>
<link rel="stylesheet" href="${GUIDES}.css">
</head>
<body>
<nav aria-label="Guides"><ul>
<li><a href="/docs">API reference</a></li>
${[INDEX, ...names].map((one) => `<li><a href="${addressOf(one)}">${titleOf(one)}</a></li>`).join('\n')}
</ul></nav>
<main>
${await toHtml(read(name))}
</main>
</body>
</html>
`;

const policy = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], styleSrc: ["'self'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
  },
  strictTransportSecurity: false,
});
