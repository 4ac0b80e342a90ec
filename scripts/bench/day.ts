// `npm run bench -- --day`: the cost of a clinic's day, and the latency while the machine serves many clinics. Requests are sent at the instants of
// a schedule, whether or not earlier ones were answered, and latency counts from those instants.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type pg from 'pg';
import { newMessageId, textMessages } from '../chat-delivery.ts';
import { type Part as ProductPart, usageOf } from '../processes.ts';
import { median, percentile, sum } from '../statistics.ts';
import { SCRIPT } from './chat.ts';
import type { BenchProvider } from './chat-provider.ts';
import type { Topology } from './children.ts';
import { send, startConnectedProduct } from './connected-product.ts';
import { costOf, during, usePerMs, type Cost as WholeCost } from './counters.ts';
import type { Dataset } from './dataset.ts';
import { machine } from './machine.ts';
import { requestOf } from './requests.ts';
import { whileRunning } from './while-running.ts';
import { atRate, CLINICS, DRAIN_MS, KINDS, openRequests } from './writes.ts';

/** Requests and messages of one clinic in one day. */
export const DAY = { read: 2_000, message: 300, booking: 40, 'status change': 40, payment: 20, 'treatment plan': 5 } as const;
export type DayKind = keyof typeof DAY;
export const DAY_KINDS = Object.keys(DAY) as DayKind[];
export const PIECES = sum(Object.values(DAY));

const LOADS = [0.25, 0.5, 0.75] as const;

export type Cost = Pick<WholeCost, 'node' | 'postgres' | 'nats' | 'walBytes'>;
/** `databaseBytes`: growth of the database. */
export type KindCost = Cost & { databaseBytes: number };
export const PARTS = ['node', 'postgres', 'nats'] as const;
export type Part = (typeof PARTS)[number];
/** Milliseconds, by round. */
type Latencies = { p50: number[]; p99: number[] };
export type DayFigures = {
  date: string;
  topology: Topology;
  machine: ReturnType<typeof machine>;
  /** Cores in use without requests. */
  idle: { node: number; postgres: number; nats: number };
  costs: Record<DayKind, KindCost>;
  /** With IN_FLIGHT requests at a time, by round. Absent in results from before 2026-11-24. */
  inUse?: Record<DayKind, Cost[]>;
  /** Requests and messages a second of the mix. */
  saturation: number;
  loads: {
    share: number;
    rate: number;
    /** Cores in use, by round. */
    processor: Record<Part, number[]>;
    /** Maximum of each process of the product, in megabytes. */
    memoryMb: Record<string, number>;
    failures: number;
    latencies: Record<DayKind, Latencies>;
  }[];
};

type Send = Record<DayKind, (n: number, due: number) => Promise<number>>;

export const measureDay = (topology: Topology, quick: boolean, log: (line: string) => void): Promise<DayFigures> =>
  whileRunning((running) => measure(topology, quick, log, running));

async function measure(topology: Topology, quick: boolean, log: (line: string) => void, running: Stoppable[]): Promise<DayFigures> {
  log(`starting PostgreSQL, NATS and the product, ${topology}`);
  const connected = await startConnectedProduct(topology, CLINICS, running);
  await connected.connectNumbers();
  const { owner, counters, product } = connected;
  const [rounds, seconds, pieces] = quick ? [2, 5, 100] : [5, 15, 500];
  const sends = await prepareSends(connected, 50 * pieces);
  log('warm-up');
  for (const kind of DAY_KINDS) await atRate(20, 100, (n) => sends[kind](n, performance.now()));
  await sleep(DRAIN_MS);
  const idle = usePerMs(await during(counters, () => sleep(quick ? 5_000 : 30_000)));
  const costWhile = async (many: number, sending: () => Promise<void>): Promise<Cost> => {
    const work = await during(counters, async () => {
      await sending();
      await sleep(DRAIN_MS);
    });
    const { node, postgres, nats, walBytes } = costOf(work, idle, many);
    return { node, postgres, nats, walBytes };
  };
  const costs = {} as DayFigures['costs'];
  for (const kind of DAY_KINDS) {
    const many = kind === 'read' ? 10 * pieces : pieces;
    log(`${many} × ${kind}`);
    const before = await sizeOf(owner);
    const cost = await costWhile(many, () => atRate(kind === 'read' ? 200 : 20, many, (n) => sends[kind](n, performance.now())));
    costs[kind] = { ...cost, databaseBytes: ((await sizeOf(owner)) - before) / many };
  }
  const inUse = ofEachKind((): Cost[] => []);
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    await owner.query('analyze'); // as autovacuum does within minutes
    for (const kind of DAY_KINDS) {
      log(`in use: ${2 * pieces} × ${kind}`);
      inUse[kind].push(await costWhile(2 * pieces, () => atOnce(IN_FLIGHT[kind] ?? 20, 2 * pieces, (n) => sends[kind](n, performance.now()))));
    }
  }
  await atRate(20, 100, (n) => sends.booking(n, 0)); // appointments whose status the mix can change
  const saturation = await findSaturation(sends, estimate(costs), quick ? 5 : 15, log);
  const loads: DayFigures['loads'] = LOADS.map((share) => ({
    share,
    rate: share * saturation,
    processor: { node: [], postgres: [], nats: [] },
    memoryMb: {},
    failures: 0,
    latencies: ofEachKind((): Latencies => ({ p50: [], p99: [] })),
  }));
  for (let round = 0; round < rounds; round++) {
    for (const load of loads) {
      log(`round ${round + 1}: ${load.share * 100} % of saturation`);
      const watch = watchMemory(product.parts, load.memoryMb);
      const { result, before, after } = await during(counters, () => mix(sends, load.rate, seconds));
      clearInterval(watch);
      const used = usePerMs({ before, after });
      for (const part of PARTS) load.processor[part].push(used[part] * 1000);
      load.failures += result.failures;
      for (const kind of DAY_KINDS) {
        load.latencies[kind].p50.push(percentile(result.times[kind], 0.5));
        load.latencies[kind].p99.push(percentile(result.times[kind], 0.99));
      }
      await sleep(DRAIN_MS);
    }
  }
  const cores = { node: idle.node * 1000, postgres: idle.postgres * 1000, nats: idle.nats * 1000 };
  return { date: new Date().toISOString(), topology, machine: machine(), idle: cores, costs, inUse, saturation, loads };
}

