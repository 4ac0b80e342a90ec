// `npm run chaos`: injects faults into a separate installation under load and reports the responses that clients received.
import { spawnSync } from 'node:child_process';
import type { ParseArgsConfig } from 'node:util';
import { inTempFolder, sweepTempFolders } from '../dev/temp-folder.ts';
import { helpOn, listOf, misused, parseOptions, wholeNumber } from '../help.ts';
import { PROJECT, SERVICES } from '../schemas.ts';
import { reportCampaign, runCampaign } from './campaign/campaign.ts';
import { FAULTS } from './campaign/faults.ts';
import type { Topology } from './campaign/installation.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { failOver, reportFailover } from './failover/failover.ts';
import { measureMemory, reportMemory } from './memory.ts';
import { reportRolling, rollingRestart } from './rolling.ts';
import { rotateKeys } from './rotation.ts';
import { DEPENDENCIES, hasRecovered, makeUnavailable } from './unavailable.ts';
import { measureWebhooks, reportWebhooks } from './webhooks.ts';

const USAGE = `Usage: npm run chaos -- rolling [--rate 100] [--only gateway,identity]
       npm run chaos -- unavailable [--seconds 60] [--only postgres,nats,identity]
       npm run chaos -- rotation [--rate 100]
       npm run chaos -- failover
       npm run chaos -- campaign [--cycles 20] [--seed 1] [--topology distributed] [--only kill,freeze]
       npm run chaos -- webhooks [--topology distributed]
       npm run chaos -- memory [--minutes 30] [--topology distributed]
       npm run chaos -- model [--seeds 1-1000]

The first four start their own PostgreSQL and NATS. Of these, all but failover start two copies of each process, with the gateways behind a load balancer
that polls /readyz. LOG_LEVEL=warn prints the logs of the processes. --rate is the number of requests per second. All end with 1 when a
condition is violated.

rolling      restarts every process, or those of the services in --only, one after another under load. No request may fail and no event may
             be lost.
unavailable  makes each of ${DEPENDENCIES.join(', ')}
             (or those in --only) unavailable for --seconds, and reports the responses during that time and the time to recover.
rotation     appends new keys, moves them to the front, encrypts all values again and removes the old keys, with a rolling restart after each
             change of the keys. No request may fail.
failover     starts three nats-servers, and a primary of PostgreSQL with a synchronous standby. Kills the leader of the event stream, then the
             primary, and promotes the standby. No acknowledged booking may be lost, and all requests must succeed again within 10 seconds.
campaign     starts the product as npm start (--topology single) or npm run start:distributed does. Each cycle sends mixed requests to a new
             clinic, causes one fault, and then checks the invariants. The seed of a cycle decides its requests and its fault: repeat a cycle
             with --cycles 1 --seed <its seed>. Faults: ${FAULTS.join(', ')}.
webhooks     delivers each webhook ten times, concurrently and out of order, while NATS, the chat provider, the services that process them, or
             PostgreSQL is unavailable. Each webhook must have its effect once. It must be acknowledged within 100 ms (p99) unless PostgreSQL is
             unavailable, and every chat delivery must be answered within 500 ms.
memory       sends the same requests steadily for --minutes, without faults. After the first third of the time no process may grow by more than
             a tenth.
model        runs random histories of a clinic with the real handlers. The seed decides the times, the order of events and the failures.`;

const text = (value?: string) => ({ type: 'string' as const, ...(value !== undefined && { default: value }) });
const RATE = { rate: text('100') };
const ONLY = { only: text() };
const TOPOLOGY = { topology: text('distributed') };

type Values = Record<string, string | undefined>;
/** `prepare` checks the values of the options and returns the work, which resolves with whether all conditions were met. */
type Command = { options: NonNullable<ParseArgsConfig['options']>; prepare(values: Values): () => Promise<boolean> };

