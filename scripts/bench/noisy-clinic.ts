// `node scripts/run.js bench/noisy-clinic`: the effect of a clinic that sends ten times as many requests as each of the others. Four clinics read their
// doctors at a fixed rate, alone and together with the busy one; the two phases alternate, so that changes in the speed of the machine affect both.
import { setTimeout as sleep } from 'node:timers/promises';
import { startProduct } from '../dev/product.ts';
import { parseOptions, wholeNumber } from '../help.ts';
import { percentile } from '../statistics.ts';

const USAGE = `Usage: node scripts/run.js bench/noisy-clinic [--rate 5] [--rounds 5]

Starts the product with its default limits of clinics and prints the latency of four clinics, alone and together with a fifth one that sends ten
times as many requests. --rate is the number of requests a second of each of the four.`;

const { values } = parseOptions({ options: { rate: { type: 'string', default: '5' }, rounds: { type: 'string', default: '5' } } }, USAGE, 0);
const RATE = wholeNumber('--rate', values.rate, [1, 1000], USAGE);
const ROUNDS = wholeNumber('--rounds', values.rounds, [1, 1000], USAGE);
const SECONDS = 8;
const FACTOR = 10;

const { CLINIC_REQUESTS_PER_MINUTE = '3000', CLINIC_CONCURRENT_REQUESTS = '20' } = process.env;
const product = await startProduct('single', { CLINIC_REQUESTS_PER_MINUTE, CLINIC_CONCURRENT_REQUESTS, LOG_LEVEL: 'error' });
const { baseUrl, operatorKey } = product.api;

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
}

async function newToken(number: number): Promise<string> {
  const { code } = await post('/api/superadmin/invite-codes', { plan: 'clinica' }, { 'x-admin-key': operatorKey });
  const admin = { adminName: 'Ana Bench', email: `noisy${number}@bench.example`, password: 'Bench-clinics-2026' };
  return (await post('/api/auth/register-clinic', { inviteCode: code, clinicName: `Clínica ${number}`, ...admin })).access_token ?? '';
}

type Sent = { times: number[]; refused: number };

/** Sends requests at a fixed rate, whether or not earlier ones were answered. */
async function send(token: string, perSecond: number): Promise<Sent> {
  const sent: Sent = { times: [], refused: 0 };
  const one = async () => {
    const began = performance.now();
    const answer = await fetch(`${baseUrl}/api/doctors`, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    if (answer.ok) sent.times.push(performance.now() - began);
    else sent.refused++;
  };
  const running: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < perSecond * SECONDS; n++) {
    const wait = began + (n * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    running.push(one());
  }
  await Promise.all(running);
  return sent;
}

try {
  const [busy = '', ...others] = await Promise.all([0, 1, 2, 3, 4].map(newToken));
  await Promise.all([busy, ...others].map((token) => send(token, RATE))); // warms up
  const alone: number[] = [];
  const together: number[] = [];
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const { times } of await Promise.all(others.map((token) => send(token, RATE)))) alone.push(...times);
    const [noise, ...quiet] = await Promise.all([send(busy, RATE * FACTOR), ...others.map((token) => send(token, RATE))]);
    for (const { times } of quiet) together.push(...times);
    refused += noise.refused;
  }
  const ms = (times: number[], share: number) => percentile(times, share).toFixed(1);
  console.log(`four clinics alone: p50 ${ms(alone, 0.5)} ms, p99 ${ms(alone, 0.99)} ms (${alone.length} requests)`);
  console.log(
    `together with a clinic that sends ${FACTOR} times as much: p50 ${ms(together, 0.5)} ms, p99 ${ms(together, 0.99)} ms; ${refused} of its requests were refused`,
  );
  console.log(`p99 is ${(percentile(together, 0.99) / percentile(alone, 0.99)).toFixed(2)} times as high`);
} finally {
  await product.stop();
}
