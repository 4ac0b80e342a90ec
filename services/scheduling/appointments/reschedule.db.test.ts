// Moves are one step: the old slot is free exactly when the new one is taken.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { everyDay, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());

test('to another day, hour and doctor; the event tells where it was', async () => {
  const { id, doctor } = await s.clinic();
  const other = await s.doctors.createDoctor(
    { fullName: 'Dr. Otro', consultationDurationMinutes: 60, workingHours: everyDay('13:00', '17:00') },
    s.asAdmin(id),
  );
  const visit = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  const moved = await s.appointments.rescheduleAppointment(
    { id: visit.id, doctorId: other.id, appointmentDate: '2026-06-03', startTime: '14:00' },
    s.asUser(id),
  );
  expect(moved).toMatchObject({
    id: visit.id,
    doctorId: other.id,
    appointmentDate: '2026-06-03',
    startTime: '14:00:00',
    endTime: '15:00:00',
    status: 'confirmed',
  });
  expect(moved.doctors).toMatchObject({ fullName: 'Dr. Otro' });
  await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
  const { rows } = await owner.query("select payload from scheduling.outbox where clinic_id = $1 and subject like '%.appointment-rescheduled'", [id]);
  await owner.end();
  expect(rows).toMatchObject([{ payload: { previousDoctorId: doctor.id, previousStartsAt: '2026-06-02T15:00:00Z', appointment: { revision: 2 } } }]);
});

test('a visit may move over itself', async () => {
  const { id, doctor } = await s.clinic();
  const visit = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  const moved = await s.appointments.rescheduleAppointment({ id: visit.id, appointmentDate: TUESDAY, startTime: '09:15', outsideHours: true }, s.asUser(id));
  expect(moved.startTime).toBe('09:15:00');
});

test('20 visits that want one slot at once: one moves, the others stay where they were', async () => {
  const { id, doctor } = await s.clinic();
  const days = Array.from({ length: 20 }, (_, index) => `2026-06-${String(index + 3).padStart(2, '0')}`);
  const visits = await Promise.all(days.map((day) => s.appointments.bookAppointment(s.booking(doctor.id, '08:00', day), s.asUser(id))));
  const calls = visits.map((visit) => s.appointments.rescheduleAppointment({ id: visit.id, appointmentDate: TUESDAY, startTime: '11:00' }, s.asUser(id)));
  expect(await outcomes(calls)).toEqual({ answered: 1, refused: 19, reasons: ['SLOT_TAKEN'] });
  expect((await s.appointments.listAppointments({ date: TUESDAY }, s.asUser(id))).total).toBe(1);
  expect((await s.appointments.listAppointments({}, s.asUser(id))).total).toBe(20);
});

test('two visits that swap places at once never deadlock', async () => {
  const { id, doctor } = await s.clinic();
  const [a, b] = await Promise.all(['08:00', '09:00'].map((time) => s.appointments.bookAppointment(s.booking(doctor.id, time), s.asUser(id))));
  const to = (visit: { id: string } | undefined, startTime: string) =>
    s.appointments.rescheduleAppointment({ id: visit?.id ?? '', appointmentDate: TUESDAY, startTime }, s.asUser(id));
  expect(await outcomes([to(a, '09:00'), to(b, '08:00')])).toEqual({ answered: 0, refused: 2, reasons: ['SLOT_TAKEN'] });
});

test('what is over does not move, and another clinic’s visit is not found', async () => {
  const [mine, other] = [await s.clinic(), await s.clinic()];
  const visit = await s.appointments.bookAppointment(s.booking(other.doctor.id, '09:00'), s.asUser(other.id));
  const to = { appointmentDate: TUESDAY, startTime: '10:00' };
  for (const id of [visit.id, randomUUID(), 'x']) {
    await expect(s.appointments.rescheduleAppointment({ id, ...to }, s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  }
  await expect(s.appointments.rescheduleAppointment({ id: visit.id, doctorId: mine.doctor.id, ...to }, s.asUser(other.id))).rejects.toMatchObject({
    reason: 'NOT_FOUND',
  });
  await s.appointments.updateAppointmentStatus({ id: visit.id, status: 'cancelled' }, s.asUser(other.id));
  await expect(s.appointments.rescheduleAppointment({ id: visit.id, ...to }, s.asUser(other.id))).rejects.toMatchObject({ reason: 'APPOINTMENT_NOT_ACTIVE' });
});
