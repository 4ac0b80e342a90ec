// `npm run bench -- --chat`: what a message of a patient costs with its answer, how long the answer takes, and how fast a backlog is
// answered. One process, a bot with all features, a provider on loopback that reports each message as sent and delivered.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { newMessageId, textMessages } from '../chat-delivery.ts';
import { percentile } from '../statistics.ts';
import type { BenchProvider } from './chat-provider.ts';
import { startConnectedProduct } from './connected-product.ts';
import { type Cost, costOf, during, usePerMs } from './counters.ts';
import { whileRunning } from './while-running.ts';

/** Enough clinics that the provider's limit of 80 messages a second for one number does not limit the product. */
const CLINICS = 20;
/** The messages of each phone, in this order, one every two seconds. */
export const SCRIPT = ['Hola', 'quiero una cita', 'mañana', 'mis citas', '¿dónde están?'];
const PAUSE_SECONDS = 2;
const PATIENCE_MS = 300_000;

/** Of one message with its answer; processor time in milliseconds. */
type MessageCost = Cost & { events: number };
export type Answers = { messages: number; p50: number; p99: number; lost: number };
type ChatFigures = {
  date: string;
  cost: MessageCost;
  /** One message a second. */
  alone: Answers;
  steady: Answers;
  /** While another process uses half a core. */
  disturbed: Answers;
  backlog: { messages: number; seconds: number; perSecond: number; lost: number; cost: Cost };
};

export function measureChat(quick: boolean, log: (line: string) => void): Promise<ChatFigures> {
  return whileRunning(async (running) => {
    const { load, counters, countEvents } = await prepare(running, log);
    await load.steady(5, 10); // warm-up
    await sleep(3_000);
    log('one message a second');
    const alone = await load.steady(1, quick ? 10 : 30);
    log('idle');
    const idle = usePerMs(await during(counters, () => sleep(5_000)));
    log('25 messages a second');
    const eventsBefore = await countEvents();
    const work = await during(counters, async () => {
      const answers = await load.steady(25, quick ? 10 : 30);
      await sleep(2_000); // statuses and events of the last answers
      return answers;
    });
    const steady = work.result;
    const cost = { ...costOf(work, idle, steady.messages), events: ((await countEvents()) - eventsBefore) / steady.messages };
    log('25 messages a second with half a core less');
    const disturbance = useHalfACore();
    const disturbed = await load.steady(25, quick ? 10 : 30);
    await disturbance.stop();
    log('a backlog');
    const answering = await during(counters, () => load.backlog(quick ? 400 : 4_000));
    const backlog = { ...answering.result, cost: costOf(answering, idle, answering.result.messages) };
    return { date: new Date().toISOString(), cost, alone, steady, disturbed, backlog };
  });
}

async function prepare(running: Stoppable[], log: (line: string) => void) {
  log('starting PostgreSQL, NATS and the product');
  const { owner, provider, counters, connectNumbers } = await startConnectedProduct('single', CLINICS, running);
  await connectNumbers();
  return { load: createLoad(provider), counters, countEvents: async () => (await owner.query<{ events: number }>(EVENTS)).rows[0]?.events ?? 0 };
}

const EVENTS = `select count(*)::int as events from messaging.outbox where subject like '%.conversation-updated'`;

function createLoad(provider: BenchProvider) {
  let phones = 0;
  const newPhone = () => String(50_360_000_000 + phones++);
  const numberOf = (phone: string) => `bench-${Number(phone) % CLINICS}`;
  /** Times at which messages were sent, by phone, until they are answered. */
  let open = new Map<string, number[]>();
  let times: number[] = [];
  provider.onSend = ({ phone, at }) => {
    const sentAt = open.get(phone)?.shift();
    if (sentAt !== undefined) times.push(at - sentAt);
  };
  const reset = () => {
    open = new Map();
    times = [];
  };
  function newMessage(phone: string, text: string) {
    open.set(phone, [...(open.get(phone) ?? []), performance.now()]);
    return { id: newMessageId(), phone, text };
  }
  async function answered(messages: number): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    for (let seen = times.length, idle = 0; times.length < messages && performance.now() < until && idle < 300; await sleep(100)) {
      idle = times.length === seen ? idle + 1 : 0;
      seen = times.length;
    }
  }
  return {
    /** A steady rate: each phone follows the script. */
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
        void provider.deliver(numberOf(phone), textMessages([newMessage(phone, SCRIPT[Math.floor(n / many) % SCRIPT.length] ?? '')]));
      }
      await answered(total);
      return { messages: total, p50: percentile(times, 0.5), p99: percentile(times, 0.99), lost: total - times.length };
    },
    /** One message from each of as many phones, delivered at once. */
    async backlog(messages: number) {
      reset();
      const all = Array.from({ length: messages }, newPhone);
      const byNumber = Map.groupBy(all, numberOf);
      await Promise.all(
        [...byNumber].flatMap(([number, own]) =>
          chunks(own, 50).map((some) =>
            provider.deliver(number, textMessages(some.map((phone) => newMessage(phone, SCRIPT[Number(phone) % SCRIPT.length] ?? '')))),
          ),
        ),
      );
      await answered(messages);
      const seconds = Math.max(...times) / 1000;
      return { messages, seconds, perSecond: times.length / seconds, lost: messages - times.length };
    },
  };
}

const chunks = <T>(list: T[], size: number) => Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));

/** Starts a process that uses half a core. */
function useHalfACore(): Stoppable {
  const spin =
    'const wait = new Int32Array(new SharedArrayBuffer(4)); for (;;) { const end = performance.now() + 5; while (performance.now() < end); Atomics.wait(wait, 0, 0, 5); if (process.ppid !== parent) process.exit(); }';
  const child = spawn(process.execPath, ['-e', `const parent = process.ppid; ${spin}`], { stdio: 'ignore' });
  return { stop: async () => void child.kill('SIGKILL') };
}

export function reportChat({ cost, alone, steady, disturbed, backlog }: ChatFigures): string {
  const processor = ({ node, postgres }: Cost) =>
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
