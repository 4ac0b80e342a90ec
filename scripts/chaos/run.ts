// `npm run chaos`: injects faults into an installation of its own under load, and reports the responses that clients received.
import { spawnSync } from 'node:child_process';
import { inTempFolder, sweepTempFolders } from '../dev/temp-folder.ts';
import { misused, parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';
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

rolling      restarts every process, one after another, under load. No request may fail and no event may be lost.
unavailable  makes each of ${DEPENDENCIES.join(', ')}
             unavailable for some seconds, and reports the responses meanwhile and the time to recover.
rotation     appends new keys, moves them to the front, encrypts everything again and removes the old keys, with a rolling restart each.
             No request may fail.
             These start two copies of each process on an embedded PostgreSQL and NATS, with the gateways behind a load balancer that polls
             /readyz. LOG_LEVEL=warn prints the logs of the processes.
failover     starts three nats-servers, and a primary of PostgreSQL with a synchronous standby. Kills the leader of the event stream, then the
             primary, and promotes the standby. No acknowledged booking may be lost, and within 10 seconds everything is answered again.
campaign     starts the product as npm start (--topology single) or npm run start:distributed does. Each cycle sends mixed requests to a new
             clinic, causes one fault, and examines what must hold then. The seed of a cycle decides its requests and its fault: repeat one
             with --cycles 1 --seed <its seed>. Faults: ${FAULTS.join(', ')}.
webhooks     delivers each webhook ten times at once and out of order, while NATS, the chat provider, the services that work on them, or
             PostgreSQL is dead. Each has one effect; it is acknowledged within 100 ms (p99), and those of the chat are answered within 500 ms always.
memory       sends the same requests steadily, without faults. After the first third of the time no process may grow by more than a tenth.
model        lives random histories of a clinic with the real handlers, and a clock, an order of events and failures that the seed decides.`;

const { values, positionals } = parseOptions(
  {
    allowPositionals: true,
    options: {
      cycles: { type: 'string', default: '20' },
      minutes: { type: 'string', default: '30' },
      only: { type: 'string' },
      rate: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1-1000' },
      topology: { type: 'string', default: 'distributed' },
    },
  },
  USAGE,
);

const say = (line: string) => console.log(line);
const only = values.only?.split(',');

/** Each returns whether everything held. */
const COMMANDS: Record<string, () => Promise<boolean>> = {
  rolling: () => withCluster(async (cluster) => report(reportRolling(await rollingRestart(cluster, { perSecond: Number(values.rate), only, say })))),
  unavailable: () => withCluster(async (cluster) => hasRecovered(await makeUnavailable(cluster, { seconds: Number(values.seconds), only, say }))),
  rotation: () => withCluster(async (cluster) => report(reportRolling(await rotateKeys(cluster, { perSecond: Number(values.rate), say })))),
  failover: () => inTempFolder('chaos', async (dataDir) => report(reportFailover(await failOver({ dataDir, say })))),
  async campaign() {
    const unknown = only?.find((kind) => !FAULTS.includes(kind));
    if (unknown) misused(`No fault is named ${unknown}.`, USAGE);
    const of = topology();
    return report(reportCampaign(await runCampaign({ cycles: Number(values.cycles), seed: Number(values.seed), topology: of, only, say }), of));
  },
  webhooks: async () => report(reportWebhooks(await measureWebhooks({ topology: topology(), say }))),
  memory: async () => report(reportMemory(await measureMemory({ minutes: Number(values.minutes), topology: topology(), say }))),
  async model() {
    if (!/^\d+(-\d+)?$/.test(values.seeds)) misused('--seeds is a number, or the first and the last of a range: 1-1000.', USAGE);
    const jest = ['test', '--', '--selectProjects', 'services', '--', 'scripts/chaos/model.db.test.ts'];
    return spawnSync('npm', jest, { cwd: PROJECT, stdio: 'inherit', env: { ...process.env, MODEL_SEEDS: values.seeds } }).status === 0;
  },
};

function topology(): Topology {
  if (values.topology === 'single' || values.topology === 'distributed') return values.topology;
  return misused('--topology is single or distributed.', USAGE);
}

function report({ lines, passed }: { lines: string[]; passed: boolean }): boolean {
  for (const line of lines) say(line);
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

const command = COMMANDS[positionals[0] ?? ''];
if (!command) misused(`Name what to do: ${Object.keys(COMMANDS).join(', ')}.`, USAGE);
await sweepTempFolders();
process.exit((await command()) ? 0 : 1);
