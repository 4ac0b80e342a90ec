// `node scripts/run.js bench/noisy-clinic`: what a clinic that sends ten times as much as each other one does to the others. Four clinics read
// their doctors at a fixed rate, first alone, then beside the busy one; the two phases alternate, so that the machine's own changes even out.
import { setTimeout as sleep } from 'node:timers/promises';
import { startProduct } from '../dev/product.ts';
import { helpOn } from '../help.ts';
import { percentile } from '../statistics.ts';

helpOn(`Usage: node scripts/run.js bench/noisy-clinic

Starts the product with its default limits of clinics and prints the 99th percentile of four clinics, alone and beside a fifth one that sends
ten times as much. RATE is the number of requests a second of each of the four (default 5), ROUNDS how often both are measured (default 5).`);

const RATE = Number(process.env.RATE ?? 5);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
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

type Seen = { times: number[]; refused: number };

/** Requests at a fixed rate, however slowly they are answered. */
async function send(token: string, perSecond: number): Promise<Seen> {
  const seen: Seen = { times: [], refused: 0 };
  const one = async () => {
    const began = performance.now();
    const answer = await fetch(`${baseUrl}/api/doctors`, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    if (answer.ok) seen.times.push(performance.now() - began);
    else seen.refused++;
  };
  const running: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < perSecond * SECONDS; n++) {
    const wait = began + (n * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    running.push(one());
  }
  await Promise.all(running);
  return seen;
}

try {
  const [busy = '', ...others] = await Promise.all([0, 1, 2, 3, 4].map(newToken));
  await Promise.all([busy, ...others].map((token) => send(token, RATE))); // warms up
  const alone: number[] = [];
  const beside: number[] = [];
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const { times } of await Promise.all(others.map((token) => send(token, RATE)))) alone.push(...times);
    const [noise, ...seen] = await Promise.all([send(busy, RATE * FACTOR), ...others.map((token) => send(token, RATE))]);
    for (const { times } of seen) beside.push(...times);
    refused += noise.refused;
  }
  const ms = (times: number[], share: number) => percentile(times, share).toFixed(1);
  console.log(`four clinics alone: p50 ${ms(alone, 0.5)} ms, p99 ${ms(alone, 0.99)} ms (${alone.length} requests)`);
  console.log(`beside a clinic with ${FACTOR} times as much: p50 ${ms(beside, 0.5)} ms, p99 ${ms(beside, 0.99)} ms; of its own ${refused} were refused`);
  console.log(`p99 is ${(percentile(beside, 0.99) / percentile(alone, 0.99)).toFixed(2)} times as high`);
} finally {
  await product.stop();
}
