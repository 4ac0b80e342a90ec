// `npm run chaos`: injects faults into an installation of its own under load, and reports the responses that clients received.
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tempFolder } from '../dev/temp-folder.ts';
import { misused } from '../help.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { reportRolling, rollingRestart } from './rolling.ts';
import { DEPENDENCIES, hasRecovered, makeUnavailable } from './unavailable.ts';

const USAGE = `Usage: npm run chaos -- rolling [--rate 100] [--only gateway,identity]
       npm run chaos -- unavailable [--seconds 60] [--only postgres,nats,identity]

Starts two copies of each process on an embedded PostgreSQL and NATS, with the gateways behind a load balancer that polls /readyz.
rolling      restarts every process, one after another, under load. No request may fail and no event may be lost.
unavailable  makes each of ${DEPENDENCIES.join(', ')}
             unavailable for some seconds, and reports the responses meanwhile and the time to recover.
LOG_LEVEL=warn prints the logs of the processes.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' }, rate: { type: 'string' }, seconds: { type: 'string' }, only: { type: 'string' } },
});
if (values.help) {
  console.log(USAGE);
} else {
  const [what] = positionals;
  if (what !== 'rolling' && what !== 'unavailable') misused('Name the fault: rolling or unavailable.', USAGE);
  const folder = tempFolder('chaos');
  let cluster: Cluster | undefined;
  try {
    cluster = await startCluster(folder);
    const only = values.only?.split(',');
    const say = (line: string) => console.log(line);
    let passed: boolean;
    if (what === 'rolling') {
      const report = reportRolling(await rollingRestart(cluster, { perSecond: Number(values.rate ?? 100), only, say }));
      for (const line of report.lines) say(line);
      passed = report.passed;
    } else {
      passed = hasRecovered(await makeUnavailable(cluster, { seconds: Number(values.seconds ?? 60), only, say }));
    }
    process.exitCode = passed ? 0 : 1;
  } finally {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
