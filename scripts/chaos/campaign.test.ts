// A short version of `npm run chaos -- campaign`.
import { expect, test } from '@jest/globals';
import { reportCampaign, runCampaign } from './campaign/campaign.ts';

const CYCLES = 2;

test('what was acknowledged exists once, whatever process is killed', async () => {
  // A job that failed while a process was started on a busy machine runs again after up to a minute.
  const only = ['kill', 'chat provider'];
  const cycles = await runCampaign({ cycles: CYCLES, seed: 1, topology: 'distributed', only, settleSeconds: 300, say: () => {} });
  const { lines, passed } = reportCampaign(cycles, 'distributed');
  if (!passed) throw new Error(lines.join('\n'));
  expect(cycles).toHaveLength(CYCLES);
  expect(cycles.flatMap(({ ledger }) => ledger?.bookings ?? []).length).toBeGreaterThan(CYCLES);
});
