// `npm run chaos`: breaks a product of its own and says what its visitors saw.
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tempFolder } from '../dev/temp-folder.ts';
import { misused } from '../help.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { reportRolling, rollingRestart } from './rolling.ts';
import { AWAY, cameBack, sendAway } from './unavailable.ts';

const USAGE = `Usage: npm run chaos -- rolling [--rate 100] [--only gateway,identity]
       npm run chaos -- away [--seconds 60] [--only postgres,nats,identity]

Starts two of each process on an embedded PostgreSQL and NATS, gateways behind a balancer that asks /readyz.
rolling  restarts every process, one after another, under load. No request may fail and no event be lost.
away     takes away each of ${AWAY.join(', ')}
         for so many seconds, and tells what was answered meanwhile and how long the way back took.
LOG_LEVEL=warn shows the processes' own words.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' }, rate: { type: 'string' }, seconds: { type: 'string' }, only: { type: 'string' } },
});
if (values.help) {
  console.log(USAGE);
} else {
  const [what] = positionals;
  if (what !== 'rolling' && what !== 'away') misused('Say what is to happen: rolling or away.', USAGE);
  const folder = tempFolder('chaos');
  let cluster: Cluster | undefined;
  try {
    cluster = await startCluster(folder);
    const only = values.only?.split(',');
    const say = (line: string) => console.log(line);
    let whole: boolean;
    if (what === 'rolling') {
      const report = reportRolling(await rollingRestart(cluster, { perSecond: Number(values.rate ?? 100), only, say }));
      for (const line of report.lines) say(line);
      whole = report.whole;
    } else {
      whole = cameBack(await sendAway(cluster, { seconds: Number(values.seconds ?? 60), only, say }));
    }
    process.exitCode = whole ? 0 : 1;
  } finally {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
