// `npm run bench -- --chat`: what a message of a patient costs with its answer, how long the answer takes, and how fast a backlog is
// answered. One process, a bot with all features, a provider on loopback that reports each message as sent and delivered.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Stoppable, stopAll } from '@clinic/lib/background/stop.ts';
import pg from 'pg';
import { type BenchProvider, startBenchProvider, textMessages } from './chat-provider.ts';
import { startProduct } from './children.ts';
import { describe } from './dataset.ts';
import { loadDataset } from './load.ts';
import { type Part, spent, usageOf } from './processes.ts';
import { percentile } from './statistics.ts';
import { openStores, type Store } from './stores.ts';
import { signTokens } from './tokens.ts';

/** So many that the provider's limit of one number, 80 messages a second, does not limit the product. */
const CLINICS = 20;
/** What each phone says, in this order, every two seconds. */
const SCRIPT = ['Hola', 'quiero una cita', 'mañana', 'mis citas', '¿dónde están?'];
const PAUSE_SECONDS = 2;
const PATIENCE_MS = 300_000;

type Statement = { role: string; text: string; calls: number; ms: number; wal: number };
type Counters = { cpu: ReturnType<typeof usageOf>; statements: Map<string, Statement>; wal: number; events: number; at: number };

/** Of one message with its answer; processor time in milliseconds. */
export type MessageCost = { node: number; postgres: number; calls: Record<string, number>; statements: Statement[]; walBytes: number; events: number };
export type Answers = { messages: number; p50: number; p99: number; lost: number };
export type ChatFigures = {
  date: string;
  cost: MessageCost;
  /** A message a second, each alone. */
  alone: Answers;
  steady: Answers;
  /** With half a core less. */
  disturbed: Answers;
  backlog: { messages: number; seconds: number; perSecond: number; lost: number; cost: MessageCost };
};