/** More for messages, whose answer comes later than the response to the delivery. Default 20. */
export const IN_FLIGHT: { [Kind in DayKind]?: number } = { message: 200 };

/** Sends `pieces` requests, `inFlight` at any time. */
async function atOnce(inFlight: number, pieces: number, send: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < pieces) await send(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

const LOOK_MS = 250;

/** Records the maximum memory of each process in `most`, until the returned interval is cleared. */
function watchMemory(parts: ProductPart[], most: Record<string, number>): NodeJS.Timeout {
  return setInterval(() => {
    for (const [name, { memoryMb }] of usageOf(parts)) most[name] = Math.max(most[name] ?? 0, memoryMb);
  }, LOOK_MS);
}

const sizeOf = async (owner: pg.Pool) => Number((await owner.query<{ size: string }>('select pg_database_size(current_database()) as size')).rows[0]?.size);

/** Functions that send one request of each kind and resolve with the milliseconds since it was due. */
async function prepareSends({ data, product, provider, tokens }: Awaited<ReturnType<typeof startConnectedProduct>>, payments: number): Promise<Send> {
  const requests = openRequests(product.url, tokens, data);
  const [booking, change, payment, plan] = await Promise.all(KINDS.map((kind) => requests[kind](kind === 'payment' ? payments / 10 : 0)));
  const since = (work: ((n: number) => Promise<unknown>) | undefined) => async (n: number, due: number) => {
    await work?.(n);
    return performance.now() - due;
  };
  return {
    read: since((n) => read(product.url, data, tokens, n)),
    message: messages(provider),
    booking: since(booking),
    'status change': since(change),
    payment: since(payment),
    'treatment plan': since(plan),
  };
}

/** Appointments and free slots of days, in turn. */
function read(url: string, data: Dataset, tokens: string[], n: number): Promise<unknown> {
  const { path, headers } = requestOf({ data, operation: n % 2 === 0 ? 'list' : 'slots', tokens }, n) ?? {};
  return send(`${url}${path}`, { headers: headers as Record<string, string> });
}

const PHONES = 1_000;
const ANSWER_MS = 60_000;

/** Sends a message from one of many phones, each of which follows the script, and waits until the product has sent the answer. */
function messages(provider: BenchProvider): Send['message'] {
  const waiting = new Map<string, ((at: number) => void)[]>();
  provider.onSend = ({ phone, at }) => waiting.get(phone)?.shift()?.(at);
  let sent = 0;
  return async (_n, due) => {
    const n = sent++;
    const phone = String(50_360_000_000 + (n % PHONES) + PHONES * Math.floor(n / (PHONES * SCRIPT.length)));
    const answered = Promise.withResolvers<number>();
    waiting.set(phone, [...(waiting.get(phone) ?? []), answered.resolve]);
    const text = SCRIPT[Math.floor(n / PHONES) % SCRIPT.length] ?? '';
    await provider.deliver(`bench-${Number(phone) % CLINICS}`, textMessages([{ id: newMessageId(), phone, text }]));
    const at = await Promise.race([answered.promise, sleep(ANSWER_MS, undefined, { ref: false })]);
    if (at === undefined) throw new Error('a message was not answered');
    return at - due;
  };
}

const ofEachKind = <T>(make: () => T) => Object.fromEntries(DAY_KINDS.map((kind) => [kind, make()])) as Record<DayKind, T>;

/** Sends the mix of a day at a steady rate, with the kinds spread evenly. */
async function mix(sends: Send, rate: number, seconds: number) {
  const times = ofEachKind((): number[] => []);
  const owed = ofEachKind(() => 0);
  const begun = performance.now();
  let failures = 0;
  await atRate(rate, Math.round(rate * seconds), async (n) => {
    for (const kind of DAY_KINDS) owed[kind] += DAY[kind] / PIECES;
    const kind = DAY_KINDS.reduce((most, one) => (owed[one] > owed[most] ? one : most));
    owed[kind]--;
    try {
      times[kind].push(await sends[kind](n, begun + (n * 1000) / rate));
    } catch {
      failures++;
    }
  });
  return { times, failures };
}

/** The rate at which the requests would use all processors. */
function estimate(costs: DayFigures['costs']): number {
  const milliseconds = sum(DAY_KINDS.map((kind) => DAY[kind] * sum(PARTS.map((part) => costs[kind][part]))));
  return (availableParallelism() * 1000 * PIECES) / milliseconds;
}

const STEP = 1.25;
/** A longer median of reads means that requests queue. */
const LONGEST_MS = 100;

/** The highest rate at which requests are answered as fast as they are sent: the rate grows until requests queue. */
async function findSaturation(sends: Send, estimated: number, seconds: number, log: (line: string) => void): Promise<number> {
  for (let rate = estimated; ; rate *= STEP) {
    const { times, failures } = await mix(sends, rate, seconds);
    const waited = median(times.read);
    log(`offered ${rate.toFixed(0)} a second: a read took ${waited.toFixed(0)} ms, ${failures} failures`);
    await sleep(DRAIN_MS);
    if (waited > LONGEST_MS || failures > 0) return rate / STEP;
  }
}
