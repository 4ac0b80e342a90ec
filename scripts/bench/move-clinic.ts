// `node scripts/bench/move-clinic.ts`: rehearses the move of a clinic between two installations, each with a PostgreSQL, a NATS and a product of
// its own, while users make changes, patients send messages, and the command is killed. Nothing may be lost or doubled.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { READ_ONLY_AFTER_MS } from '@clinic/gateway/http/times.ts';
import { chatDelivery, newMessageId, textMessages } from '../chat-delivery.ts';
import { query } from '../database.ts';
import { embeddedUrl } from '../dev/embedded/postgres.ts';
import { readStoredSecrets } from '../dev/launch/secrets.ts';
import { type Product, startProduct } from '../dev/product.ts';
import { tempFolder } from '../dev/temp-folder.ts';
import { parseOptions, wholeNumber } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { percentile, sum } from '../statistics.ts';

const USAGE = `Usage: node scripts/bench/move-clinic.ts [--patients 10000] [--kills 0]

Prints how many changes and messages were sent, refused and lost, and for how long the clinic accepted no changes. Ends with 1 if any is missing.

  --patients 10000  number of patients of the clinic before the move
  --kills 0         how often the command is killed, at random moments, before it may finish`;

const { values } = parseOptions({ options: { patients: { type: 'string', default: '10000' }, kills: { type: 'string', default: '0' } } }, USAGE);
const patients = wholeNumber('--patients', values.patients, [1, 1_000_000], USAGE);
const kills = wholeNumber('--kills', values.kills, [0, 1_000], USAGE);

const NUMBER = '+50322226666';
const EVERY_MS = 50;
/** The command waits for READ_ONLY_AFTER_MS first, and needs one or two seconds for the rest. */
const [KILL_FROM_MS, KILL_TO_MS] = [READ_ONLY_AFTER_MS + 1_000, READ_ONLY_AFTER_MS + 4_000];
const FOLLOWING_MS = 5_000;
const REPEATED_MS = 500;

type Answer = { status: number; body: Record<string, string> };

