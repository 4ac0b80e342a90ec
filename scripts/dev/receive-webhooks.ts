// `npm run dev:webhooks`: receives webhooks on this machine, prints them, and says whether their signatures are valid.
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { parseOptions } from '../help.ts';

const USAGE = `Usage: npm run dev:webhooks

Receives webhooks at http://localhost:9191/ (PORT changes the port), prints them and verifies their signatures with WEBHOOK_SECRET, the secret
of the endpoint. In development the product sends to addresses of this machine. In another terminal, with the token of an admin:

  curl http://localhost:8080/api/webhook-endpoints -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"url": "http://localhost:9191/", "events": ["appointment.booked", "appointment.status_changed"]}'

STATUS=500 answers with a failure, to see repetitions.`;

parseOptions({ options: {} }, USAGE);
const { PORT = '9191', WEBHOOK_SECRET, STATUS = '200' } = process.env;
const verifier = WEBHOOK_SECRET ? new Webhook(WEBHOOK_SECRET) : undefined;

createServer(async (request, response) => {
  const body = await text(request);
  console.log(`${new Date().toISOString()} ${request.headers['webhook-id'] ?? 'without webhook-id'}: ${verdict(body, request)}\n${body}\n`);
  response.writeHead(Number(STATUS)).end('received');
}).listen(Number(PORT), () => {
  console.log(`Receiving webhooks at http://localhost:${PORT}/${verifier ? '' : '; set WEBHOOK_SECRET to verify signatures'}`);
});

function verdict(body: string, { headers }: IncomingMessage): string {
  if (!verifier) return 'not verified';
  try {
    verifier.verify(body, headers as Record<string, string>);
    return 'signature valid';
  } catch (error) {
    return `signature INVALID (${(error as Error).message})`;
  }
}
