// Rescheduling frees the old slot and occupies the new one in one transaction.
import { randomUUID } from 'node:crypto';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { ResourceService } from '@clinic/proto/scheduling/v1/resource_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { everyDay, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());

test('to another day, time and doctor; the event has the previous ones', async () => {
  const { id, doctor } = await s.clinic();
  const other = await s.doctors.createDoctor(
    { fullName: 'Dr. Otro', consultationDurationMinutes: 60, workingHours: everyDay('13:00', '17:00') },
    s.asAdmin(id),
  );
  const appointment = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  const moved = await s.appointments.rescheduleAppointment(
    { id: appointment.id, doctorId: other.id, appointmentDate: '2026-06-03', startTime: '14:00' },
    s.asUser(id),
  );
  expect(moved).toMatchObject({
    id: appointment.id,
    doctorId: other.id,
    appointmentDate: '2026-06-03',
    startTime: '14:00:00',
    endTime: '15:00:00',
    status: 'confirmed',
  });
  expect(moved.doctors).toMatchObject({ fullName: 'Dr. Otro' });
  await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  expect(await s.published(id, 'appointment-rescheduled')).toMatchObject([
    { previousDoctorId: doctor.id, previousStartsAt: '2026-06-02T15:00:00Z', appointment: { revision: 2 } },
  ]);
});

test('a repeated move changes and publishes nothing', async () => {
  const { id, doctor } = await s.clinic();
  const appointment = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  const move = () => s.appointments.rescheduleAppointment({ id: appointment.id, appointmentDate: TUESDAY, startTime: '10:00' }, s.asUser(id));
  expect([await move(), await move()]).toMatchObject([{ startTime: '10:00:00' }, { startTime: '10:00:00' }]);
  const owner = new pg.Client({ connectionString: s.service.database.ownerUrl, options: '-c search_path=scheduling' });
  await owner.connect();
  const events = await owner.query("select from outbox where clinic_id = $1 and subject like '%.appointment-rescheduled'", [id]);
  const entries = await owner.query("select from audit_log where entity_id = $1 and action = 'appointment.rescheduled'", [appointment.id]);
  await owner.end();
  expect([events.rowCount, entries.rowCount]).toEqual([1, 1]);
});

test('an appointment may move to a time that overlaps its own', async () => {
  const { id, doctor } = await s.clinic();
  const appointment = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  const moved = await s.appointments.rescheduleAppointment(
    { id: appointment.id, appointmentDate: TUESDAY, startTime: '09:15', outsideHours: true },
    s.asUser(id),
  );
  expect(moved.startTime).toBe('09:15:00');
});

