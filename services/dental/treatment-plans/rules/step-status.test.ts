// A step and its visit.
import { describe, expect, test } from '@jest/globals';
import { followAppointment, STEP_STATUSES, type StepStatus, unlinkAppointment } from './step-status.ts';

const by = (status: StepStatus, completed_by_visit = false) => ({ status, completed_by_visit });

describe('a step follows its visit', () => {
  test.each([
    ['pending', 'confirmed', 'scheduled'],
    ['scheduled', 'completed', 'completed'],
    ['scheduled', 'cancelled', 'pending'],
    ['scheduled', 'no_show', 'pending'],
    ['pending', 'completed', 'completed'],
    ['completed', 'cancelled', 'completed'],
    ['skipped', 'completed', 'skipped'],
  ] as const)('%s, when the visit is %s, is %s', (before, visit, after) => {
    expect(followAppointment(by(before), visit).status).toBe(after);
  });

  test('what the visit has completed is taken back with it', () => {
    const done = followAppointment(by('scheduled'), 'completed');
    expect(done).toEqual(by('completed', true));
    expect([followAppointment(done, 'confirmed'), followAppointment(done, 'no_show')]).toEqual([by('scheduled'), by('pending')]);
  });

  test('saying the same twice changes nothing', () => {
    for (const status of STEP_STATUSES) {
      for (const visit of ['confirmed', 'pending', 'completed', 'cancelled', 'no_show']) {
        const once = followAppointment(by(status), visit);
        expect(followAppointment(once, visit)).toEqual(once);
      }
    }
  });

  test('without a visit only a scheduled step changes', () => {
    expect(STEP_STATUSES.map((status) => unlinkAppointment(by(status)).status)).toEqual(['pending', 'pending', 'completed', 'skipped']);
  });
});
