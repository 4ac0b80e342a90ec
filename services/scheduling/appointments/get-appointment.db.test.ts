// One appointment by its id.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());

test('an appointment is returned as it was booked, with patient and doctor', async () => {
  const { id, doctor } = await s.clinic();
  const booking = s.booking(doctor.id, '10:00');
  const booked = await s.appointments.bookAppointment(booking, s.asUser(id));
  const read = await s.appointments.getAppointment({ id: booked.id }, s.asUser(id));
  expect(read).toEqual(booked);
  expect(read).toMatchObject({
    appointmentDate: TUESDAY,
    patients: { fullName: booking.patientName, phone: booking.patientPhone },
    doctors: { id: doctor.id, fullName: doctor.fullName },
  });
});

test('an unknown, malformed or foreign id is not found', async () => {
  const { id, doctor } = await s.clinic();
  const booked = await s.appointments.bookAppointment(s.booking(doctor.id, '10:30'), s.asUser(id));
  const other = await s.clinic();
  const missing = { reason: 'NOT_FOUND', message: 'Appointment not found' };
  await expect(s.appointments.getAppointment({ id: booked.id }, s.asUser(other.id))).rejects.toMatchObject(missing);
  await expect(s.appointments.getAppointment({ id: randomUUID() }, s.asUser(id))).rejects.toMatchObject(missing);
  await expect(s.appointments.getAppointment({ id: 'none' }, s.asUser(id))).rejects.toMatchObject(missing);
});
