// `npm run dev:webhooks`: receives webhooks on this machine and prints them and whether their signatures are valid.
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { misused, parseOptions, wholeNumber } from '../help.ts';

const USAGE = `Usage: npm run dev:webhooks

Receives webhooks at http://localhost:9191/ (PORT changes the port), prints them and verifies their signatures with WEBHOOK_SECRET, the secret
of the endpoint. In development the product sends to addresses of this machine. In another terminal, with the token of an admin:

  curl http://localhost:8080/api/webhook-endpoints -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"url": "http://localhost:9191/", "events": ["appointment.booked", "appointment.status_changed"]}'

STATUS=500 responds with a failure, so that deliveries are retried.`;

parseOptions({ options: {} }, USAGE);
const { PORT = '9191', WEBHOOK_SECRET, STATUS = '200' } = process.env;
const port = wholeNumber('PORT', PORT, [1, 65_535], USAGE);
const status = wholeNumber('STATUS', STATUS, [200, 599], USAGE);
const verifier = WEBHOOK_SECRET ? createVerifier(WEBHOOK_SECRET) : undefined;

const server = createServer(async (request, response) => {
  const body = await text(request);
  console.log(`${new Date().toISOString()} ${request.headers['webhook-id'] ?? 'without webhook-id'}: ${verdict(body, request)}\n${body}\n`);
  response.writeHead(status).end('received');
});
server.on('error', (error: NodeJS.ErrnoException) => {
  console.error(error.code === 'EADDRINUSE' ? `Port ${port} is in use: set PORT to another one.` : error.message);
  process.exit(1);
});
server.listen(port, () => {
  console.log(`Receiving webhooks at http://localhost:${port}/${verifier ? '' : '; set WEBHOOK_SECRET to verify signatures'}`);
});

function createVerifier(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    return misused('WEBHOOK_SECRET must be the secret of a webhook endpoint, whsec_….', USAGE);
  }
}

function verdict(body: string, { headers }: IncomingMessage): string {
  if (!verifier) return 'not verified';
  try {
    verifier.verify(body, headers as Record<string, string>);
    return 'signature valid';
  } catch (error) {
    return `signature INVALID (${(error as Error).message})`;
  }
}
