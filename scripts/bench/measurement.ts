// The whole measurement, from loading the data to the figures. Figures that are compared are measured at about the same time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { memoryOf, type Part, spent, usageOf } from '../processes.ts';
import { sum } from '../statistics.ts';
import { type Generator, type Server, startFloor, startGenerator, startProduct, type Topology } from './children.ts';
import { type Costs, measureCosts } from './costs.ts';
import { type Dataset, describe } from './dataset.ts';
import { loadDataset } from './load.ts';
import { machine } from './machine.ts';
import type { Options } from './options.ts';
import { explainAll, type Plan } from './plans.ts';
import { OPERATIONS, type Operation } from './requests.ts';
import { heapsOf, inTurn, ratio, type Side, type Summary } from './rounds.ts';
import { COUNT_STATEMENTS, countStatements, type StatementGrowth } from './statement-growth.ts';
import { openStores, type Store } from './stores.ts';
import { signTokens } from './tokens.ts';
import { push, whileRunning } from './while-running.ts';

export type Compared = {
  product: Summary;
  floor: Summary;
  /** Requests a second, as a share of those of the floor. */
  ratio: number;
  /** Processor time per request of the floor divided by that of the product, without the load generator. Varies less on a busy machine. */
  cpuRatio: number;
  /** The same for the floor of several processes; only for reads of seven processes. */
  hops?: { floor: Summary; ratio: number; cpuRatio: number };
};

export type Figures = {
  date: string;
  machine: ReturnType<typeof machine>;
  options: Options;
  /** After ten idle seconds, three in a quick run. */
  idle?: { memoryMb: number; heapMb: number };
  topologies: Partial<Record<Topology, Record<Operation, Compared>>>;
  /** The same with many rows and with few, one process. */
  growth?: Record<Operation, { large: Summary; small: Summary; p99Ratio: number }>;
  statementGrowth?: StatementGrowth;
  /** Microseconds of processor per request that the rate limiter adds. */
  limiterMicros?: number;
  costs: Costs;
  plans: Plan[];
};

const SMALL = 10_000;

export const measureAll = (options: Options, log: (line: string) => void): Promise<Figures> => whileRunning((running) => measureOn(options, log, running));

async function measureOn(options: Options, log: (line: string) => void, running: Stoppable[]): Promise<Figures> {
  const { pace, topologies } = options;
  const today = new Date().toISOString().slice(0, 10);
  const each = options.appointments / options.clinics;
  const large = describe({ clinics: options.clinics, appointments: options.appointments, today });
  const small = describe({ clinics: Math.max(1, Math.round(SMALL / each)), appointments: SMALL, today });

  log('starting PostgreSQL and NATS');
  const stores = await openStores(['large', 'small'], running, [COUNT_STATEMENTS]);
  const [largeStore, smallStore] = [stores.get('large') as Store, stores.get('small') as Store];
  await loadDataset(largeStore.ownerUrl, large);
  await loadDataset(smallStore.ownerUrl, small);

  const generator = await push(running, startGenerator());
  const floor = await push(running, startFloor('floor', largeStore.ownerUrl));
  const next = { read: 0, booking: 0 };
  const sideOf = async (server: Server, data: Dataset, store: Store, counters = next): Promise<Side> => ({
    server,
    size: data,
    tokens: await signTokens(store.env, data),
    stores: store.parts,
    next: counters,
  });
  const floorSide: Side = { server: floor, size: large, stores: largeStore.parts, next };
  const figures: Figures = { date: new Date().toISOString(), machine: machine(), options, topologies: {}, costs: {} as Costs, plans: [] };

  if (topologies.includes('single')) {
    log('starting the product in one process');
    const single = await push(running, startProduct('single', 'one process', largeStore.env));
    await sleep(options.quick ? 3_000 : 10_000);
    figures.idle = { memoryMb: memoryOf(single.parts[0]?.pids()[0] ?? 0), heapMb: (await heapsOf(single)).product ?? 0 };
    const side = await sideOf(single, large, largeStore);
    figures.topologies.single = await compare(generator, side, floorSide, options, log);
    figures.limiterMicros = await limiterCost(generator, side, largeStore, options, log);
    await single.stop();
    // Two new processes: one that has served the bookings above responds more slowly, with the same number of rows.
    const many = await push(running, startProduct('single', 'many rows', largeStore.env));
    const few = await push(running, startProduct('single', 'few rows', smallStore.env));
    const sides = [await sideOf(many, large, largeStore), await sideOf(few, small, smallStore, { read: 0, booking: 0 })] as const;
    const compareStatements = await countStatements(largeStore.ownerUrl, smallStore.ownerUrl);
    figures.growth = await compareSizes(generator, ...sides, options, log);
    figures.statementGrowth = await compareStatements();
    await few.stop();
    await many.stop();
  }
  if (topologies.includes('distributed')) {
    log('starting the product in seven processes');
    const distributed = await push(running, startProduct('distributed', 'seven processes', largeStore.env));
    const hops = await push(running, startFloor('hops', largeStore.ownerUrl, 'hops.ts'));
    figures.topologies.distributed = await compare(generator, await sideOf(distributed, large, largeStore), floorSide, options, log, {
      ...floorSide,
      server: hops,
    });
    await distributed.stop();
    await hops.stop();
  }
  log('measuring the cost of single steps');
  figures.costs = await measureCosts(largeStore.ownerUrl, large, largeStore.parts, { ...pace, seconds: pace.seconds / 2 });
  figures.plans = await explainAll(largeStore.ownerUrl, large);
  return figures;
}

