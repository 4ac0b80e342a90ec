// A short version of `npm run chaos -- rolling`: gateways and two services are restarted under load.
import { rmSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { tempFolder } from '../dev/temp-folder.ts';
import { startCluster } from './cluster.ts';
import { reportRolling, rollingRestart } from './rolling.ts';

const RESTARTED = ['gateway', 'identity', 'scheduling'];

test('processes are restarted one after another: no request fails, and no event is lost', async () => {
  const folder = tempFolder('rolling');
  const cluster = await startCluster(folder, { twice: RESTARTED });
  try {
    const rolled = await rollingRestart(cluster, { perSecond: 10, only: RESTARTED, print: () => {} });
    expect(rolled.restarts).toHaveLength(2 * RESTARTED.length);
    expect(rolled.outcomes.length).toBeGreaterThan(50);
    const { lines, passed } = reportRolling(rolled);
    if (!passed) throw new Error(lines.join('\n'));
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
