// A rolling restart of every process, one after another, under load, as in an upgrade.
import { setTimeout as sleep } from 'node:timers/promises';
import { startBalancer } from './balancer.ts';
import { type Ask, booking, makeClinic, reads } from './clinic.ts';
import type { Cluster } from './cluster.ts';
import { isComplete, type Missing, missingEvents } from './events.ts';
import { drive, failed, type Outcome, tally } from './traffic.ts';

export type Restart = { name: string; code: number | null; endSeconds: number; startSeconds: number };
export type Rolled = { restarts: Restart[]; outcomes: Outcome[]; failures: Outcome[]; missing: Missing; seconds: number };

/**
 * Pause between two restarts, like an orchestrator's `minReadySeconds`: a client that lost a connection reconnects after up to
 * 2.4 s, and until then it uses only the other copy.
 */
const SETTLE_MS = 3_000;

/** Restarts the cluster's processes under load: those of the services in `only`, by default all, with the code of `tree`, by default this one. */
export async function rollingRestart(
  cluster: Cluster,
  options: { perSecond: number; only?: string[] | undefined; tree?: string; say: (line: string) => void },
): Promise<Rolled> {
  const { perSecond, only, tree, say } = options;
  const balancer = await startBalancer(cluster.gateways);
  try {
    const clinic = await makeClinic(balancer.url, cluster.operatorKey);
    const desk = reads(clinic).filter(({ headers }) => 'authorization' in headers);
    // Nine reads for each booking.
    const traffic = drive(balancer.url, perSecond, (turn) => (turn % 10 === 9 ? booking(clinic) : (desk[turn % desk.length] as Ask)));
    await sleep(2_000);
    const restarts: Restart[] = [];
    const started = performance.now();
    for (const one of cluster.processes.filter(({ service }) => !only || only.includes(service))) {
      const { code, seconds } = await one.end();
      const asked = performance.now();
      await one.start(tree);
      restarts.push({ name: one.name, code, endSeconds: seconds, startSeconds: (performance.now() - asked) / 1_000 });
      say(`${one.name}: ended with code ${code} after ${seconds.toFixed(1)} s, ready again after ${restarts.at(-1)?.startSeconds.toFixed(1)} s`);
      await sleep(SETTLE_MS);
    }
    await traffic.stop();
    const ids = traffic.outcomes.filter(({ kind, status }) => kind === 'booking' && status === 201).map(({ body }) => JSON.parse(body).id as string);
    const missing = await missingEvents(cluster.ownerUrl, ids, 30_000);
    const seconds = (performance.now() - started) / 1_000;
    return { restarts, outcomes: traffic.outcomes, failures: traffic.outcomes.filter((one) => failed(one) || one.status >= 400), missing, seconds };
  } finally {
    await balancer.stop();
  }
}

/** The report as lines, and whether no request failed and no event was lost. */
export function reportRolling({ restarts, outcomes, failures, missing, seconds }: Rolled): { lines: string[]; passed: boolean } {
  const latencies = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const quantile = (q: number) => `${(latencies[Math.floor(latencies.length * q)] ?? 0).toFixed(0)} ms`;
  const slowest = Math.max(...restarts.map(({ endSeconds }) => endSeconds));
  const lines = [
    `${restarts.length} restarts in ${seconds.toFixed(0)} s, ${outcomes.length} requests: ${tally(outcomes)}`,
    `p50 ${quantile(0.5)}, p99 ${quantile(0.99)}, slowest ${quantile(1 - 1 / latencies.length)}; the slowest stop took ${slowest.toFixed(1)} s`,
    `failed: ${failures.length}; missing events: ${JSON.stringify(missing)}`,
    ...[...Map.groupBy(failures, ({ kind, status, body }) => `${kind}: ${status} ${body.slice(0, 200)}`)].map(
      ([what, all]) =>
        `  ${what} ×${all.length}, first at ${((all[0]?.at ?? 0) / 1_000).toFixed(1)} s, last at ${((all.at(-1)?.at ?? 0) / 1_000).toFixed(1)} s`,
    ),
  ];
  const clean = restarts.every(({ code, endSeconds }) => code === 0 && endSeconds < 25);
  return { lines, passed: failures.length === 0 && isComplete(missing) && clean };
}