async function compare(
  generator: Generator,
  side: Side,
  floor: Side,
  { pace }: Options,
  log: (line: string) => void,
  hops?: Side,
): Promise<Record<Operation, Compared>> {
  const against = (product: Summary, other: Summary) => ({
    floor: other,
    ratio: ratio(product, other, (round) => round.perSecond),
    cpuRatio: microsOf(other) / microsOf(product),
  });
  return eachOperation(async (operation) => {
    await settle([...side.server.parts, ...side.stores]);
    log(`${side.server.name}, in turn with the floor: ${operation}`);
    const sides = operation === 'book' || !hops ? [side, floor] : [side, floor, hops];
    const [product, below, withHops] = (await inTurn(generator, operation, sides, pace)) as [Summary, Summary, Summary | undefined];
    const compared: Compared = { product, ...against(product, below), ...(withHops && { hops: against(product, withHops) }) };
    log(`  ${compared.ratio.toFixed(2)} of the floor, ${compared.cpuRatio.toFixed(2)} by processor`);
    return compared;
  });
}

const SETTLED = 0.1;
const PATIENCE_S = 40;

/** Waits until events, reminders and sums of the bookings are processed, so that they do not slow down the next measurement. */
async function settle(parts: Part[]): Promise<void> {
  for (let seconds = 0; seconds < PATIENCE_S; seconds++) {
    const before = usageOf(parts);
    await sleep(1_000);
    if (sum(Object.values(spent(before, usageOf(parts)))) < SETTLED) return;
  }
}

/** Processor time per request, in microseconds, of all processes except the load generator. */
const microsOf = ({ cpuMicros }: Summary) => sum(Object.values(cpuMicros)) - (cpuMicros['load generator'] ?? 0);

/** Uses more rounds than the other comparisons, because the p99 of four seconds differs by half from one round to the next. */
async function compareSizes(generator: Generator, large: Side, small: Side, { pace }: Options, log: (line: string) => void) {
  const rounds = 2 * pace.rounds + 1;
  return eachOperation(async (operation) => {
    await settle([...large.server.parts, ...small.server.parts, ...large.stores]);
    log(`many rows, in turn with few: ${operation}`);
    const [many, few] = (await inTurn(generator, operation, [large, small], { ...pace, rounds })) as [Summary, Summary];
    return { large: many, small: few, p99Ratio: ratio(many, few, (round) => round.p99) };
  });
}

async function eachOperation<T>(work: (operation: Operation) => Promise<T>): Promise<Record<Operation, T>> {
  const results = {} as Record<Operation, T>;
  for (const operation of OPERATIONS) results[operation] = await work(operation);
  return results;
}

/** Alternates between the product without rate limits and with a limit that is never reached. */
async function limiterCost(generator: Generator, side: Side, store: Store, { pace }: Options, log: (line: string) => void): Promise<number> {
  log('with a rate limit, in turn with none: list');
  const limited = await startProduct('single', 'limited', { ...store.env, RATE_LIMIT_API: '999999999/999999' });
  try {
    await settle([...limited.parts, ...side.server.parts, ...side.stores]);
    const [on, off] = (await inTurn(generator, 'list', [{ ...side, server: limited }, side], pace)) as [Summary, Summary];
    return microsOf(on) - microsOf(off);
  } finally {
    await limited.stop();
  }
}
