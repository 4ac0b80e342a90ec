// Vacations, appointments outside of changed hours, and the availability of a month.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { everyDay, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());
const slots = async (id: string, doctorId: string, date: string) => (await s.doctors.listSlots({ doctorId, date }, s.asUser(id))).slots.length;

test('days of a vacation have no slots, appointments within it are returned, and it can be deleted', async () => {
  const { id, doctor } = await s.clinic();
  const appointment = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  await s.appointments.bookAppointment(s.booking(doctor.id, '09:00', '2026-06-05'), s.asUser(id));
  const vacation = await s.doctors.createVacation({ doctorId: doctor.id, startDate: TUESDAY, endDate: '2026-06-04', reason: 'Congreso' }, s.asAdmin(id));
  expect(vacation).toMatchObject({ startDate: TUESDAY, endDate: '2026-06-04', reason: 'Congreso' });
  expect(vacation.conflicts).toMatchObject([{ appointmentId: appointment.id, patientName: 'Luis Pérez', startTime: '09:00:00', endTime: '09:30:00' }]);
  expect(await slots(id, doctor.id, '2026-06-04')).toBe(0);
  expect(await s.doctors.listVacations({ doctorId: doctor.id }, s.asUser(id))).toMatchObject({ total: 1, vacations: [{ id: vacation.id }] });
  await s.doctors.deleteVacation({ doctorId: doctor.id, vacationId: vacation.id }, s.asAdmin(id));
  expect(await slots(id, doctor.id, '2026-06-04')).toBe(8);
  await expect(s.doctors.deleteVacation({ doctorId: doctor.id, vacationId: vacation.id }, s.asAdmin(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  const changes = { doctor_id: doctor.id, start_date: TUESDAY, end_date: '2026-06-04' };
  for (const action of ['vacation.created', 'vacation.deleted']) expect(await s.audited(id, action)).toEqual([{ entityId: vacation.id, changes }]);
});

test('a change of hours returns the appointments outside of them, which stay booked', async () => {
  const { id, doctor } = await s.clinic();
  await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
  await s.appointments.bookAppointment(s.booking(doctor.id, '11:30'), s.asUser(id));
  const changed = await s.doctors.updateDoctor({ id: doctor.id, workingHours: { ranges: everyDay('10:00', '12:00') } }, s.asAdmin(id));
  expect(changed.conflicts.map((one) => one.startTime)).toEqual(['08:00:00']);
  const rested = await s.doctors.updateDoctor({ id: doctor.id, breaks: { ranges: everyDay('11:45', '12:00') } }, s.asAdmin(id));
  expect(rested.conflicts.map((one) => one.startTime)).toEqual(['08:00:00', '11:30:00']);
  expect((await s.doctors.updateDoctor({ id: doctor.id, bio: 'x' }, s.asAdmin(id))).conflicts).toEqual([]);
  expect((await s.appointments.listAppointments({ date: TUESDAY, status: 'confirmed' }, s.asUser(id))).total).toBe(2);
});

test('the availability of a month is the number of slots of each day', async () => {
  const { id, doctor } = await s.clinic();
  await s.appointments.bookAppointment(s.booking(doctor.id, '09:00', '2026-06-10'), s.asUser(id));
  await s.doctors.createVacation({ doctorId: doctor.id, startDate: '2026-06-20', endDate: '2026-06-21' }, s.asAdmin(id));
  const { days } = await s.doctors.listAvailability({ doctorId: doctor.id, month: '2026-06' }, s.asUser(id));
  expect(days).toHaveLength(30);
  for (const { date, free } of days) expect([date, free]).toEqual([date, await slots(id, doctor.id, date)]);
  expect(new Map(days.map(({ date, free }) => [date, free])).get('2026-06-10')).toBe(7);
});

test('invalid dates and doctors of other clinics are refused', async () => {
  const [mine, other] = [await s.clinic(), await s.clinic()];
  const create = (doctorId: string, startDate: string, endDate: string) => s.doctors.createVacation({ doctorId, startDate, endDate }, s.asAdmin(mine.id));
  await expect(create(mine.doctor.id, '2026-02-30', '2026-03-01')).rejects.toMatchObject({ details: [{ path: 'startDate' }] });
  await expect(create(mine.doctor.id, '2026-03-02', '2026-03-01')).rejects.toMatchObject({ details: [{ path: 'endDate' }] });
  for (const id of [other.doctor.id, randomUUID(), 'x']) {
    await expect(create(id, '2026-07-01', '2026-07-02')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(s.doctors.listVacations({ doctorId: id }, s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(s.doctors.listAvailability({ doctorId: id, month: '2026-06' }, s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  }
  await expect(s.doctors.listAvailability({ doctorId: mine.doctor.id, month: '2026-13' }, s.asUser(mine.id))).rejects.toMatchObject({
    details: [{ path: 'month' }],
  });
});
