// A rolling restart of every process under load, as in an upgrade.
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../statistics.ts';
import { startBalancer } from './balancer.ts';
import { type Ask, booking, type Clinic, makeClinic, reads } from './clinic.ts';
import type { Cluster } from './cluster.ts';
import { isComplete, type Missing, missingEvents } from './events.ts';
import { drive, failed, type Outcome, tally } from './traffic.ts';

export type Restart = { name: string; code: number | null; endSeconds: number; startSeconds: number };
export type Rolled = { restarts: Restart[]; outcomes: Outcome[]; failures: Outcome[]; missing: Missing; seconds: number };

/**
 * Pause between two restarts, like an orchestrator's `minReadySeconds`. A client that lost a connection reconnects after up to 2.4 s, or later on a
 * busy machine, and until then uses only the other copy.
 */
const SETTLE_MS = 5_000;

/** How long the load runs before the first restart. */
const WARM_UP_MS = 5_000;

/** The next request of a clinic. */
export type Asks = (clinic: Clinic, turn: number) => Ask;

/** Nine reads for each booking. */
const deskWork: Asks = (clinic, turn) => {
  const desk = reads(clinic).filter(({ headers }) => 'authorization' in headers);
  return turn % 10 === 9 ? booking(clinic) : (desk[turn % desk.length] as Ask);
};

/** Runs `work`, which restarts processes, under load. Throws when the machine cannot sustain the load even before a restart. */
export async function underLoad(
  cluster: Cluster,
  { perSecond, asks = deskWork }: { perSecond: number; asks?: Asks | undefined },
  work: (clinic: Clinic, url: string) => Promise<Restart[]>,
): Promise<Rolled> {
  const balancer = await startBalancer(cluster.gateways);
  try {
    const clinic = await makeClinic(balancer.url, cluster.operatorKey);
    const traffic = drive(balancer.url, perSecond, (turn) => asks(clinic, turn));
    try {
      await sleep(WARM_UP_MS);
      const answered = traffic.outcomes.filter((one) => !refused(one)).length;
      if (answered < (0.5 * perSecond * WARM_UP_MS) / 1_000 || traffic.outcomes.some(refused))
        throw new Error(
          `This machine cannot sustain ${perSecond} requests per second: before the first restart, ${answered} succeeded in ${WARM_UP_MS / 1_000} s. Use a lower --rate.`,
        );
      const started = performance.now();
      const restarts = await work(clinic, balancer.url);
      const seconds = (performance.now() - started) / 1_000;
      await traffic.stop();
      const missing = await missingEvents(cluster.ownerUrl, traffic.outcomes, 30_000);
      return { restarts, outcomes: traffic.outcomes, failures: traffic.outcomes.filter(refused), missing, seconds };
    } finally {
      await traffic.stop();
    }
  } finally {
    await balancer.stop();
  }
}

const refused = (one: Outcome) => failed(one) || one.status >= 400;

type RestartOptions = { only?: string[] | undefined; tree?: string; print: (line: string) => void };

/** Restarts the cluster's processes one after another with the code of `tree`. `only` limits them to some services. */
export async function restartAll(cluster: Cluster, { only, tree, print }: RestartOptions): Promise<Restart[]> {
  const restarts: Restart[] = [];
  for (const one of cluster.processes.filter(({ service }) => !only || only.includes(service))) {
    const { code, seconds } = await one.end();
    const started = performance.now();
    await one.start(tree);
    const startSeconds = (performance.now() - started) / 1_000;
    restarts.push({ name: one.name, code, endSeconds: seconds, startSeconds });
    print(`${one.name}: ended with code ${code} after ${seconds.toFixed(1)} s, ready again after ${startSeconds.toFixed(1)} s`);
    await sleep(SETTLE_MS);
  }
  return restarts;
}

export const rollingRestart = (cluster: Cluster, { perSecond, ...options }: RestartOptions & { perSecond: number }) =>
  underLoad(cluster, { perSecond }, () => restartAll(cluster, options));

/** The report as lines, and whether no request failed and no event was lost. */
export function reportRolling({ restarts, outcomes, failures, missing, seconds }: Rolled): { lines: string[]; passed: boolean } {
  const latencies = outcomes.map(({ ms }) => ms);
  const quantile = (share: number) => `${percentile(latencies, share).toFixed(0)} ms`;
  const slowest = Math.max(...restarts.map(({ endSeconds }) => endSeconds));
  const lines = [
    `${restarts.length} restarts in ${seconds.toFixed(0)} s, ${outcomes.length} requests: ${tally(outcomes)}`,
    `p50 ${quantile(0.5)}, p99 ${quantile(0.99)}, slowest ${quantile(1)}; the slowest stop took ${slowest.toFixed(1)} s`,
    `failed: ${failures.length}; missing events: ${JSON.stringify(missing)}`,
    ...[...Map.groupBy(failures, ({ kind, status, body }) => `${kind}: ${status} ${body.slice(0, 200)}`)].map(
      ([what, all]) =>
        `  ${what} ×${all.length}, first at ${((all[0]?.at ?? 0) / 1_000).toFixed(1)} s, last at ${((all.at(-1)?.at ?? 0) / 1_000).toFixed(1)} s`,
    ),
  ];
  const clean = restarts.every(({ code, endSeconds }) => code === 0 && endSeconds < 25);
  return { lines, passed: failures.length === 0 && isComplete(missing) && clean };
}
