// A short version of `npm run chaos -- campaign`.
import { expect, test } from '@jest/globals';
import { reportCampaign, runCampaign } from './campaign/campaign.ts';

const CYCLES = 2;

test('everything acknowledged exists exactly once, whichever process is killed', async () => {
  // On a busy machine, a job that failed while a process was starting is retried after up to a minute.
  const only = ['kill', 'chat provider'];
  const cycles = await runCampaign({ cycles: CYCLES, seed: 1, topology: 'distributed', only, settleSeconds: 300, print: () => {} });
  const { lines, passed } = reportCampaign(cycles, 'distributed');
  if (!passed) throw new Error(lines.join('\n'));
  expect(cycles).toHaveLength(CYCLES);
  expect(cycles.flatMap(({ ledger }) => ledger?.bookings ?? []).length).toBeGreaterThan(CYCLES);
});
