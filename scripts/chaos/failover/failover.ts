// Kills the leader of the event stream and then the primary of PostgreSQL, whose standby takes over. Both happen under load, and no process of the
// product is restarted.
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../database.ts';
import { openWire } from '../../dev/wire.ts';
import { startBalancer } from '../balancer.ts';
import { type Ask, booking, makeClinic, reads } from '../clinic.ts';
import { addressOf, type Cluster, startCluster } from '../cluster.ts';
import { isBooked, isComplete, type Missing, missingEvents } from '../events.ts';
import { driveInTurn, failed, type Outcome, tally, untilAnswered } from '../traffic.ts';
import { startTrio, type Trio } from './nats-trio.ts';
import { type Pair, startPair } from './postgres-pair.ts';

const PER_SECOND = 15;
const BEFORE_MS = 4_000;
const LIMIT_SECONDS = 10;
/** A failover manager would probe the primary at this interval, and promote the standby after two failures. */
const PROBE_MS = 500;

type Failover = { what: string; outcomes: Outcome[]; recoverySeconds: number | undefined; missing: Missing };

export async function failOver({ dataDir, print }: { dataDir: string; print: (line: string) => void }): Promise<Failover[]> {
  let pair: Pair | undefined;
  let trio: Trio | undefined;
  let current = '';
  const cluster = await startCluster(dataDir, {
    twice: [],
    async stores(folder, running) {
      trio = await startTrio(folder);
      running.push(trio);
      pair = await startPair(folder);
      running.push(pair);
      current = pair.url;
      const address = trio.address;
      const [postgres, nats] = [await openWire(() => addressOf(current)), await openWire(() => address())];
      running.push(postgres, nats);
      return { ownerUrl: pair.url, natsUrlOf: trio.urlOf, postgres, nats, settings: { NATS_REPLICAS: '3' } };
    },
  });
  const balancer = await startBalancer(cluster.gateways);
  try {
    if (!pair || !trio) throw new Error('the stores were not started');
    const { killPrimary, promote, url, standbyUrl } = pair;
    const { killLeader, repair } = trio;
    const under = { cluster, url: balancer.url, database: () => current };
    const leader = await measure('the leader of the event stream', under, async () => {
      print(`killed ${await killLeader()}, the leader of the event stream`);
    });
    await repair();
    const primary = await measure('the primary of PostgreSQL', under, async () => {
      await killPrimary();
      while (await answers(url)) await sleep(PROBE_MS);
      await sleep(PROBE_MS);
      await promote();
      current = standbyUrl;
      print('killed the primary of PostgreSQL, and promoted the standby');
    });
    return [leader, primary];
  } finally {
    await balancer.stop();
    await cluster.stop();
  }
}

type Under = { cluster: Cluster; url: string; database: () => string };

/** Runs `kill` under load. It resolves when the killed server has a successor. */
async function measure(what: string, { cluster, url, database }: Under, kill: () => Promise<void>): Promise<Failover> {
  const clinic = await makeClinic(url, cluster.operatorKey);
  const kinds: (() => Ask)[] = [...reads(clinic).map((ask) => () => ask), () => booking(clinic), () => booking(clinic), () => booking(clinic)];
  const traffic = driveInTurn(url, PER_SECOND, kinds);
  await sleep(BEFORE_MS);
  const killed = performance.now();
  await kill();
  const recoverySeconds = await untilAnswered(url, kinds, killed);
  await sleep(BEFORE_MS);
  await traffic.stop();
  return { what, outcomes: traffic.outcomes, recoverySeconds, missing: await missingEvents(database(), traffic.outcomes, 60_000) };
}

const answers = (url: string) =>
  query(url, 'select', [], { connectionTimeoutMillis: 500 }).then(
    () => true,
    () => false,
  );

export function reportFailover(all: Failover[]): { lines: string[]; passed: boolean } {
  const row = ({ what, outcomes, recoverySeconds, missing }: Failover) => {
    const slowest = Math.max(...outcomes.map(({ ms }) => ms)) / 1_000;
    const booked = outcomes.filter(isBooked).length;
    return `| ${what} | ${recoverySeconds?.toFixed(1) ?? 'more than 60'} | ${outcomes.length} | ${tally(outcomes.filter(failed)) || 'none'} | ${slowest.toFixed(1)} | ${booked} | ${isComplete(missing) ? 'none' : JSON.stringify(missing)} |`;
  };
  return {
    lines: ['| killed | back after (s) | requests | failed | slowest (s) | acknowledged bookings | lost |', '|---|---|---|---|---|---|---|', ...all.map(row)],
    passed: all.every(({ recoverySeconds = Number.POSITIVE_INFINITY, missing }) => recoverySeconds <= LIMIT_SECONDS && isComplete(missing)),
  };
}