export async function measureChat(quick: boolean, say: (line: string) => void): Promise<ChatFigures> {
  const running: Stoppable[] = [];
  const interrupted = () => void stopAll(running).then(() => process.exit(1));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const { load, counters } = await prepare(running, say);
    await load.steady(5, 10); // warm-up
    await sleep(3_000);
    say('a message a second');
    const alone = await load.steady(1, quick ? 10 : 30);
    say('idle');
    const idle = difference(await during(counters, () => sleep(5_000)), 5_000);
    say('25 messages a second');
    const work = await during(counters, async () => {
      const answers = await load.steady(25, quick ? 10 : 30);
      await sleep(2_000); // statuses and events of the last answers
      return answers;
    });
    const steady = work.result;
    const cost = costOf(work, idle, steady.messages);
    say('25 messages a second with half a core less');
    const hog = takeHalfACore();
    const disturbed = await load.steady(25, quick ? 10 : 30);
    await hog.stop();
    say('a backlog');
    const answering = await during(counters, () => load.backlog(quick ? 400 : 4_000));
    const backlog = { ...answering.result, cost: costOf(answering, idle, answering.result.messages) };
    return { date: new Date().toISOString(), cost, alone, steady, disturbed, backlog };
  } finally {
    await stopAll(running);
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

async function prepare(running: Stoppable[], say: (line: string) => void) {
  say('starting PostgreSQL, NATS and the product');
  const store = (await openStores(['chat'], running, ['shared_preload_libraries=pg_stat_statements'])).get('chat') as Store;
  const data = describe({ clinics: CLINICS, appointments: CLINICS * 500, today: new Date().toISOString().slice(0, 10) });
  await loadDataset(store.ownerUrl, data);
  const owner = new pg.Pool({ connectionString: store.ownerUrl, max: 1 });
  running.push({ stop: () => owner.end() });
  await owner.query('create extension pg_stat_statements');
  const provider = await startBenchProvider();
  running.push(provider);
  const product = await startProduct('single', 'product', { ...store.env, CHAT_API_BASE_URL: provider.url, LOG_LEVEL: 'error' });
  running.push(product);
  provider.webhook = { url: `${product.url}/webhooks/chat`, secret: store.env.CHAT_APP_SECRET ?? '' };
  const tokens = await signTokens(store.env, data);
  await Promise.all(tokens.map((token, clinic) => connectNumber(product.url, token, `bench-${clinic}`)));
  const parts: Part[] = [...product.parts, ...store.parts];
  return { load: createLoad(provider), counters: () => readCounters(owner, parts) };
}

async function connectNumber(url: string, token: string, numberId: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const settings = { chat_phone_number_id: numberId, chat_access_token: 'a-token-of-the-benchmark', bot_enabled: true };
  const saved = await fetch(`${url}/api/clinics/settings`, { method: 'PATCH', headers, body: JSON.stringify(settings) });
  if (!saved.ok) throw new Error(`the chat settings were not saved: ${saved.status} ${await saved.text()}`);
  for (let status = ''; status !== 'active'; await sleep(200))
    status = ((await (await fetch(`${url}/api/chat/status`, { headers })).json()) as { status: string }).status;
}

function createLoad(provider: BenchProvider) {
  let phones = 0;
  const newPhone = () => String(50_360_000_000 + phones++);
  const numberOf = (phone: string) => `bench-${Number(phone) % CLINICS}`;
  /** Instants at which messages were said, by phone, until they are answered. */
  let open = new Map<string, number[]>();
  let times: number[] = [];
  provider.onSend = ({ phone, at }) => {
    const said = open.get(phone)?.shift();
    if (said !== undefined) times.push(at - said);
  };
  const reset = () => {
    open = new Map();
    times = [];
  };
  function say(phone: string, text: string) {
    open.set(phone, [...(open.get(phone) ?? []), performance.now()]);
    return { id: `wamid.${randomUUID()}`, phone, text };
  }
  async function answered(messages: number): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    for (let seen = times.length, idle = 0; times.length < messages && performance.now() < until && idle < 300; await sleep(100)) {
      idle = times.length === seen ? idle + 1 : 0;
      seen = times.length;
    }
  }
  return {
    /** Even traffic: each phone follows the script. */
    async steady(rate: number, seconds: number): Promise<Answers> {
      reset();
      const many = rate * PAUSE_SECONDS;
      const total = Math.ceil((rate * seconds) / (many * SCRIPT.length)) * many * SCRIPT.length;
      let group: string[] = [];
      const begun = performance.now();
      for (let n = 0; n < total; n++) {
        if (n % (many * SCRIPT.length) === 0) group = Array.from({ length: many }, newPhone);
        await sleep(Math.max(0, begun + (n * 1000) / rate - performance.now()));
        const phone = group[n % many] ?? '';
        void provider.deliver(numberOf(phone), textMessages([say(phone, SCRIPT[Math.floor(n / many) % SCRIPT.length] ?? '')]));
      }
      await answered(total);
      return { messages: total, p50: percentile(times, 0.5), p99: percentile(times, 0.99), lost: total - times.length };
    },
    /** As many phones with one message each, delivered at once. */
    async backlog(messages: number) {
      reset();
      const all = Array.from({ length: messages }, newPhone);
      const byNumber = Map.groupBy(all, numberOf);
      await Promise.all(
        [...byNumber].flatMap(([number, own]) =>
          chunks(own, 50).map((some) => provider.deliver(number, textMessages(some.map((phone) => say(phone, SCRIPT[Number(phone) % SCRIPT.length] ?? ''))))),
        ),
      );
      await answered(messages);
      const seconds = Math.max(...times) / 1000;
      return { messages, seconds, perSecond: times.length / seconds, lost: messages - times.length };
    },
  };
}

const chunks = <T>(list: T[], size: number) => Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));

const STATEMENTS = `
  select r.rolname || s.queryid as key, replace(replace(r.rolname, 'clinic_', ''), '_system', '') as role, left(min(s.query), 200) as text,
    sum(s.calls)::int as calls, sum(s.total_exec_time) as ms, sum(s.wal_bytes)::float8 as wal
  from pg_stat_statements s join pg_roles r on r.oid = s.userid where r.rolname <> current_user group by 1, 2`;
const WAL_AND_EVENTS = `
  select (select wal_bytes from pg_stat_wal)::float8 as wal,
    (select count(*) from messaging.outbox where subject like '%.conversation-updated')::int as events`;

