// Makes each dependency unavailable for some time, one after another, and measures the responses during that time and the time to recover.
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../database.ts';
import { SERVICES } from '../schemas.ts';
import { startBalancer } from './balancer.ts';
import { type Ask, booking, type Clinic, chatMessage, makeClinic, reads, signIn } from './clinic.ts';
import type { Cluster } from './cluster.ts';
import { isComplete, type Missing, missingEvents } from './events.ts';
import { driveInTurn, failed, type Outcome, tally, untilAnswered } from './traffic.ts';

export const DEPENDENCIES = ['postgres', 'nats', ...SERVICES, 'provider'];

export type Outage = {
  what: string;
  meanwhile: Outcome[];
  /** The time until every kind of request succeeds again; undefined when that is more than a minute. */
  recoverySeconds: number | undefined;
  missing: Missing;
  /** Messages to patients that were not sent two minutes later, and the time until the last one was sent. */
  unsent: number;
  sentSeconds: number;
};

const PER_SECOND = 10;
const TIMEOUT_MS = 60_000;
const MESSAGE_TIMEOUT_MS = 120_000; // failed deliveries are retried at growing intervals

type Options = { seconds: number; only?: string[] | undefined; print: (line: string) => void };

/** Makes the dependencies in `only`, or all, unavailable one after another for `seconds` each. */
export async function makeUnavailable(cluster: Cluster, { seconds, only, print }: Options): Promise<Outage[]> {
  const balancer = await startBalancer(cluster.gateways);
  try {
    const clinic = await makeClinic(balancer.url, cluster.operatorKey);
    const outages: Outage[] = [];
    for (const what of DEPENDENCIES.filter((name) => !only || only.includes(name))) {
      print(`${what} is unavailable for ${seconds} s`);
      const outage = await measureOutage(cluster, balancer.url, clinic, what, seconds);
      for (const line of describe(outage)) print(line);
      outages.push(outage);
    }
    return outages;
  } finally {
    await balancer.stop();
  }
}

async function measureOutage(cluster: Cluster, url: string, clinic: Clinic, what: string, seconds: number): Promise<Outage> {
  let messages = 0;
  const kinds: (() => Ask)[] = [
    ...reads(clinic).map((ask) => () => ask),
    () => booking(clinic),
    () => signIn(clinic),
    () => chatMessage(clinic, cluster.appSecret, { from: `5037${2_000_000 + messages++}`, text: 'Hola' }),
  ];
  const restore = await interrupt(cluster, what);
  const traffic = driveInTurn(url, PER_SECOND, kinds);
  await sleep(seconds * 1_000);
  await restore();
  const recoverySeconds = await untilAnswered(url, kinds, performance.now());
  await traffic.stop();
  const meanwhile = traffic.outcomes.filter(({ at }) => at < seconds * 1_000);
  const missing = await missingEvents(cluster.ownerUrl, traffic.outcomes, TIMEOUT_MS);
  const sending = performance.now();
  const unsent = await unsentMessages(cluster.ownerUrl);
  return { what, meanwhile, recoverySeconds, missing, unsent, sentSeconds: (performance.now() - sending) / 1_000 };
}

/** Makes a dependency unavailable, and returns a function that makes it available again. */
async function interrupt(cluster: Cluster, what: string): Promise<() => Promise<unknown>> {
  if (what === 'postgres' || what === 'nats' || what === 'provider') {
    const wire = cluster[what];
    wire.cut();
    return async () => wire.restore();
  }
  const copies = cluster.processes.filter(({ service }) => service === what);
  await Promise.all(copies.map((one) => one.end()));
  return () => Promise.all(copies.map((one) => one.start()));
}

async function unsentMessages(ownerUrl: string): Promise<number> {
  return withClient(ownerUrl, async (client) => {
    const deadline = performance.now() + MESSAGE_TIMEOUT_MS;
    for (;;) {
      const unanswered = `select (select count(*) from messaging.turns) + (select count(*) from messaging.messages where direction = 'out' and status = 'queued') as n`;
      const unsent = Number((await client.query<{ n: string }>(unanswered)).rows[0]?.n ?? 0);
      if (unsent === 0 || performance.now() > deadline) return unsent;
      await sleep(250);
    }
  });
}

function describe({ what, meanwhile, recoverySeconds, missing, unsent, sentSeconds }: Outage): string[] {
  return [
    `${what}: recovered after ${recoverySeconds?.toFixed(1) ?? 'more than 60'} s; missing events: ${isComplete(missing) ? 'none' : JSON.stringify(missing)}; unsent messages: ${unsent || `none after ${sentSeconds.toFixed(0)} s`}`,
    ...[...Map.groupBy(meanwhile, ({ kind }) => kind)].map(([kind, outcomes]) => {
      const slowest = Math.max(...outcomes.map(({ ms }) => ms));
      const refused = outcomes.find(failed);
      return `  ${kind.padEnd(16)} ${tally(outcomes)}; slowest ${(slowest / 1_000).toFixed(1)} s${refused ? `; ${refused.body.slice(0, 120)}` : ''}`;
    }),
  ];
}

/** Whether everything recovered without help. */
export const hasRecovered = (outages: Outage[]) =>
  outages.every(({ recoverySeconds, missing, unsent }) => recoverySeconds !== undefined && isComplete(missing) && unsent === 0);
