// How a step follows its appointment.
import { describe, expect, test } from '@jest/globals';
import { followAppointment, STEP_STATUSES, type StepStatus, unlinkAppointment } from './step-status.ts';

const by = (status: StepStatus, completed_by_visit = false) => ({ status, completed_by_visit });

describe('a step follows its appointment', () => {
  test.each([
    ['pending', 'confirmed', 'scheduled'],
    ['scheduled', 'completed', 'completed'],
    ['scheduled', 'cancelled', 'pending'],
    ['scheduled', 'no_show', 'pending'],
    ['pending', 'completed', 'completed'],
    ['completed', 'cancelled', 'completed'],
    ['skipped', 'completed', 'skipped'],
  ] as const)('%s, when the appointment is %s, becomes %s', (before, appointment, after) => {
    expect(followAppointment(by(before), appointment).status).toBe(after);
  });

  test('a completion by the appointment is undone with it', () => {
    const done = followAppointment(by('scheduled'), 'completed');
    expect(done).toEqual(by('completed', true));
    expect([followAppointment(done, 'confirmed'), followAppointment(done, 'no_show')]).toEqual([by('scheduled'), by('pending')]);
  });

  test('the same status twice changes nothing', () => {
    for (const status of STEP_STATUSES) {
      for (const appointment of ['confirmed', 'pending', 'completed', 'cancelled', 'no_show']) {
        const once = followAppointment(by(status), appointment);
        expect(followAppointment(once, appointment)).toEqual(once);
      }
    }
  });

  test('unlinking changes only a scheduled step', () => {
    expect(STEP_STATUSES.map((status) => unlinkAppointment(by(status)).status)).toEqual(['pending', 'pending', 'completed', 'skipped']);
  });
});
