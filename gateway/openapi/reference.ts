// The API reference: the OpenAPI document and a page that renders it, to which / redirects. Both work without internet access.
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import compression from 'compression';
import express, { type Router } from 'express';
import helmet from 'helmet';
import { refuseQuery } from '../http/query.ts';
import type { Area } from '../http/route.ts';
import { sendJson, sendRedirect, serveGet } from '../http/send.ts';

// Resolved instead of imported: the package's index loads a megabyte of browser code.
const { resolve } = createRequire(import.meta.url);
const FOLDER = path.join(import.meta.dirname, 'swagger-ui');
const FILES = {
  '/favicon.ico': resolve('swagger-ui-dist/favicon-32x32.png'),
  '/docs': path.join(FOLDER, 'index.html'),
  '/docs/start.js': path.join(FOLDER, 'start.js'),
  '/docs/start.css': path.join(FOLDER, 'start.css'),
  '/docs/swagger-ui.css': resolve('swagger-ui-dist/swagger-ui.css'),
  '/docs/swagger-ui-bundle.js': resolve('swagger-ui-dist/swagger-ui-bundle.js'),
};

export function reference(areas: Area[], publicUrl: string, log: Log): Router {
  const router = express.Router();
  let document: string | undefined; // built at the first request: most processes never receive one
  serveGet(router, '/api/openapi.json', log, async (request, response) => {
    refuseQuery(request.url);
    document ??= JSON.stringify((await import('./document.ts')).openApiDocument(areas, publicUrl));
    sendJson(request, response, 200, document, { 'Cache-Control': 'public, max-age=300' });
  });
  serveGet(router, '/', log, (_request, response) => sendRedirect(response, '/docs', {}));
  for (const [route, file] of Object.entries(FILES)) {
    serveGet(router, route, log, pagePolicy, compression(), (_request, response) => response.sendFile(file, { maxAge: '1h' }));
  }
  return router;
}

/** The page may run its own scripts only. Swagger UI needs inline styles. */
const pagePolicy = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
  },
  strictTransportSecurity: false,
});
