// Bookings and status changes, also concurrent ones.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { MONDAY, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());

const slotsOf = async (clinicId: string, doctorId: string, date = TUESDAY) =>
  (await s.doctors.listSlots({ doctorId, date }, s.asUser(clinicId))).slots.map((slot) => slot.startTime);
const events = async (clinicId: string) => {
  const client = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await client.connect();
  const { rows } = await client.query('select subject, payload from scheduling.outbox where clinic_id = $1 order by id', [clinicId]);
  await client.end();
  return rows.map((row: { subject: string }) => row.subject.split('.').at(-1));
};

describe('booking', () => {
  test('a listed slot can be booked and is listed no more', async () => {
    const { id, doctor } = await s.clinic();
    const made = await s.appointments.bookAppointment({ ...s.booking(doctor.id, '09:00'), notes: 'primera visita' }, s.asUser(id));
    expect(made).toMatchObject({ clinicId: id, appointmentDate: TUESDAY, startTime: '09:00:00', endTime: '09:30:00', status: 'confirmed', source: 'manual' });
    expect(made.idempotencyKey).toMatch(/^MANUAL_/);
    expect(await slotsOf(id, doctor.id)).not.toContain('09:00');
    expect(await events(id)).toEqual(['patient-created', 'appointment-booked']);
  });

  test('of 40 concurrent bookings of one slot one succeeds and 39 fail with SLOT_TAKEN', async () => {
    const { id, doctor } = await s.clinic();
    const calls = Array.from({ length: 40 }, () => s.appointments.bookAppointment(s.booking(doctor.id, '09:30'), s.asUser(id)));
    expect(await outcomes(calls)).toEqual({ answered: 1, refused: 39, reasons: ['SLOT_TAKEN'] });
  });

  test('of concurrent overlapping bookings outside of hours as many succeed as fit', async () => {
    const { id, doctor } = await s.clinic();
    const starts = ['14:00', '14:10', '14:20', '14:29'];
    const calls = Array.from({ length: 20 }, (_, index) =>
      s.appointments.bookAppointment({ ...s.booking(doctor.id, starts[index % 4] ?? ''), outsideHours: true }, s.asUser(id)),
    );
    expect(await outcomes(calls)).toEqual({ answered: 1, refused: 19, reasons: ['SLOT_TAKEN'] });
  });

  test.each([
    ['09:10', 'SLOT_UNAVAILABLE'],
    ['12:00', 'SLOT_UNAVAILABLE'],
    ['07:30', 'SLOT_UNAVAILABLE'],
  ])('%s is no slot: %s', async (startTime, reason) => {
    const { id, doctor } = await s.clinic();
    await expect(s.appointments.bookAppointment(s.booking(doctor.id, startTime), s.asUser(id))).rejects.toMatchObject({ reason });
  });

  test('a past time cannot be booked, not even with outsideHours', async () => {
    const { id, doctor } = await s.clinic();
    const past = s.booking(doctor.id, '08:00', MONDAY.toISOString().slice(0, 10));
    await expect(s.appointments.bookAppointment(past, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
    await expect(s.appointments.bookAppointment({ ...past, outsideHours: true }, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
  });

  test('three spellings of a phone are one patient, renamed by the last booking', async () => {
    const { id, doctor } = await s.clinic();
    const spellings = ['+50371112222', '7111-2222', '(503) 7111 2222'];
    const made = [];
    for (const [index, patientPhone] of spellings.entries()) {
      const times = ['08:00', '08:30', '09:00'];
      made.push(
        await s.appointments.bookAppointment({ ...s.booking(doctor.id, times[index] ?? ''), patientPhone, patientName: `Nombre ${index}` }, s.asUser(id)),
      );
    }
    expect(new Set(made.map((one) => one.patientId)).size).toBe(1);
    const { patients } = await s.patients.listPatients({ search: '71112222' }, s.asUser(id));
    expect(patients.map((one) => one.fullName)).toEqual(['Nombre 2']);
  });

  test('a repeat with the same Idempotency-Key returns the first response; another body is refused', async () => {
    const { id, doctor } = await s.clinic();
    const request = s.booking(doctor.id, '10:00');
    const first = await s.appointments.bookAppointment(request, s.asUser(id, { key: 'desk-1' }));
    expect(first.idempotencyKey).toBe('MANUAL_desk-1');
    expect((await s.appointments.bookAppointment(request, s.asUser(id, { key: 'desk-1' }))).id).toBe(first.id);
    const other = { ...request, startTime: '10:30' };
    await expect(s.appointments.bookAppointment(other, s.asUser(id, { key: 'desk-1' }))).rejects.toMatchObject({ reason: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('16 concurrent bookings with one Idempotency-Key are one appointment', async () => {
    const { id, doctor } = await s.clinic();
    const request = s.booking(doctor.id, '11:00');
    const made = await Promise.all(Array.from({ length: 16 }, () => s.appointments.bookAppointment(request, s.asUser(id, { key: 'k' }))));
    expect(new Set(made.map((one) => one.id)).size).toBe(1);
  });

  test('a doctor of another clinic or an inactive doctor is not found', async () => {
    const [mine, other] = [await s.clinic(), await s.clinic()];
    await expect(s.appointments.bookAppointment(s.booking(other.doctor.id, '09:00'), s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await s.doctors.deactivateDoctor({ id: mine.doctor.id }, s.asAdmin(mine.id));
    await expect(s.appointments.bookAppointment(s.booking(mine.doctor.id, '09:00'), s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});

describe('status', () => {
  test('cancelling frees the slot; the appointment cannot be confirmed again once the slot is rebooked', async () => {
    const { id, doctor } = await s.clinic();
    const a = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    const cancelled = await s.appointments.updateAppointmentStatus({ id: a.id, status: 'cancelled', cancellationReason: 'viaje' }, s.asUser(id));
    expect(cancelled).toMatchObject({ status: 'cancelled', cancellationReason: 'viaje' });
    expect(cancelled.cancelledAt).toBeDefined();
    await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    await expect(s.appointments.updateAppointmentStatus({ id: a.id, status: 'confirmed' }, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  });

  test('the same status again changes nothing and publishes nothing', async () => {
    const { id, doctor } = await s.clinic();
    const a = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    await Promise.all(Array.from({ length: 8 }, () => s.appointments.updateAppointmentStatus({ id: a.id, status: 'no_show' }, s.asUser(id))));
    expect((await s.patients.getPatient({ id: a.patientId }, s.asUser(id))).noShowCount).toBe(1);
    expect((await events(id)).filter((name) => name === 'appointment-status-changed')).toHaveLength(1);
  });

  test('leaving no_show decrements the count of no-shows, also with concurrent changes', async () => {
    const { id, doctor } = await s.clinic();
    const a = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    const statuses = ['no_show', 'completed', 'no_show', 'confirmed', 'no_show', 'cancelled'];
    await Promise.all(
      Array.from({ length: 24 }, (_, index) => s.appointments.updateAppointmentStatus({ id: a.id, status: statuses[index % 6] ?? '' }, s.asUser(id))),
    );
    const { status } = await s.appointments.updateAppointmentStatus({ id: a.id, status: 'completed' }, s.asUser(id));
    expect(status).toBe('completed');
    expect((await s.patients.getPatient({ id: a.patientId }, s.asUser(id))).noShowCount).toBe(0);
  });

  test('an appointment of another clinic is not found and not changed', async () => {
    const [mine, other] = [await s.clinic(), await s.clinic()];
    const a = await s.appointments.bookAppointment(s.booking(other.doctor.id, '08:00'), s.asUser(other.id));
    for (const id of [a.id, randomUUID(), 'no-uuid']) {
      await expect(s.appointments.updateAppointmentStatus({ id, status: 'cancelled' }, s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
    const { appointments } = await s.appointments.listAppointments({ date: TUESDAY }, s.asUser(other.id));
    expect(appointments.map((one) => one.status)).toEqual(['confirmed']);
  });

  test('an unknown status is refused with the field', async () => {
    const { id } = await s.clinic();
    await expect(s.appointments.updateAppointmentStatus({ id: randomUUID(), status: 'gone' }, s.asUser(id))).rejects.toMatchObject({
      reason: 'VALIDATION_ERROR',
      details: [{ path: 'status' }],
    });
  });
});

describe('lists', () => {
  test('filters, pages, and the embedded patient and doctor', async () => {
    const { id, doctor } = await s.clinic();
    const first = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    await s.appointments.bookAppointment(s.booking(doctor.id, '08:30', '2026-06-03'), s.asUser(id));
    await s.appointments.updateAppointmentStatus({ id: first.id, status: 'cancelled' }, s.asUser(id));
    const list = async (filter: object) => {
      const { appointments, total } = await s.appointments.listAppointments(filter, s.asUser(id));
      return [appointments.map((one) => one.appointmentDate), total];
    };
    expect(await list({})).toEqual([['2026-06-02', '2026-06-03'], 2]);
    expect(await list({ date: '2026-06-03' })).toEqual([['2026-06-03'], 1]);
    expect(await list({ start: '2026-06-02', end: '2026-06-02' })).toEqual([['2026-06-02'], 1]);
    expect(await list({ status: 'confirmed' })).toEqual([['2026-06-03'], 1]);
    expect(await list({ doctorId: randomUUID() })).toEqual([[], 0]);
    expect(await list({ limit: 1, page: 2 })).toEqual([['2026-06-03'], 2]);
    expect(await list({ limit: 1, page: 3 })).toEqual([[], 2]);
    const { appointments } = await s.appointments.listAppointments({}, s.asUser(id));
    expect(appointments[0]).toMatchObject({ patients: { fullName: 'Luis Pérez' }, doctors: { id: doctor.id, fullName: 'Dra. Ana Rivas' } });
    expect(await s.appointments.countChatBookings({}, s.asUser(id))).toMatchObject({ count: 0 });
  });
});
