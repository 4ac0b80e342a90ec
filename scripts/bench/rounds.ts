// Alternates the measurements, A B A B, so that a change in the speed of the machine affects all of them.

import { type Part, spent, usageOf } from '../processes.ts';
import { median, sum } from '../statistics.ts';
import type { Generator, Server } from './children.ts';
import type { Size } from './dataset.ts';
import type { Round } from './generator.ts';
import type { Operation } from './requests.ts';

export type Pace = { inFlight: number; seconds: number; rounds: number };

/** A server with the data behind it. */
export type Side = {
  server: Server;
  size: Size;
  /** None for the floor. */
  tokens?: string[];
  /** Only for Directus. */
  adminToken?: string;
  stores: Part[];
  /** The numbers of the next read and the next booking, shared by all sides that use one database. */
  next: { read: number; booking: number };
};

export type Summary = {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Sum of all rounds, by process. */
  cpuSeconds: Record<string, number>;
  /** Microseconds of processor per request, by process. */
  cpuMicros: Record<string, number>;
  memoryMb: Record<string, number>;
  heapMb: Record<string, number>;
  requests: number;
  rounds: Round[];
};

type Measured = { round: Round; cpu: Record<string, number> };

/** Measures every side in each round, after a warm-up of each. The summaries are medians over the rounds. */
export async function inTurn(generator: Generator, operation: Operation, sides: Side[], pace: Pace): Promise<Summary[]> {
  const measured: Measured[][] = sides.map(() => []);
  for (const side of sides) await warmUp(generator, operation, side, pace);
  for (let round = 0; round < pace.rounds; round++) {
    for (const [index, side] of sides.entries()) measured[index]?.push(await measure(generator, operation, side, pace));
  }
  return Promise.all(sides.map((side, index) => summarise(measured[index] ?? [], side, generator)));
}

const WARM = 10_000;
const warmed = new WeakMap<Server, number>();

/** Sends some thousand requests to the server before the comparison, so that its code is compiled. */
async function warmUp(generator: Generator, operation: Operation, side: Side, pace: Pace): Promise<void> {
  const seconds = Math.max(1, pace.seconds / 2);
  for (let tries = 0; tries < 4 && (tries === 0 || (warmed.get(side.server) ?? 0) < WARM); tries++) {
    const { round } = await measure(generator, operation, side, { ...pace, seconds });
    warmed.set(side.server, (warmed.get(side.server) ?? 0) + round.requests);
  }
}

async function measure(generator: Generator, operation: Operation, side: Side, { inFlight, seconds }: Pace): Promise<Measured> {
  const { server, size, tokens, adminToken, stores, next } = side;
  const kind = operation === 'book' ? 'booking' : 'read';
  const parts = [...server.parts, ...stores, generator.part];
  const before = usageOf(parts);
  const round = await generator.drive({ url: server.url, size, operation, tokens, adminToken, from: next[kind], inFlight, seconds });
  next[kind] = round.next;
  return { round, cpu: spent(before, usageOf(parts)) };
}

async function summarise(measured: Measured[], { server, stores }: Side, generator: Generator): Promise<Summary> {
  const rounds = measured.map(({ round }) => round);
  const requests = sum(rounds.map((round) => round.requests));
  const names = Object.keys(measured[0]?.cpu ?? {});
  const cpuSeconds = Object.fromEntries(names.map((name) => [name, sum(measured.map(({ cpu }) => cpu[name] ?? 0))]));
  return {
    perSecond: median(rounds.map((round) => round.perSecond)),
    p50: median(rounds.map((round) => round.p50)),
    p99: median(rounds.map((round) => round.p99)),
    cpuSeconds,
    cpuMicros: Object.fromEntries(names.map((name) => [name, ((cpuSeconds[name] ?? 0) / requests) * 1e6])),
    memoryMb: Object.fromEntries([...usageOf([...server.parts, ...stores, generator.part])].map(([name, { memoryMb }]) => [name, memoryMb])),
    heapMb: await heapsOf(server),
    requests,
    rounds,
  };
}

/** Megabytes of JavaScript heap in use, by process. */
export async function heapsOf({ metrics }: Server): Promise<Record<string, number>> {
  const heaps = await Promise.all(
    [...metrics].map(async ([name, url]) => {
      const text = await (await fetch(url)).text();
      return [name, Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1] ?? 0) / 1024 / 1024] as const;
    }),
  );
  return Object.fromEntries(heaps);
}

/** The median over the rounds of the ratio of a figure of `a` to that of `b`. */
export function ratio(a: Summary, b: Summary, figure: (round: Round) => number): number {
  return median(a.rounds.map((round, index) => figure(round) / figure(b.rounds[index] ?? round)));
}
