// A chat provider on loopback for measurements: accepts every message at once, and reports it as sent and delivered. Statuses of a number
// that fall into the same tenth of a second come in one delivery.
import { createHmac } from 'node:crypto';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { serveOnLoopback } from '../loopback.ts';

const STATUS_MS = 100;
const RETRY_MS = 500;
const MAX_TRIES = 60;

export type Accepted = { phone: string; at: number };

export type BenchProvider = Stoppable & {
  url: string;
  /** Called for each message that the product sends. */
  onSend: (sent: Accepted) => void;
  /** Where deliveries go. */
  webhook: { url: string; secret: string };
  /** Delivers messages or statuses of a number, again until the product accepts them. */
  deliver(numberId: string, value: object): Promise<void>;
};

export async function startBenchProvider(): Promise<BenchProvider> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const statuses = new Map<string, object[]>();
  let count = 0;

  const server = http.createServer(async (request, response) => {
    const [, id = '', what = ''] = /\/([^/?]+)(?:\/([a-z_]+))?(?:\?|$)/.exec((request.url ?? '').replace(/^\/v\d+\.\d+/, '')) ?? [];
    const body = JSON.parse((await text(request)) || '{}');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(what === 'messages' && body.to ? accept(id, body) : { success: true, id, display_phone_number: '+503 2222 0000' }));
  });
  const served = await serveOnLoopback(server);

  function accept(numberId: string, { to, biz_opaque_callback_data }: { to: string; biz_opaque_callback_data?: string }) {
    const id = `wamid.bench.${process.pid}.${++count}`;
    const digits = to.replace(/\D/g, '');
    provider.onSend({ phone: digits, at: performance.now() });
    for (const [index, status] of ['sent', 'delivered'].entries())
      setTimeout(() => report(numberId, { id, status, timestamp: seconds(), recipient_id: digits, biz_opaque_callback_data }), STATUS_MS * index);
    return { messaging_product: 'whatsapp', messages: [{ id }] };
  }

  function report(numberId: string, status: object): void {
    const waiting = statuses.get(numberId);
    if (waiting) return void waiting.push(status);
    const batch = [status];
    statuses.set(numberId, batch);
    setTimeout(() => {
      statuses.delete(numberId);
      provider.deliver(numberId, { statuses: batch }).catch(() => {}); // a stopped product
    }, STATUS_MS);
  }

  const post = (url: string, headers: http.OutgoingHttpHeaders, body: Buffer) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = http.request(url, { method: 'POST', agent, headers }, (response) => response.resume().once('end', () => resolve(response.statusCode)));
      request.once('error', reject).end(body);
    });

  const provider: BenchProvider = {
    url: served.url,
    onSend: () => {},
    webhook: { url: '', secret: '' },
    async deliver(numberId, value) {
      const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata: { phone_number_id: numberId }, ...value } };
      const body = Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] }));
      const signature = `sha256=${createHmac('sha256', provider.webhook.secret).update(body).digest('hex')}`;
      const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-hub-signature-256': signature };
      return repeat(() => post(provider.webhook.url, headers, body));
    },
    async stop() {
      agent.destroy();
      await served.stop();
    },
  };
  return provider;
}

async function repeat(post: () => Promise<number | undefined>): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if ((await post().catch(() => undefined)) === 200) return;
    await sleep(RETRY_MS);
  }
  throw new Error(`a delivery was not accepted in ${MAX_TRIES} attempts`);
}

const seconds = () => String(Math.floor(Date.now() / 1000));

/** Text messages of phones, as the provider delivers them. */
export const textMessages = (messages: { id: string; phone: string; text: string }[]) => ({
  contacts: messages.map(({ phone }) => ({ profile: { name: 'Rosa' }, wa_id: phone })),
  messages: messages.map(({ id, phone, text }) => ({ from: phone, id, timestamp: seconds(), type: 'text', text: { body: text } })),
});