async function send(product: Product, method: string, to: string, body?: object | string, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(`${product.api.baseUrl}${to}`, {
    method,
    headers: { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json', ...headers },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : { text } };
}

const as = (token = '') => ({ authorization: `Bearer ${token}` });

async function register(product: Product, name: string): Promise<{ token: string; clinicId: string }> {
  const invite = await send(product, 'POST', '/api/superadmin/invite-codes', { plan: 'clinica' }, { 'x-admin-key': product.api.operatorKey });
  const admin = { adminName: 'Ana Mudanza', email: `${name}@move.example`, password: 'Move-clinics-2026' };
  const { body } = await send(product, 'POST', '/api/auth/register-clinic', { inviteCode: invite.body.code, clinicName: `Clínica ${name}`, ...admin });
  const token = body.access_token ?? '';
  const { clinic_id = '' } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, string>;
  return { token, clinicId: clinic_id };
}

const rowsOf = ({ api }: Product, statement: string, parameters: unknown[]): Promise<Record<string, string>[]> =>
  query(embeddedUrl(api.dataDir) ?? '', statement, parameters);

function ops(product: Product, to: Product, ...words: string[]): ChildProcess {
  const env = { ...process.env, NODE_OPTIONS: '', DATA_DIR: product.api.dataDir, TARGET_DATA_DIR: to.api.dataDir };
  return spawn(process.execPath, [path.join(PROJECT, 'scripts/run.js'), 'ops', ...words], { cwd: PROJECT, env, stdio: 'inherit' });
}

const ended = async (child: ChildProcess): Promise<number | null> => (await once(child, 'close'))[0];

/** Repeats `work` until stopped, and then returns what it returned each time. */
function repeat<T>(work: (n: number) => Promise<T>) {
  const results: T[] = [];
  let running = true;
  const done = (async () => {
    for (let n = 0; running; n++) {
      results.push(await work(n));
      await sleep(EVERY_MS);
    }
  })();
  done.catch(() => {}); // stop() throws it
  return async () => {
    running = false;
    await done;
    return results;
  };
}

type Sent = { id: string; took: number /** Milliseconds until it was accepted. */; refused: number };

/**
 * Sends a change to the installation that has the clinic, as a proxy would, until one accepts it: 503 READ_ONLY during the move, 401 where the clinic
 * is not. A change is repeated with the same Idempotency-Key.
 */
function changes(from: Product, to: Product, token: string, prefix: string) {
  let [here, there] = [from, to];
  return async (n: number): Promise<Sent> => {
    const [begun, key] = [performance.now(), randomUUID()];
    for (let refused = 0; ; refused++) {
      const patient = { fullName: 'De paso', phone: `${prefix}${String(n).padStart(5, '0')}` };
      const { status, body } = await send(here, 'POST', '/api/patients', patient, { ...as(token), 'idempotency-key': key });
      if (status === 201) return { id: body.id ?? '', took: performance.now() - begun, refused };
      if (status === 401) [here, there] = [there, here];
      else if (body.code !== 'READ_ONLY') throw new Error(`POST /api/patients: ${status} ${JSON.stringify(body)}`);
      await sleep(EVERY_MS);
    }
  };
}

/** Delivers a message of a patient to both installations, as a proxy in front of both does, and retries until both have accepted it, as the provider does. */
function messages(products: Product[], secret: string, numberId: string) {
  return async (n: number): Promise<{ id: string; refused: number }> => {
    const id = newMessageId();
    const delivery = chatDelivery(secret, numberId, textMessages([{ id, phone: `5036${String(n % 20).padStart(7, '0')}`, text: 'Hola' }]));
    let refused = 0;
    for (const [index, { api }] of products.entries()) {
      for (;;) {
        const answer = await fetch(`${api.baseUrl}/webhooks/chat`, { method: 'POST', ...delivery });
        if (answer.status === 200) break;
        if (refused++ === 0) console.log(`POST /webhooks/chat of ${index === 0 ? 'the source' : 'the target'}: ${answer.status} ${await answer.text()}`);
        await sleep(REPEATED_MS);
      }
    }
    return { id, refused };
  };
}

const folders = [tempFolder('move-from'), tempFolder('move-to')] as const;
const products: Product[] = [];
let faults = 0;
const check = (what: string, ok: boolean) => {
  console.log(`${ok ? 'ok    ' : 'FAULT '} ${what}`);
  if (!ok) faults++;
};

try {
  const from = await startProduct('single', { DATA_DIR: folders[0], LOG_LEVEL: 'error' });
  products.push(from);
  copyFileSync(path.join(folders[0], 'secrets.env'), path.join(folders[1], 'secrets.env'));
  const to = await startProduct('single', { DATA_DIR: folders[1], LOG_LEVEL: 'error' });
  products.push(to);
  const { CHAT_APP_SECRET: secret = '' } = readStoredSecrets(folders[0]);
  const [moving, other] = [await register(from, 'moving'), await register(from, 'other')];
  const doctor = await send(from, 'POST', '/api/doctors', { fullName: 'Dra. Elena Rivas', specialty: 'Odontología' }, as(moving.token));
  const { body: feed } = await send(from, 'GET', `/api/calendar/feed-url/${doctor.body.id}`, undefined, as(moving.token));
  await send(from, 'POST', '/api/chat/start', { phone: NUMBER, otpMethod: 'sms', wabaId: 'waba-move', accessToken: 'EAAGmove-token' }, as(moving.token));
  await send(from, 'POST', '/api/chat/verify-otp', { code: '123456' }, as(moving.token));
  const file = Array.from({ length: patients }, (_, n) => `Paciente ${n},+5037${String(n).padStart(7, '0')}`);
  let { body: job } = await send(from, 'POST', '/api/patients/import', ['nombre,telefono', ...file].join('\n'), as(moving.token));
  while (job.status === 'running') {
    await sleep(500);
    job = (await send(from, 'GET', `/api/patients/imports/${job.id}`, undefined, as(moving.token))).body;
  }
  if (job.status !== 'done') throw new Error(`import: ${JSON.stringify(job)}`);

  const stops = [repeat(changes(from, to, moving.token, '+503610')), repeat(changes(from, to, other.token, '+503620'))] as const;
  const stopMessages = repeat(messages(products, secret, `999${NUMBER.slice(1)}`));
  await sleep(FOLLOWING_MS);
  let status: number | null = null;
  const begun = performance.now();
  for (let killed = 0; status !== 0 && killed <= kills; killed++) {
    const command = ops(from, to, 'move-clinic', '--clinic', moving.clinicId);
    const ms = KILL_FROM_MS + Math.random() * (KILL_TO_MS - KILL_FROM_MS);
    const timer = killed < kills ? setTimeout(() => command.kill('SIGKILL'), ms) : undefined;
    status = await ended(command);
    clearTimeout(timer);
    if (status !== 0) console.log(`the command ended with ${status ?? `a kill after ${(ms / 1000).toFixed(1)} s`}`);
  }
  const seconds = (performance.now() - begun) / 1000;
  await sleep(FOLLOWING_MS);
  const sent = await stopMessages();
  const [mine, theirs] = await Promise.all([stops[0](), stops[1]()]);
  check(`the clinic has moved, ${seconds.toFixed(1)} s after the start of the command`, status === 0);
  check('the second run, for deliveries that arrived too late, succeeded', (await ended(ops(from, to, 'move-clinic', '--clinic', moving.clinicId))) === 0);
  await sleep(FOLLOWING_MS);

  const stored = await rowsOf(to, 'select id from scheduling.patients where clinic_id = $1 and phone like $2', [moving.clinicId, '+503610%']);
  const ids = new Set(stored.map(({ id }) => id));
  const lost = mine.filter(({ id }) => !ids.has(id)).length;
  const refused = sum(mine.map((one) => one.refused));
  check(
    `${mine.length + refused} changes sent, ${refused} refused, ${mine.length} acknowledged, ${lost} lost, ${stored.length - mine.length} doubled`,
    lost === 0 && stored.length === mine.length,
  );
  const count = await rowsOf(to, 'select count(*) as count from scheduling.patients where clinic_id = $1 and phone like $2', [moving.clinicId, '+5037%']);
  check(`${count[0]?.count} of ${patients} earlier patients are in the target`, Number(count[0]?.count) === patients);
  const inbound = await rowsOf(to, `select provider_id from messaging.messages where clinic_id = $1 and direction = 'in'`, [moving.clinicId]);
  const received = new Set(inbound.map(({ provider_id }) => provider_id));
  const missing = sent.filter(({ id }) => !received.has(id)).length;
  check(
    `${sent.length} messages sent, ${sum(sent.map((one) => one.refused))} times refused, ${missing} missing, ${inbound.length - received.size} doubled`,
    missing === 0 && inbound.length === received.size,
  );
  check('the access token is valid in the target', (await send(to, 'GET', '/api/auth/me', undefined, as(moving.token))).status === 200);
  const feedPath = new URL((feed.feedUrl ?? '').replace('webcal:', 'http:')).pathname;
  check('the calendar feed is served by the target', (await send(to, 'GET', feedPath)).body.text?.startsWith('BEGIN:VCALENDAR') ?? false);
  check('the other clinic is in the source', (await send(from, 'GET', '/api/auth/me', undefined, as(other.token))).status === 200);
  for (const product of products) check('the audit log is intact', (await ended(ops(product, to, 'verify-audit'))) === 0);
  const pause = Math.max(...mine.map(({ took }) => took));
  console.log(`the clinic accepted no changes for ${(pause / 1000).toFixed(1)} s`);
  const times = theirs.map(({ took }) => took);
  console.log(`another clinic: ${times.length} changes, p50 ${percentile(times, 0.5).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`);
} finally {
  for (const product of products) await product.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = faults === 0 ? 0 : 1;
