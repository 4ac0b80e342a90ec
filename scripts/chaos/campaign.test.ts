// A short version of `npm run chaos -- campaign`.
import { expect, test } from '@jest/globals';
import { reportCampaign, runCampaign } from './campaign/campaign.ts';

const CYCLES = 2;

test('what was acknowledged exists once, whatever process is killed', async () => {
  const cycles = await runCampaign({ cycles: CYCLES, seed: 1, topology: 'distributed', only: ['kill', 'chat provider'], say: () => {} });
  const { lines, passed } = reportCampaign(cycles, 'distributed');
  if (!passed) throw new Error(lines.join('\n'));
  expect(cycles).toHaveLength(CYCLES);
  expect(cycles.flatMap(({ ledger }) => ledger?.bookings ?? []).length).toBeGreaterThan(CYCLES);
});