test('the times to which an appointment can be moved may overlap its own, and a free day counts them', async () => {
  const { id, doctor } = await s.clinic();
  await s.service.client(ResourceService).createResource({ name: 'Sillón', kind: 'chair' }, s.asAdmin(id));
  const fields = { name: 'Limpieza', durationMinutes: 60, color: '#112233', resourceKind: 'chair' };
  const type = await s.service.client(AppointmentTypeService).createAppointmentType(fields, s.asAdmin(id));
  const appointment = await s.appointments.bookAppointment({ ...s.booking(doctor.id, '09:00'), typeId: type.id }, s.asUser(id));
  const list = async (more: object, doctorId = doctor.id) => {
    const wanted = { doctorId, typeId: type.id, ...more };
    const { slots } = await s.doctors.listSlots({ ...wanted, date: TUESDAY }, s.asUser(id));
    const { days } = await s.doctors.listAvailability({ ...wanted, month: TUESDAY.slice(0, 7) }, s.asUser(id));
    expect(days.find(({ date }) => date === TUESDAY)?.free).toBe(slots.length);
    return slots.map(({ startTime }) => startTime);
  };
  const others = ['08:00', '10:00', '10:30', '11:00'];
  expect(await list({})).toEqual(others);
  const elsewhere = await s.clinic();
  const { id: foreign } = await s.appointments.bookAppointment(s.booking(elsewhere.doctor.id, '09:00'), s.asUser(elsewhere.id));
  for (const appointmentId of [randomUUID(), foreign]) {
    const unknown = { reason: 'NOT_FOUND', message: 'Appointment not found' };
    await expect(s.doctors.listSlots({ doctorId: doctor.id, date: TUESDAY, appointmentId }, s.asUser(id))).rejects.toMatchObject(unknown);
    await expect(s.doctors.listAvailability({ doctorId: doctor.id, month: TUESDAY.slice(0, 7), appointmentId }, s.asUser(id))).rejects.toMatchObject(unknown);
  }
  const moved = { appointmentId: appointment.id };
  expect(await list(moved)).toEqual(['08:00', '08:30', '09:30', ...others.slice(1)]);
  // Its own start is listed when the length changes, or the doctor.
  expect(await list({ ...moved, durationMinutes: 90 })).toEqual(['08:00', '08:30', '09:00', '09:30', '10:00', '10:30']);
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Otro', workingHours: everyDay('08:00', '10:00') }, s.asAdmin(id));
  expect(await list({}, other.id)).toEqual(['08:00']);
  expect(await list(moved, other.id)).toEqual(['08:00', '08:30', '09:00']);
  await expect(list({ appointmentId: 'x' })).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'appointment_id' }] });
  // The bot sends the type and the length of the appointment that it moves, whose type may have been deleted since the booking.
  await s.service.client(AppointmentTypeService).deleteAppointmentType({ id: type.id }, s.asAdmin(id));
  expect(await list({ ...moved, durationMinutes: 60 })).toEqual(['08:00', '08:30', '09:30', ...others.slice(1)]);
  await expect(list({})).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  const target = { id: appointment.id, appointmentDate: TUESDAY, startTime: '09:30' };
  expect(await s.appointments.rescheduleAppointment(target, s.asUser(id))).toMatchObject({ endTime: '10:30:00' });
});

test('an appointment can be moved to every listed time: its length and the kind of its chair stay, without being asked for', async () => {
  const { id, doctor } = await s.clinic();
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Otro', workingHours: everyDay('08:00', '12:00') }, s.asAdmin(id));
  const resources = s.service.client(ResourceService);
  const chair = await resources.createResource({ name: 'Sillón', kind: 'chair' }, s.asAdmin(id));
  const inChair = { durationMinutes: 60, resourceId: chair.id };
  await s.appointments.bookAppointment({ ...s.booking(other.id, '10:00'), ...inChair }, s.asUser(id));
  const appointment = await s.appointments.bookAppointment({ ...s.booking(doctor.id, '08:00'), ...inChair }, s.asUser(id));
  const list = async () => {
    const wanted = { doctorId: doctor.id, appointmentId: appointment.id };
    const { slots } = await s.doctors.listSlots({ ...wanted, date: TUESDAY }, s.asUser(id));
    const { days } = await s.doctors.listAvailability({ ...wanted, month: TUESDAY.slice(0, 7) }, s.asUser(id));
    expect(days.find(({ date }) => date === TUESDAY)?.free).toBe(slots.length);
    return slots.map(({ startTime, endTime }) => `${startTime}-${endTime}`);
  };
  const move = (startTime: string) => s.appointments.rescheduleAppointment({ id: appointment.id, appointmentDate: TUESDAY, startTime }, s.asUser(id));
  expect(await list()).toEqual(['08:30-09:30', '09:00-10:00', '11:00-12:00']);
  for (const startTime of ['08:30', '09:00', '11:00']) expect((await move(startTime)).resources?.id).toBe(chair.id);
  await expect(move('09:30')).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  // Without any chair left, the appointment needs none.
  await resources.deleteResource({ id: chair.id }, s.asAdmin(id));
  expect(await list()).toContain('09:30-10:30');
  expect((await move('09:30')).resources).toBeUndefined();
});

