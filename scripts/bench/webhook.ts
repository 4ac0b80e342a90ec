// Measures the chat webhook: signed deliveries at a steady rate, whether or not earlier ones were answered, to the product as `npm start` runs
// it. The load, the product, the database and the bot that answers share the machine.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatDelivery, newMessageId, textMessages } from '../chat-delivery.ts';
import { readStoredSecrets } from '../dev/launch/secrets.ts';
import { startProduct } from '../dev/product.ts';
import { parseOptions, wholeNumber } from '../help.ts';
import { percentile } from '../statistics.ts';

const USAGE = `Usage: node scripts/bench/webhook.ts [--rate 500] [--seconds 20] [--phones 2000]

Starts the product, delivers --rate chat messages a second of --phones phones for --seconds, and prints the response times.`;

const TEXT = { type: 'string' } as const;
const { values } = parseOptions({ options: { rate: TEXT, seconds: TEXT, phones: TEXT } }, USAGE);
const rate = wholeNumber('--rate', values.rate ?? '500', [1, 10_000], USAGE);
const seconds = wholeNumber('--seconds', values.seconds ?? '20', [1, 600], USAGE);
const phones = wholeNumber('--phones', values.phones ?? '2000', [1, 100_000], USAGE);
const WARM_SECONDS = 3;
const TICK_MS = 4;

const product = await startProduct('single', { LOG_LEVEL: 'error' });
try {
  const numberId = await connectNumber();
  const { CHAT_APP_SECRET: secret = '' } = readStoredSecrets(product.api.dataDir);
  await load(numberId, secret, WARM_SECONDS);
  const { times, refused, late } = await load(numberId, secret, seconds);
  const at = (share: number) => percentile(times, share).toFixed(1);
  console.log(
    `${times.length} deliveries, ${rate} a second for ${seconds} s, of ${phones} phones; ${refused} refused; sent late by up to ${late.toFixed(0)} ms`,
  );
  console.log(`ms: p50 ${at(0.5)}  p90 ${at(0.9)}  p99 ${at(0.99)}  p99.9 ${at(0.999)}  max ${at(1)}`);
} finally {
  await product.stop();
}

/** Connects a number of the simulated provider to the demo clinic. Returns its id. */
async function connectNumber(): Promise<string> {
  const { baseUrl, demo } = product.api;
  const post = async (to: string, body: object, token = '') => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const response = await fetch(baseUrl + to, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${to}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { access_token: string };
  };
  const { access_token: token } = await post('/api/auth/login', demo);
  const phone = '+50322229999';
  await post('/api/chat/start', { phone, otpMethod: 'sms', wabaId: 'waba-bench', accessToken: 'EAAGbench-token' }, token);
  await post('/api/chat/verify-otp', { code: '123456' }, token);
  return `999${phone.slice(1)}`;
}

type Measured = { times: number[]; refused: number; late: number };

async function load(numberId: string, secret: string, forSeconds: number): Promise<Measured> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  const measured: Measured = { times: [], refused: 0, late: 0 };
  const text = 'Hola, ¿dónde están?';
  const messageOf = (index: number) => textMessages([{ id: newMessageId(), phone: String(50_370_000_000 + (index % phones)), text }]);
  const deliveries = Array.from({ length: rate * forSeconds }, (_, index) => chatDelivery(secret, numberId, messageOf(index)));
  const sending: Promise<void>[] = [];
  const begun = performance.now();
  for (let sent = 0; sent < deliveries.length; ) {
    const elapsed = performance.now() - begun;
    const due = Math.min(deliveries.length, Math.floor((elapsed / 1_000) * rate));
    if (sent < due) measured.late = Math.max(measured.late, elapsed - (sent / rate) * 1_000);
    for (; sent < due; sent++) sending.push(send(deliveries[sent] as Delivery, agent, measured));
    await sleep(TICK_MS);
  }
  await Promise.all(sending);
  agent.destroy();
  return measured;
}

type Delivery = ReturnType<typeof chatDelivery>;

function send({ body, headers }: Delivery, agent: http.Agent, measured: Measured): Promise<void> {
  return new Promise((resolve) => {
    const started = performance.now();
    const request = http.request(`${product.api.baseUrl}/webhooks/chat`, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) measured.times.push(performance.now() - started);
        else measured.refused++;
        resolve();
      });
    });
    request.once('error', () => {
      measured.refused++;
      resolve();
    });
    request.end(body);
  });
}
