import { expect, test } from '@jest/globals';
import { createLane } from './lane.ts';

const outcome = (entering: Promise<unknown>) =>
  entering.then(
    () => 'entered',
    ({ reason, details }) => [reason, details],
  );
const BUSY = ['UNAVAILABLE', [{ path: 'retry_after', message: '5' }]];

test('callers wait in order of arrival, and a caller beyond the queue is refused', async () => {
  const lane = createLane({ concurrent: 1, waiting: 2 });
  const entered: number[] = [];
  const first = await lane();
  const second = lane().then((leave) => {
    entered.push(2);
    return leave;
  });
  const third = lane().then((leave) => {
    entered.push(3);
    return leave;
  });
  expect(await outcome(lane())).toEqual(BUSY);
  first();
  const late = outcome(lane()); // takes the freed place in the queue without overtaking a waiting caller
  (await second)();
  (await third)();
  expect([entered, await late]).toEqual([[2, 3], 'entered']);
});

test('a caller that waits too long is refused and its place goes to the next caller', async () => {
  const lane = createLane({ concurrent: 1, waiting: 1, maxWaitMs: 10 });
  const leave = await lane();
  expect(await outcome(lane())).toEqual(BUSY);
  const next = lane();
  leave();
  expect(await outcome(next)).toBe('entered');
});
