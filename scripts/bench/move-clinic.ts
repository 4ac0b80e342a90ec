// `node scripts/run.js bench/move-clinic`: rehearses the move of a clinic between two installations, each with a PostgreSQL and a NATS of its
// own, while users write and patients send messages, and while the command is killed. Nothing may be lost or doubled.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Product, startProduct } from '../dev/product.ts';
import { tempFolder } from '../dev/temp-folder.ts';
import { helpOn } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { percentile } from './statistics.ts';

helpOn(`Usage: node scripts/run.js bench/move-clinic

Prints what was written, what arrived, and how long users of another clinic waited. Ends with 1 if anything is missing.`);

const KILL_AFTER_MS = [6_000, 14_500, 15_500, 16_500];
const NUMBER = '+50322226666';
const EVERY_MS = 200;

type Answer = { status: number; body: Record<string, string> };

async function send(product: Product, method: string, to: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(`${product.api.baseUrl}${to}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
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

async function rowsOf(product: Product, statement: string, values: unknown[] = []): Promise<Record<string, string>[]> {
  const home = path.join(product.api.dataDir, 'postgres');
  const port = readFileSync(path.join(home, 'cluster/postmaster.pid'), 'utf8').split('\n')[3];
  const client = new pg.Client({
    connectionString: `postgres://clinic_owner:${readFileSync(path.join(home, 'password'), 'utf8').trim()}@127.0.0.1:${port}/clinic`,
  });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

function ops(product: Product, to: Product, ...words: string[]): ChildProcess {
  const env = { ...process.env, NODE_OPTIONS: '', DATA_DIR: product.api.dataDir, TARGET_DATA_DIR: to.api.dataDir };
  return spawn(process.execPath, [path.join(PROJECT, 'scripts/run.js'), 'ops', ...words], { cwd: PROJECT, env, stdio: 'inherit' });
}

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('close', resolve));

/** Creates patients until stopped; a refusal as read-only or unknown is no acknowledgement. */
function write(product: Product, token: string, prefix: string) {
  const [acknowledged, times]: [string[], number[]] = [[], []];
  let running = true;
  const done = (async () => {
    for (let n = 0; running; n++) {
      const began = performance.now();
      const { status, body } = await send(
        product,
        'POST',
        '/api/patients',
        { fullName: 'De paso', phone: `${prefix}${String(n).padStart(5, '0')}` },
        as(token),
      );
      times.push(performance.now() - began);
      if (status === 201) acknowledged.push(body.id ?? '');
      else if (status >= 500) throw new Error(`POST /api/patients: ${status} ${JSON.stringify(body)}`);
      await sleep(EVERY_MS);
    }
  })();
  return {
    async stop() {
      running = false;
      await done;
      return { acknowledged, times };
    },
  };
}

/** Delivers messages of patients to both installations until stopped, as one address before both does. */
function deliver(products: Product[], secret: string, numberId: string) {
  const sent: string[] = [];
  let running = true;
  const done = (async () => {
    for (let n = 0; running; n++) {
      const id = `wamid.${randomUUID()}`;
      const message = {
        from: `5036${String(n % 20).padStart(7, '0')}`,
        id,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body: 'Hola' },
      };
      const value = { messaging_product: 'whatsapp', metadata: { phone_number_id: numberId }, messages: [message] };
      const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
      const answers = await Promise.all(products.map(({ api }) => fetch(`${api.baseUrl}/webhooks/chat`, { method: 'POST', headers, body })));
      if (answers.every(({ status }) => status === 200)) sent.push(id);
      await sleep(EVERY_MS);
    }
  })();
  return {
    async stop() {
      running = false;
      await done;
      return sent;
    },
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
  const secret = /^CHAT_APP_SECRET=(.*)$/m.exec(readFileSync(path.join(folders[0], 'secrets.env'), 'utf8'))?.[1] ?? '';
  const [moving, other] = [await register(from, 'moving'), await register(from, 'other')];
  const doctor = await send(from, 'POST', '/api/doctors', { fullName: 'Dra. Elena Rivas', specialty: 'Odontología' }, as(moving.token));
  const { body: feed } = await send(from, 'GET', `/api/calendar/feed-url/${doctor.body.id}`, undefined, as(moving.token));
  await send(from, 'POST', '/api/chat/start', { phone: NUMBER, otpMethod: 'sms', wabaId: 'waba-move', accessToken: 'EAAGmove-token' }, as(moving.token));
  await send(from, 'POST', '/api/chat/verify-otp', { code: '123456' }, as(moving.token));

  const writers = [write(from, moving.token, '+50371'), write(from, other.token, '+50372')] as const;
  const messages = deliver(products, secret, `999${NUMBER.slice(1)}`);
  await sleep(5_000);
  let status: number | null = null;
  for (const ms of [...KILL_AFTER_MS, 600_000]) {
    const command = ops(from, to, 'move-clinic', '--clinic', moving.clinicId);
    const timer = setTimeout(() => command.kill('SIGKILL'), ms);
    status = await ended(command);
    clearTimeout(timer);
    if (status === 0) break;
    console.log(`the command ended with ${status ?? 'a kill'}`);
  }
  const [mine, theirs] = await Promise.all(writers.map((writer) => writer.stop()));
  const sent = await messages.stop();
  await sleep(5_000);
  check('the clinic has moved', status === 0 && (await ended(ops(from, to, 'move-clinic', '--clinic', moving.clinicId))) === 0);
  await sleep(5_000);
  const ids = new Set((await rowsOf(to, 'select id from scheduling.patients where clinic_id = $1', [moving.clinicId])).map(({ id }) => id));
  check(`${mine?.acknowledged.length} patients acknowledged, all in the target`, mine?.acknowledged.every((id) => ids.has(id)) ?? false);
  const stored = await rowsOf(to, `select provider_id from messaging.messages where clinic_id = $1 and direction = 'in'`, [moving.clinicId]);
  const received = new Set(stored.map(({ provider_id }) => provider_id));
  const missing = sent.filter((id) => !received.has(id)).length;
  check(`${sent.length} messages acknowledged, ${missing} missing, ${stored.length - received.size} doubled`, missing === 0 && stored.length === received.size);
  check('the access token is valid in the target', (await send(to, 'GET', '/api/auth/me', undefined, as(moving.token))).status === 200);
  check(
    'the clinic accepts changes',
    (await send(to, 'POST', '/api/patients', { fullName: 'Después', phone: '+50373000000' }, as(moving.token))).status === 201,
  );
  const feedPath = new URL((feed.feedUrl ?? '').replace('webcal:', 'http:')).pathname;
  check('the calendar feed is served', (await send(to, 'GET', feedPath)).body.text?.startsWith('BEGIN:VCALENDAR') ?? false);
  check('the other clinic still is in the source', (await send(from, 'GET', '/api/auth/me', undefined, as(other.token))).status === 200);
  for (const product of products) check('the audit log is intact', (await ended(ops(product, to, 'verify-audit'))) === 0);
  const times = theirs?.times ?? [];
  console.log(`the other clinic: ${times.length} writes, p50 ${percentile(times, 0.5).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`);
} finally {
  for (const product of products) await product.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = faults === 0 ? 0 : 1;