async function readCounters(owner: pg.Pool, parts: Part[]): Promise<Counters> {
  const statements = (await owner.query<Statement & { key: string }>(STATEMENTS)).rows;
  const [{ wal, events } = { wal: 0, events: 0 }] = (await owner.query<{ wal: number; events: number }>(WAL_AND_EVENTS)).rows;
  return { cpu: usageOf(parts), statements: new Map(statements.map(({ key, ...one }) => [key, one])), wal, events, at: performance.now() };
}

type Work = { before: Counters; after: Counters };

async function during<T>(counters: () => Promise<Counters>, work: () => Promise<T>): Promise<Work & { result: T }> {
  const before = await counters();
  const result = await work();
  return { before, result, after: await counters() };
}

/** What was used, divided by `by`. */
function difference({ before, after }: Work, by: number) {
  const cpu = spent(before.cpu, after.cpu);
  const statements = [...after.statements].map(([key, one]): [string, Statement] => {
    const { calls = 0, ms = 0, wal = 0 } = before.statements.get(key) ?? {};
    return [key, { ...one, calls: (one.calls - calls) / by, ms: (one.ms - ms) / by, wal: (one.wal - wal) / by }];
  });
  return { node: (cpu.product ?? 0) / by, postgres: (cpu.postgres ?? 0) / by, statements: new Map(statements), wal: (after.wal - before.wal) / by };
}

/** `idle`: what is used in each millisecond without messages. */
function costOf(work: Work, idle: ReturnType<typeof difference>, messages: number): MessageCost {
  const ms = work.after.at - work.before.at;
  const all = difference(work, 1);
  const each = (used: number, usedIdle = 0) => (used - usedIdle * ms) / messages;
  const statements = [...all.statements].map(([key, one]) => {
    const less = idle.statements.get(key);
    return { ...one, calls: each(one.calls, less?.calls), ms: each(one.ms, less?.ms), wal: each(one.wal, less?.wal) };
  });
  const calls: Record<string, number> = {};
  for (const one of statements) calls[one.role] = (calls[one.role] ?? 0) + one.calls;
  return {
    node: each(all.node, idle.node) * 1000,
    postgres: each(all.postgres, idle.postgres) * 1000,
    calls,
    statements: statements.filter((one) => one.calls > 0.02).toSorted((a, b) => b.ms - a.ms),
    walBytes: each(all.wal, idle.wal),
    events: (work.after.events - work.before.events) / messages,
  };
}

/** A process that computes half of the time. */
function takeHalfACore(): Stoppable {
  const spin =
    'const wait = new Int32Array(new SharedArrayBuffer(4)); for (;;) { const end = performance.now() + 5; while (performance.now() < end); Atomics.wait(wait, 0, 0, 5); if (process.ppid !== parent) process.exit(); }';
  const child = spawn(process.execPath, ['-e', `const parent = process.ppid; ${spin}`], { stdio: 'ignore' });
  return { stop: async () => void child.kill('SIGKILL') };
}

export function reportChat({ cost, alone, steady, disturbed, backlog }: ChatFigures): string {
  const processor = ({ node, postgres }: MessageCost) =>
    `${(node + postgres).toFixed(1)} ms of processor (Node ${node.toFixed(1)}, PostgreSQL ${postgres.toFixed(1)})`;
  const statements = Object.entries(cost.calls).filter(([, calls]) => calls >= 0.05);
  const answers = ({ messages, p50, p99, lost }: Answers) =>
    `${messages} messages, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${lost} without an answer`;
  return [
    `a message with its answer   ${processor(cost)}, aim 8`,
    `statements                  ${statements.reduce((total, [, calls]) => total + calls, 0).toFixed(1)} (${statements.map(([role, calls]) => `${role} ${calls.toFixed(1)}`).join(', ')}), aim 25`,
    `WAL                         ${(cost.walBytes / 1000).toFixed(1)} kB`,
    `conversation-updated        ${cost.events.toFixed(2)}`,
    `a message a second          ${answers(alone)}; aim p50 40 ms`,
    `25 messages a second        ${answers(steady)}`,
    `with half a core less       ${answers(disturbed)}; aim p99 1000 ms`,
    `backlog                     ${backlog.messages} messages in ${backlog.seconds.toFixed(1)} s, ${backlog.perSecond.toFixed(0)} a second, ${backlog.lost} without an answer; aim 200; ${processor(backlog.cost)} each`,
  ].join('\n');
}
