import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { idempotencyKeyOf } from './perform-effect.ts';
import type { Effect } from './rules/session.ts';

const slot = { doctorId: 'd', date: '2026-06-02', time: '08:30' };

// Keys as the first release computed them, since this release may retry a turn that the first one began.
test.each<[Effect, object]>([
  [
    { kind: 'book', ...slot, patientName: 'Rosa', notes: 'Ana', draftId: 'n' },
    { kind: 'book', ...slot, patientName: 'Rosa', notes: 'Ana', draftId: 'n' },
  ],
  [
    { kind: 'hold', ...slot },
    { kind: 'hold', ...slot },
  ],
  [
    { kind: 'move', appointmentId: 'a', ...slot },
    { kind: 'move', visitId: 'a', ...slot }, // plain-words: visit is stored
  ],
  [
    { kind: 'status', appointmentId: 'a', status: 'cancelled' },
    { kind: 'status', visitId: 'a', status: 'cancelled' }, // plain-words: visit is stored
  ],
])('the idempotency key of %j', (effect, first) => {
  const key = createHash('sha256')
    .update(JSON.stringify(['message', first]))
    .digest('hex');
  expect(idempotencyKeyOf('message', effect)).toBe(key);
});
