import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { AppointmentSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { DoctorSchema } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { expect, test } from '@jest/globals';
import { idempotencyKeyOf, toBotAppointment, toClinicFacts } from './perform-effect.ts';
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

test.each([
  ['Por chat, para: Rosa Elvira Campos', 'Rosa Elvira Campos'],
  ['Por chat, para: Rosa Elvira Campos\nAlergia', 'Rosa Elvira Campos'],
  ['Trae radiografías', 'Ana Torres'],
  [undefined, 'Ana Torres'],
])('with the note %j the appointment is of %s', (notes, name) => {
  const appointment = create(AppointmentSchema, { startTime: '08:30:00', patients: { fullName: 'Ana Torres' }, ...(notes !== undefined && { notes }) });
  expect(toBotAppointment(appointment).patientName).toBe(name);
});

test('the hours of the clinic are those of its active doctors', () => {
  const hours = (dayOfWeek: number, startTime: string, endTime: string, isActive = true) => ({ dayOfWeek, startTime, endTime, isActive });
  const doctors = [
    { isActive: true, doctorWorkingHours: [hours(1, '08:00:00', '12:00:00'), hours(1, '13:00:00', '17:00:00'), hours(0, '08:00:00', '10:00:00', false)] },
    { isActive: true, doctorWorkingHours: [hours(1, '07:00:00', '11:00:00'), hours(6, '08:00:00', '12:00:00')] },
    { isActive: false, doctorWorkingHours: [hours(2, '08:00:00', '12:00:00')] },
  ].map((doctor) => create(DoctorSchema, doctor));
  expect(toClinicFacts({ phone: '2222-1234', address: 'Calle 1', city: 'San Salvador' }, doctors)).toEqual({
    phone: '2222-1234',
    address: 'Calle 1, San Salvador',
    hours: [
      { weekday: 1, from: '07:00', to: '17:00' },
      { weekday: 6, from: '08:00', to: '12:00' },
    ],
  });
  expect(toClinicFacts({}, [])).toEqual({ phone: null, address: null, hours: [] });
});
