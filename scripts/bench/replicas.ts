// `node scripts/bench/replicas.ts [seconds]`: one gateway and one scheduling process against two of each, in requests a second
// (docs/scaling.md). Every process on this machine, so that what two of them bring is bounded by its processors.
import { availableParallelism } from 'node:os';
import autocannon from 'autocannon';
import { type Clinic, makeClinic, reads } from '../chaos/clinic.ts';
import { type Cluster, startCluster } from '../chaos/cluster.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { sum } from './statistics.ts';

const SETUPS = [[], ['gateway'], ['scheduling'], ['gateway', 'scheduling']];
const KINDS = ['appointments', 'slots'];
const IN_FLIGHT = 40;
const seconds = Number(process.argv[2] ?? 5);

console.log(`${availableParallelism()} processors, ${IN_FLIGHT} in flight, ${seconds} s each`);
for (const twice of SETUPS) {
  const cluster = await startCluster(tempFolder('replicas'), twice);
  try {
    const clinic = await makeClinic(`http://127.0.0.1:${cluster.gateways[0]?.port}`, cluster.operatorKey);
    for (const kind of KINDS) await measure(cluster, clinic, kind, 2 * seconds); // code that is not compiled yet tells nothing
    const figures = [];
    for (const kind of KINDS) figures.push(`${kind} ${Math.round(await measure(cluster, clinic, kind, seconds)).toLocaleString('en')}/s`);
    console.log(`${(twice.length > 0 ? `two of ${twice.join(' and ')}` : 'one of each').padEnd(32)} ${figures.join(', ')}`);
  } finally {
    await cluster.stop();
  }
}

/** Requests a second that were answered with 200, all gateways at once, without a balancer in front. */
async function measure({ gateways }: Cluster, clinic: Clinic, kind: string, duration: number): Promise<number> {
  const ask = reads(clinic).find((one) => one.kind === kind);
  if (!ask) throw new Error(`there is no ${kind}`);
  const runs = gateways.map(({ port }) =>
    autocannon({ url: `http://127.0.0.1:${port}${ask.path}`, headers: ask.headers, connections: IN_FLIGHT / gateways.length, duration }),
  );
  const results = await Promise.all(runs);
  for (const { non2xx, errors } of results) if (non2xx + errors > 0) throw new Error(`${kind}: ${non2xx} refused, ${errors} without an answer`);
  return sum(results.map((result) => result['2xx'])) / duration;
}
