// GET /desk, in development only: serves the example of the SDK (sdk/examples/desk) to a browser without a build step.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import express, { type Router } from 'express';
import { serveGet } from '../http/send.ts';

const SDK = path.join(import.meta.dirname, '../../sdk');
const FILES = { 'desk.js': 'text/javascript', 'texts.js': 'text/javascript', 'style.css': 'text/css' };
const require = createRequire(path.join(SDK, 'package.json'));
const { resolve } = require;
const LIBRARIES: Record<string, () => string> = {
  preact: () => path.join(path.dirname(resolve('preact/package.json')), 'dist/preact.mjs'),
  'preact-hooks': () => path.join(path.dirname(resolve('preact/package.json')), 'hooks/dist/hooks.mjs'),
  htm: () => path.join(path.dirname(resolve('htm')), 'htm.mjs'),
  'openapi-fetch': () => path.join(path.dirname(resolve('openapi-fetch')), 'index.mjs'),
};

const read = (...parts: string[]) => readFileSync(path.join(SDK, ...parts), 'utf8');

export function desk(log: Log): Router {
  const router = express.Router();
  const html = read('examples/desk/index.html');
  const [, importMap = ''] = /<script type="importmap">(.*?)<\/script>/s.exec(html) ?? [];
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', importMap, 'base64')}'`,
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const send = (route: string, type: string, content: () => string) =>
    serveGet(router, route, log, (_request, response) => {
      response.setHeader('Content-Security-Policy', policy);
      response.type(type).send(content());
    });
  send('/desk', 'html', () => html);
  for (const [file, type] of Object.entries(FILES)) send(`/desk/${file}`, type, () => read('examples/desk', file));
  for (const [name, file] of Object.entries(LIBRARIES)) send(`/desk/lib/${name}`, 'text/javascript', () => readFileSync(file(), 'utf8'));
  for (const name of ['index', 'client', 'errors', 'events', 'lists', 'retry', 'session', 'gen/creating'])
    send(`/desk/sdk/${name}.ts`, 'text/javascript', () => toJavaScript(read('src', `${name}.ts`)));
  return router;
}

/** With the compiler of the SDK, which is loaded by the first request: the one in Node prints a warning that it is experimental. */
function toJavaScript(source: string): string {
  const compiler = require('typescript') as { transpile(source: string, options: object): string };
  return compiler.transpile(source, { target: 'esnext', module: 'esnext', verbatimModuleSyntax: true });
}
