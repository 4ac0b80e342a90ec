import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { expect, test } from '@jest/globals';
import { createOpenStreams, type OpenStreams } from './open-streams.ts';

const RETRY = [{ path: 'retry_after', message: '30' }];

/** Opens streams until one is refused. */
function fill(open: OpenStreams, userOf: (index: number) => string, clinicOf: (index: number) => string) {
  const ends: (() => void)[] = [];
  for (;;) {
    try {
      ends.push(open(userOf(ends.length), clinicOf(ends.length)));
    } catch (error) {
      const { reason, message, details } = error as ServiceError;
      return { ends, refusal: { reason, message, details } };
    }
  }
}

test('a user has at most 10 streams, a clinic 200 and a process 4000; when one has ended, another can be opened', () => {
  const open = createOpenStreams();
  const ofUser = fill(
    open,
    () => 'ana',
    () => 'clinic',
  );
  expect([ofUser.ends.length, ofUser.refusal]).toEqual([
    10,
    { reason: 'RATE_LIMITED', message: 'This user has 10 live streams open: close one', details: RETRY },
  ]);
  const ofClinic = fill(open, String, () => 'clinic');
  expect([ofClinic.ends.length, ofClinic.refusal]).toMatchObject([
    190,
    { reason: 'RATE_LIMITED', message: 'This clinic has 200 live streams open: close one' },
  ]);
  const ofAll = fill(open, String, (index) => `clinic ${index}`);
  expect([ofAll.ends.length, ofAll.refusal]).toMatchObject([3_800, { reason: 'UNAVAILABLE', details: RETRY }]);
  ofUser.ends[0]?.();
  open('ana', 'clinic');
  expect(() => open('eva', 'another clinic')).toThrow(ServiceError);
});
