// A fake chat provider, which records every call and sends the responses that the test has planned.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: tests read any part of a body
type Seen = { method: string; path: string; token: string; body: any };
type Reply = { status?: number; location?: string; body?: unknown; hang?: true; wait?: () => Promise<void> };

export type FakeChatProvider = {
  url: string;
  seen: Seen[];
  /** The bodies of messages, in the order in which they were sent. */
  sent(): Seen['body'][];
  /** The bodies of read receipts, in order. */
  receipts(): Seen['body'][];
  /** Plans the responses to the next calls whose path ends with `path`, one each. A reply with `wait` is sent once `wait` has resolved; without a body it is the default response. */
  next(path: string, ...replies: Reply[]): void;
  /** Clears planned replies and recorded calls. */
  forget(): void;
  /** An error response in the provider's format. */
  refusal(status: number, code: number, message?: string): Reply;
  stop(): Promise<void>;
};

const isReceipt = ({ path, body }: Seen) => path.endsWith('/messages') && body?.status === 'read';

export async function startFakeChatProvider(): Promise<FakeChatProvider> {
  const seen: Seen[] = [];
  const planned: { path: string; reply: Reply }[] = [];
  let count = 0;
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const path = (request.url ?? '').replace(/^\/v\d+\.\d+/, '');
    const call = { method: request.method ?? '', path, token: request.headers.authorization ?? '', body: text ? JSON.parse(text) : undefined };
    seen.push(call);
    // Read receipts may arrive at any time, and must not use up a reply that was planned for a message.
    const index = isReceipt(call) ? -1 : planned.findIndex((one) => path.split('?')[0]?.endsWith(one.path));
    const [plan] = index < 0 ? [] : planned.splice(index, 1);
    if (plan?.reply.hang) return void request.socket.destroy();
    await plan?.reply.wait?.();
    const reply = plan && (!plan.reply.wait || plan.reply.body) ? plan.reply : usual(call, ++count);
    if (reply.body instanceof Uint8Array) return void response.writeHead(reply.status ?? 200).end(reply.body);
    const headers = { 'content-type': 'application/json', ...(reply.location && { location: reply.location }) };
    response.writeHead(reply.status ?? 200, headers).end(JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    sent: () => seen.filter((call) => call.path.endsWith('/messages') && !isReceipt(call)).map(({ body }) => body),
    receipts: () => seen.filter(isReceipt).map(({ body }) => body),
    next: (path, ...replies) => planned.push(...replies.map((reply) => ({ path, reply }))),
    forget() {
      seen.length = 0;
      planned.length = 0;
    },
    refusal: (status, code, message = 'refused') => ({ status, body: { error: { message, type: 'OAuthException', code } } }),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function usual({ path, method }: Seen, count: number): Reply {
  if (path.endsWith('/messages')) return { body: { messaging_product: 'whatsapp', messages: [{ id: `wamid.out.${process.pid}.${count}` }] } };
  if (path.endsWith('/phone_numbers') && method === 'POST') return { body: { id: `number-${count}-${Date.now()}` } };
  if (path.includes('?fields=')) return { body: { id: 'n', display_phone_number: '+503 7000 0000', quality_rating: 'GREEN' } };
  return { body: { success: true } };
}