test('a doctor who does not offer the type of an appointment has no time for it, unless it is the doctor who has it', async () => {
  const { id, doctor } = await s.clinic();
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Otro', workingHours: everyDay('08:00', '10:00') }, s.asAdmin(id));
  const types = s.service.client(AppointmentTypeService);
  const fields = { name: 'Limpieza', durationMinutes: 30, color: '#112233', doctorIds: [doctor.id] };
  const { id: typeId } = await types.createAppointmentType(fields, s.asAdmin(id));
  const appointment = await s.appointments.bookAppointment({ ...s.booking(doctor.id, '09:00'), typeId }, s.asUser(id));
  const move = (doctorId: string) =>
    s.appointments.rescheduleAppointment({ id: appointment.id, doctorId, appointmentDate: TUESDAY, startTime: '08:30' }, s.asUser(id));
  // The bot also sends the type of the appointment.
  const listed = async (doctorId: string) => {
    const lists = [{}, { typeId }].map(async (more) => {
      const wanted = { doctorId, appointmentId: appointment.id, ...more };
      const { slots } = await s.doctors.listSlots({ ...wanted, date: TUESDAY }, s.asUser(id));
      const { days } = await s.doctors.listAvailability({ ...wanted, month: TUESDAY.slice(0, 7) }, s.asUser(id));
      expect(days.find(({ date }) => date === TUESDAY)?.free).toBe(slots.length);
      return slots.map(({ startTime }) => startTime);
    });
    const [alone, typed] = await Promise.all(lists);
    expect(typed).toEqual(alone);
    return alone;
  };
  expect(await listed(other.id)).toEqual([]);
  await expect(move(other.id)).rejects.toMatchObject({ details: [{ path: 'doctorId' }] });
  await types.updateAppointmentType({ id: typeId, doctorIds: { ids: [other.id] } }, s.asAdmin(id));
  for (const one of [other.id, doctor.id, doctor.id.toUpperCase()]) expect(await listed(one)).toContain('08:30');
  expect(await move(doctor.id)).toMatchObject({ startTime: '08:30:00', doctorId: doctor.id });
  expect(await move(other.id)).toMatchObject({ doctorId: other.id });
});

test('one of 20 concurrent moves to a slot succeeds; the other appointments stay where they were', async () => {
  const { id, doctor } = await s.clinic();
  const days = Array.from({ length: 20 }, (_, index) => `2026-06-${String(index + 3).padStart(2, '0')}`);
  const appointments = await Promise.all(days.map((day) => s.appointments.bookAppointment(s.booking(doctor.id, '08:00', day), s.asUser(id))));
  const calls = appointments.map((appointment) =>
    s.appointments.rescheduleAppointment({ id: appointment.id, appointmentDate: TUESDAY, startTime: '11:00' }, s.asUser(id)),
  );
  expect(await outcomes(calls)).toEqual({ answered: 1, refused: 19, reasons: ['SLOT_TAKEN'] });
  expect((await s.appointments.listAppointments({ date: TUESDAY }, s.asUser(id))).total).toBe(1);
  expect((await s.appointments.listAppointments({}, s.asUser(id))).total).toBe(20);
});

test('concurrent moves that swap two appointments do not deadlock', async () => {
  const { id, doctor } = await s.clinic();
  const [a, b] = await Promise.all(['08:00', '09:00'].map((time) => s.appointments.bookAppointment(s.booking(doctor.id, time), s.asUser(id))));
  const to = (appointment: { id: string } | undefined, startTime: string) =>
    s.appointments.rescheduleAppointment({ id: appointment?.id ?? '', appointmentDate: TUESDAY, startTime }, s.asUser(id));
  expect(await outcomes([to(a, '09:00'), to(b, '08:00')])).toEqual({ answered: 0, refused: 2, reasons: ['SLOT_TAKEN'] });
});

test('an inactive appointment cannot be moved, and one of another clinic is not found', async () => {
  const [mine, other] = [await s.clinic(), await s.clinic()];
  const appointment = await s.appointments.bookAppointment(s.booking(other.doctor.id, '09:00'), s.asUser(other.id));
  const to = { appointmentDate: TUESDAY, startTime: '10:00' };
  for (const id of [appointment.id, randomUUID(), 'x']) {
    await expect(s.appointments.rescheduleAppointment({ id, ...to }, s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  }
  await expect(s.appointments.rescheduleAppointment({ id: appointment.id, doctorId: mine.doctor.id, ...to }, s.asUser(other.id))).rejects.toMatchObject({
    reason: 'NOT_FOUND',
  });
  await s.appointments.updateAppointmentStatus({ id: appointment.id, status: 'cancelled' }, s.asUser(other.id));
  await expect(s.appointments.rescheduleAppointment({ id: appointment.id, ...to }, s.asUser(other.id))).rejects.toMatchObject({
    reason: 'APPOINTMENT_NOT_ACTIVE',
  });
});
