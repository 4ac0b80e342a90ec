// Records what the product sends on its own, one of each kind: webhooks to an endpoint of the clinic, and live events.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { WEBHOOK_EVENTS } from '@clinic/lib/formats/webhook-events.ts';
import { createClinic } from '../../sdk/src/index.ts';
import { type Api, type Body, expectStatus } from '../api.ts';
import type { Clinic } from '../clinic.ts';

/** The address of `npm run dev:webhooks`. */
export const WEBHOOKS = 'http://localhost:9191/';

export type Received = { webhooks: Map<string, Body>; events: Map<string, Body>; stop(): void };

/** Starts to listen. */
export async function listen(api: Api, clinic: Clinic): Promise<Received> {
  const webhooks = new Map<string, Body>();
  const events = new Map<string, Body>();
  const server = createServer(async (request, response) => {
    const body: Body = await json(request);
    if (!webhooks.has(body.type)) webhooks.set(body.type, body);
    response.end('received');
  });
  await new Promise<void>((resolve) => server.listen(Number(new URL(WEBHOOKS).port), 'localhost', resolve));
  const endpoint = { url: WEBHOOKS, events: WEBHOOK_EVENTS };
  const { body } = await expectStatus(201, api.post('/api/webhook-endpoints', endpoint, clinic));
  await expectStatus(200, api.post(`/api/webhook-endpoints/${body.id}/test`, undefined, clinic));

  const ending = new AbortController();
  const session = createClinic({ baseUrl: api.baseUrl });
  await session.signIn({ email: clinic.email, password: clinic.password });
  await new Promise<void>((opened) => {
    const follow = async () => {
      for await (const event of session.events({ signal: ending.signal, onOpen: opened })) if (!events.has(event.event)) events.set(event.event, event);
    };
    void follow();
  });
  const stop = () => {
    ending.abort();
    server.close();
    server.closeAllConnections();
  };
  return { webhooks, events, stop };
}