const COMMANDS: Record<string, Command> = {
  rolling: {
    options: { ...RATE, ...ONLY },
    prepare({ rate, only }) {
      const options = { perSecond: perSecond(rate), only: listOf('--only', only, [...SERVICES, 'gateway'], USAGE), print };
      return () => withCluster(async (cluster) => report(reportRolling(await rollingRestart(cluster, options))));
    },
  },
  unavailable: {
    options: { seconds: text('60'), ...ONLY },
    prepare({ seconds, only }) {
      const options = { seconds: wholeNumber('--seconds', seconds, [1, 3_600], USAGE), only: listOf('--only', only, DEPENDENCIES, USAGE), print };
      return () => withCluster(async (cluster) => hasRecovered(await makeUnavailable(cluster, options)));
    },
  },
  rotation: {
    options: RATE,
    prepare({ rate }) {
      const options = { perSecond: perSecond(rate), print };
      return () => withCluster(async (cluster) => report(reportRolling(await rotateKeys(cluster, options))));
    },
  },
  failover: {
    options: {},
    prepare: () => () => inTempFolder('chaos', async (dataDir) => report(reportFailover(await failOver({ dataDir, print })))),
  },
  campaign: {
    options: { cycles: text('20'), seed: text('1'), ...TOPOLOGY, ...ONLY },
    prepare({ cycles, seed, topology, only }) {
      const options = {
        cycles: wholeNumber('--cycles', cycles, [1, 1_000_000], USAGE),
        seed: wholeNumber('--seed', seed, [0, 2 ** 32 - 1], USAGE),
        topology: topologyOf(topology),
        only: listOf('--only', only, FAULTS, USAGE),
        print,
      };
      return async () => report(reportCampaign(await runCampaign(options), options.topology));
    },
  },
  webhooks: {
    options: TOPOLOGY,
    prepare({ topology }) {
      const options = { topology: topologyOf(topology), print };
      return async () => report(reportWebhooks(await measureWebhooks(options)));
    },
  },
  memory: {
    options: { minutes: text('30'), ...TOPOLOGY },
    prepare({ minutes, topology }) {
      const options = { minutes: wholeNumber('--minutes', minutes, [1, 10_000], USAGE), topology: topologyOf(topology), print };
      return async () => report(reportMemory(await measureMemory(options)));
    },
  },
  model: {
    options: { seeds: text('1-1000') },
    prepare({ seeds = '' }) {
      const [first = 0, last = first] = seeds.split('-').map(Number);
      if (!/^\d+(-\d+)?$/.test(seeds) || last < first) misused('--seeds must be a number or a range such as 1-1000.', USAGE);
      const jest = ['test', '--', '--selectProjects', 'services', '--', 'scripts/chaos/model.db.test.ts'];
      return async () => spawnSync('npm', jest, { cwd: PROJECT, stdio: 'inherit', env: { ...process.env, MODEL_SEEDS: seeds } }).status === 0;
    },
  },
};

const perSecond = (rate: string | undefined) => wholeNumber('--rate', rate, [1, 10_000], USAGE);

function topologyOf(name: string | undefined): Topology {
  return name === 'single' || name === 'distributed' ? name : misused('--topology must be single or distributed.', USAGE);
}

function print(line: string): void {
  console.log(line);
}

function report({ lines, passed }: { lines: string[]; passed: boolean }): boolean {
  for (const line of lines) print(line);
  return passed;
}

function withCluster(examine: (cluster: Cluster) => Promise<boolean>): Promise<boolean> {
  return inTempFolder('chaos', async (folder) => {
    const cluster = await startCluster(folder);
    try {
      return await examine(cluster);
    } finally {
      await cluster.stop();
    }
  });
}

helpOn(USAGE);
const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (!command) misused(`Name what to run: ${Object.keys(COMMANDS).join(', ')}.`, USAGE);
const work = command.prepare(parseOptions({ args, options: command.options }, USAGE).values as Values);
await sweepTempFolders();
process.exit((await work()) ? 0 : 1);
