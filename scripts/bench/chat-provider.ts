// A chat provider on loopback for measurements: it accepts every message at once and reports it as sent and delivered. Statuses of a number
// within the same tenth of a second are sent in one delivery.
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { chatDelivery, secondsNow } from '../chat-delivery.ts';
import { serveOnLoopback } from '../loopback.ts';
import { until } from '../until.ts';

const STATUS_MS = 100;
const RETRY_MS = 500;
const GIVE_UP_MS = 30_000;

export type Accepted = { phone: string; at: number };

export type BenchProvider = Awaited<ReturnType<typeof startBenchProvider>>;

export async function startBenchProvider() {
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
      setTimeout(() => report(numberId, { id, status, timestamp: secondsNow(), recipient_id: digits, biz_opaque_callback_data }), STATUS_MS * index);
    return { messaging_product: 'whatsapp', messages: [{ id }] };
  }

  function report(numberId: string, status: object): void {
    const waiting = statuses.get(numberId);
    if (waiting) return void waiting.push(status);
    const batch = [status];
    statuses.set(numberId, batch);
    setTimeout(() => {
      statuses.delete(numberId);
      provider.deliver(numberId, { statuses: batch }).catch(() => {}); // fails when the product has stopped
    }, STATUS_MS);
  }

  const post = (url: string, headers: http.OutgoingHttpHeaders, body: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = http.request(url, { method: 'POST', agent, headers }, (response) => response.resume().once('end', () => resolve(response.statusCode)));
      request.once('error', reject).end(body);
    });

  const provider = {
    url: served.url,
    /** Called for each message that the product sends. */
    onSend: (_sent: Accepted) => {},
    /** Where deliveries go. */
    webhook: { url: '', secret: '' },
    /** Delivers messages or statuses of a number, and retries until the product accepts them. */
    async deliver(numberId: string, value: object): Promise<void> {
      const { body, headers } = chatDelivery(provider.webhook.secret, numberId, value);
      const isAccepted = async () => (await post(provider.webhook.url, headers, body).catch(() => undefined)) === 200;
      if (!(await until(isAccepted, GIVE_UP_MS, RETRY_MS))) throw new Error(`a delivery was not accepted in ${GIVE_UP_MS / 1_000} seconds`);
    },
    async stop() {
      agent.destroy();
      await served.stop();
    },
  };
  return provider;
}
