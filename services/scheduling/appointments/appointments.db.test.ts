// Bookings and status changes, including concurrent ones.
import { randomUUID } from 'node:crypto';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
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
const execute = async (text: string, values: unknown[]) => {
  const client = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await client.connect();
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
};
const events = async (clinicId: string) =>
  (await execute('select subject, payload from scheduling.outbox where clinic_id = $1 order by id', [clinicId])).map((row: { subject: string }) =>
    row.subject.split('.').at(-1),
  );

describe('booking', () => {
  test('a listed slot can be booked and is then no longer listed', async () => {
    const { id, doctor } = await s.clinic();
    const made = await s.appointments.bookAppointment({ ...s.booking(doctor.id, '09:00'), notes: 'primera visita' }, s.asUser(id));
    expect(made).toMatchObject({ clinicId: id, appointmentDate: TUESDAY, startTime: '09:00:00', endTime: '09:30:00', status: 'confirmed', source: 'manual' });
    expect(made.idempotencyKey).toMatch(/^MANUAL_/);
    expect(await slotsOf(id, doctor.id)).not.toContain('09:00');
    expect(await events(id)).toEqual(['patient-created', 'appointment-booked']);
  });

  test('one of 40 concurrent bookings of a slot succeeds and 39 fail with SLOT_TAKEN', async () => {
    const { id, doctor } = await s.clinic();
    const calls = Array.from({ length: 40 }, () => s.appointments.bookAppointment({ ...s.booking(doctor.id, '09:30'), patientPhone: s.phone() }, s.asUser(id)));
    expect(await outcomes(calls)).toEqual({ answered: 1, refused: 39, reasons: ['SLOT_TAKEN'] });
    // The refused bookings leave no trace.
    expect(await events(id)).toEqual(['patient-created', 'appointment-booked']);
    const [left] = await execute('select count(*)::int as patients from scheduling.patients where clinic_id = $1', [id]);
    expect(left).toEqual({ patients: 1 });
  });

  test('concurrent overlapping bookings outside of hours succeed only where they fit', async () => {
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
  ])('%s is not a slot: %s', async (startTime, reason) => {
    const { id, doctor } = await s.clinic();
    await expect(s.appointments.bookAppointment(s.booking(doctor.id, startTime), s.asUser(id))).rejects.toMatchObject({ reason });
  });

  test('a past time cannot be booked, not even with outsideHours', async () => {
    const { id, doctor } = await s.clinic();
    const past = s.booking(doctor.id, '08:00', MONDAY.toISOString().slice(0, 10));
    await expect(s.appointments.bookAppointment(past, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
    await expect(s.appointments.bookAppointment({ ...past, outsideHours: true }, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
  });

  test.each([
    ['71112222', ['+50371112222', '7111-2222', '(503) 7111 2222']],
    ['13055551234', ['+1 305 555 1234', '1 (305) 555-1234', '001 305 555 1234']],
  ])('three spellings of the phone %s are one patient, renamed by the last booking', async (search, spellings) => {
    const { id, doctor } = await s.clinic();
    const made = [];
    for (const [index, patientPhone] of spellings.entries()) {
      const times = ['08:00', '08:30', '09:00'];
      made.push(
        await s.appointments.bookAppointment({ ...s.booking(doctor.id, times[index] ?? ''), patientPhone, patientName: `Nombre ${index}` }, s.asUser(id)),
      );
    }
    expect(new Set(made.map((one) => one.patientId)).size).toBe(1);
    const { patients } = await s.patients.listPatients({ search }, s.asUser(id));
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

  test('an Idempotency-Key remains valid for as long as the appointment exists', async () => {
    const { id, doctor } = await s.clinic();
    const request = s.booking(doctor.id, '10:00');
    const first = await s.appointments.bookAppointment(request, s.asUser(id, { key: 'desk-1' }));
    await execute('delete from scheduling.idempotency_keys where clinic_id = $1', [id]); // as after 24 hours
    await execute(`update scheduling.patients set full_name = 'Renamed Since' where clinic_id = $1`, [id]);
    const again = await s.appointments.bookAppointment(request, s.asUser(id, { key: 'desk-1' }));
    expect([again.id, again.patients?.fullName]).toEqual([first.id, 'Renamed Since']);
    expect((await s.appointments.getAppointment({ id: first.id }, s.asUser(id))).patients?.fullName).toBe('Renamed Since');
    await execute('delete from scheduling.idempotency_keys where clinic_id = $1', [id]);
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
    const again = { id: a.id, status: 'cancelled', cancellationReason: 'enfermedad' };
    expect(await s.appointments.updateAppointmentStatus(again, s.asUser(id))).toMatchObject({
      cancellationReason: 'enfermedad',
      cancelledAt: cancelled.cancelledAt,
    });
    expect(await s.appointments.updateAppointmentStatus({ id: a.id, status: 'cancelled' }, s.asUser(id))).toMatchObject({ cancellationReason: 'enfermedad' });
    const log = await execute(`select changes from scheduling.audit_log where entity_id = $1 and action = 'appointment.updated'`, [a.id]);
    expect(log).toEqual([{ changes: { cancellation_reason: { from: '***', to: '***' } } }]);
    await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    await expect(s.appointments.updateAppointmentStatus({ id: a.id, status: 'confirmed' }, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  });

  test('a future appointment of an inactive doctor or on a vacation cannot be confirmed again, a past one can; other changes always succeed', async () => {
    const set = (clinicId: string, id: string, status: string) => s.appointments.updateAppointmentStatus({ id, status }, s.asUser(clinicId));
    const { id, doctor } = await s.clinic();
    const a = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    await set(id, a.id, 'cancelled');
    const vacation = await s.doctors.createVacation({ doctorId: doctor.id, startDate: TUESDAY, endDate: TUESDAY }, s.asAdmin(id));
    await expect(set(id, a.id, 'confirmed')).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
    expect((await set(id, a.id, 'no_show')).status).toBe('no_show');
    await s.doctors.deleteVacation({ doctorId: doctor.id, vacationId: vacation.id }, s.asAdmin(id));
    await s.doctors.deactivateDoctor({ id: doctor.id }, s.asAdmin(id));
    await expect(set(id, a.id, 'confirmed')).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
    s.clock.set(new Date('2026-06-02T15:00:00Z'));
    expect((await set(id, a.id, 'confirmed')).status).toBe('confirmed');
    s.clock.set(MONDAY);
  });

  test('a cancellation reason with another status is refused', async () => {
    const { id, doctor } = await s.clinic();
    const a = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    const change = { id: a.id, status: 'completed', cancellationReason: 'viaje' };
    await expect(s.appointments.updateAppointmentStatus(change, s.asUser(id))).rejects.toMatchObject({ details: [{ path: 'cancellation_reason' }] });
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
    expect(await list({ patientId: first.patientId })).toEqual([['2026-06-02'], 1]);
    expect(await list({ sort: '-start' })).toEqual([['2026-06-03', '2026-06-02'], 2]);
    expect(await list({ updatedSince: timestampFromDate(new Date(MONDAY.getTime() + 1)) })).toEqual([[], 0]);
    s.clock.advance(1000);
    await s.appointments.updateAppointment({ id: first.id, notes: 'llamar' }, s.asUser(id));
    expect(await list({ updatedSince: timestampFromDate(new Date(MONDAY.getTime() + 1)) })).toEqual([['2026-06-02'], 1]);
    s.clock.set(MONDAY);
    for (const [filter, path] of [
      [{ patientId: 'x' }, 'patient_id'],
      [{ sort: 'name' }, 'sort'],
    ] as const)
      await expect(list(filter)).rejects.toMatchObject({ details: [{ path }] });
    expect(await s.appointments.countChatBookings({}, s.asUser(id))).toMatchObject({ count: 0 });
  });
});

describe('notes', () => {
  test('are set and cleared in any status, and published once for each change', async () => {
    const { id, doctor } = await s.clinic();
    const { id: appointmentId } = await s.appointments.bookAppointment({ ...s.booking(doctor.id, '08:00'), notes: 'primera visita' }, s.asUser(id));
    await s.appointments.updateAppointmentStatus({ id: appointmentId, status: 'completed' }, s.asUser(id));
    const update = (notes: string) => s.appointments.updateAppointment({ id: appointmentId, notes }, s.asUser(id));
    expect(await update('control en un mes')).toMatchObject({ notes: 'control en un mes', status: 'completed' });
    await update('control en un mes');
    expect((await update('')).notes).toBeUndefined();
    expect((await events(id)).filter((name) => name === 'appointments-updated')).toHaveLength(2);
    const log = await execute(`select changes from scheduling.audit_log where clinic_id = $1 and action = 'appointment.updated'`, [id]);
    expect(log).toHaveLength(2);
    expect(JSON.stringify(log)).not.toContain('control');
    for (const [who, wrong] of [
      [(await s.clinic()).id, appointmentId],
      [id, 'x'],
    ] as const)
      await expect(s.appointments.updateAppointment({ id: wrong, notes: 'x' }, s.asUser(who))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});

test('an appointment over midnight has the instants of its start and its end', async () => {
  const { id, doctor } = await s.clinic();
  await s.doctors.updateDoctor({ id: doctor.id, bufferTimeMinutes: 10 }, s.asAdmin(id));
  const late = await s.appointments.bookAppointment({ ...s.booking(doctor.id, '23:45'), outsideHours: true }, s.asUser(id));
  expect(late).toMatchObject({ appointmentDate: TUESDAY, startTime: '23:45:00', endTime: '00:15:00' });
  expect([late.startsAt, late.endsAt].map((at) => at && timestampDate(at).toISOString())).toEqual(['2026-06-03T05:45:00.000Z', '2026-06-03T06:15:00.000Z']);
});

test('dates more than two years ahead are refused everywhere with their field', async () => {
  const { id, doctor } = await s.clinic();
  const far = '2028-06-02';
  const refused = async (path: string, call: Promise<unknown>) => expect(call).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
  const as = s.asUser(id);
  expect((await s.doctors.listSlots({ doctorId: doctor.id, date: '2028-06-01' }, as)).slots).toHaveLength(8);
  const appointment = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00', '2028-06-01'), as);
  await refused('appointmentDate', s.appointments.bookAppointment(s.booking(doctor.id, '09:00', far), as));
  await refused('appointmentDate', s.appointments.bookAppointment({ ...s.booking(doctor.id, '09:00', far), outsideHours: true }, as));
  await refused('appointmentDate', s.appointments.rescheduleAppointment({ id: appointment.id, appointmentDate: far, startTime: '09:00' }, as));
  await refused('appointmentDate', s.service.client(SlotDraftService).createSlotDraft({ doctorId: doctor.id, appointmentDate: far, startTime: '09:00' }, as));
  await refused('date', s.doctors.listSlots({ doctorId: doctor.id, date: far }, as));
  await refused('month', s.doctors.listAvailability({ doctorId: doctor.id, month: '2028-07' }, as));
  const { days } = await s.doctors.listAvailability({ doctorId: doctor.id, month: '2028-06' }, as);
  expect(days.map(({ free }) => free)).toEqual([7, ...Array(29).fill(0)]);
  const wish = { patientName: 'Eva Luna', patientPhone: s.phone(), dateFrom: TUESDAY };
  await refused('dateTo', s.service.client(WaitlistService).joinWaitlist({ ...wish, dateTo: far }, as));
});
