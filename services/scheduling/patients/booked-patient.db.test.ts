// The patient of a booking or a waitlist entry: one given by id, the one who has the phone, or one of the dependants.
import { randomUUID } from 'node:crypto';
import { asService } from '@clinic/lib/testing/callers.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { AuditService } from '@clinic/proto/common/v1/audit_pb.js';
import { AppointmentSeriesService } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';
import { locksDoctorFirst } from '../testing/lock-order.ts';

let s: Scheduling;
let owner: pg.Client;
beforeAll(async () => {
  s = await startScheduling();
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});

const TIMES = ['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
let id: string;
let doctorId: string;
let phone: string;
let mother: string;
let child: string;
let booked: number;
beforeEach(async () => {
  const clinic = await s.clinic();
  [id, doctorId, phone, booked] = [clinic.id, clinic.doctor.id, s.phone(), 0];
  mother = (await s.patients.createPatient({ fullName: 'Rosa Díaz', phone }, s.asUser(id))).id;
  child = (await family().createDependant({ id: mother, fullName: 'Ana Lucía Díaz' }, s.asUser(id))).id;
});

const family = () => s.service.client(PatientFamilyService);
const book = (who: object) =>
  s.appointments.bookAppointment({ doctorId, appointmentDate: TUESDAY, startTime: TIMES[booked++ % TIMES.length] ?? '', ...who }, s.asUser(id));
const join = (who: object) => s.service.client(WaitlistService).joinWaitlist({ dateFrom: TUESDAY, dateTo: TUESDAY, ...who }, s.asUser(id));
const series = (who: object) =>
  s.service
    .client(AppointmentSeriesService)
    .bookSeries({ doctorId, appointmentDate: TUESDAY, startTime: '09:00', every: { weeks: 1 }, count: 2, ...who }, s.asUser(id));
const nameOf = async (patientId: string) => (await s.patients.getPatient({ id: patientId }, s.asUser(id))).fullName;
const published = async () =>
  (await owner.query(`select count(*)::int as n from scheduling.outbox where clinic_id = $1 and subject like '%.patient-%'`, [id])).rows[0].n;

test('patientId books for that patient or dependant, and changes nobody', async () => {
  const before = await published();
  expect(await book({ patientId: mother })).toMatchObject({ patientId: mother, patients: { fullName: 'Rosa Díaz', phone } });
  expect(await book({ patientId: child })).toMatchObject({ patientId: child, patients: { fullName: 'Ana Lucía Díaz' } });
  expect(await book({ patientId: mother, patientName: 'rosa diaz', patientPhone: phone })).toMatchObject({ patients: { fullName: 'Rosa Díaz' } });
  expect(await book({ patientId: child, patientPhone: phone })).toMatchObject({ patientId: child });
  expect(await join({ patientId: child, patientName: 'Ana Lucía Díaz' })).toMatchObject({ patientId: child });
  expect(await published()).toBe(before);
});

test.each([
  ['bookings', (who: object) => book(who)],
  ['the waitlist', (who: object) => join(who)],
])('in %s, patientId with the name or phone of somebody else is refused, and without it both are required', async (_, call) => {
  await expect(call({ patientId: mother, patientName: 'Otra Persona' })).rejects.toMatchObject({ details: [{ path: 'patientName' }] });
  await expect(call({ patientId: mother, patientPhone: s.phone() })).rejects.toMatchObject({ details: [{ path: 'patientPhone' }] });
  await expect(call({ patientPhone: phone })).rejects.toMatchObject({ details: [{ path: 'patientName' }] });
  await expect(call({ patientName: 'Rosa Díaz' })).rejects.toMatchObject({ details: [{ path: 'patientPhone' }] });
  await expect(call({ patientId: randomUUID() })).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Patient not found' });
  await family().archivePatient({ id: child }, s.asAdmin(id));
  await expect(call({ patientId: child })).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Patient not found' });
  const other = await s.clinic();
  const foreign = await s.patients.createPatient({ fullName: 'Ajena', phone: s.phone() }, s.asUser(other.id));
  await expect(call({ patientId: foreign.id })).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('patientId with another DUI is refused', async () => {
  const patientDui = '00016297-5';
  await expect(book({ patientId: mother, patientDui })).rejects.toMatchObject({ details: [{ path: 'patientDui' }] });
  await s.patients.updatePatient({ id: mother, dui: patientDui }, s.asUser(id));
  expect(await book({ patientId: mother, patientDui })).toMatchObject({ patientId: mother });
});

test('the phone of the guardian with the name of a dependant identifies the dependant, and nobody is renamed', async () => {
  const bookings = await Promise.all(['Ana Lucía Díaz', 'ANA LUCIA DIAZ'].map((patientName) => book({ patientName, patientPhone: phone })));
  expect(bookings).toMatchObject([
    { patientId: child, patients: { fullName: 'Ana Lucía Díaz' } },
    { patientId: child, patients: { fullName: 'Ana Lucía Díaz' } },
  ]);
  expect(await join({ patientName: 'Ana Lucia Diaz', patientPhone: phone })).toMatchObject({ patientId: child });
  expect(await nameOf(mother)).toBe('Rosa Díaz');
  expect((await book({ patientName: 'Rosa Díaz', patientPhone: phone })).patientId).toBe(mother);
});

test('by chat, a phone and another name book for the patient who has the phone, who is restored and keeps the name', async () => {
  const named = { patientName: 'Luis Paz', patientPhone: phone };
  const chat = () => asService('messaging', id);
  await family().archivePatient({ id: mother }, s.asAdmin(id));
  const appointment = await s.appointments.bookAppointment({ doctorId, appointmentDate: TUESDAY, startTime: '08:00', ...named }, chat());
  expect(appointment).toMatchObject({ patientId: mother, patients: { fullName: 'Rosa Díaz' }, notes: 'Por chat, para: Luis Paz' });
  const entry = await s.service.client(WaitlistService).joinWaitlist({ dateFrom: TUESDAY, dateTo: TUESDAY, ...named }, chat());
  expect(entry).toMatchObject({ patientId: mother, notes: 'Por chat, para: Luis Paz' });
  const { fullName, archivedAt } = await s.patients.getPatient({ id: mother }, s.asUser(id));
  expect([fullName, archivedAt]).toEqual(['Rosa Díaz', undefined]);
});

test('the name of an archived dependant restores the dependant, as a phone restores its patient, and renames nobody', async () => {
  await family().archivePatient({ id: child }, s.asAdmin(id));
  expect(await book({ patientName: 'Ana Lucía Díaz', patientPhone: phone })).toMatchObject({ patientId: child, patients: { fullName: 'Ana Lucía Díaz' } });
  expect(await nameOf(mother)).toBe('Rosa Díaz');
  expect((await s.patients.getPatient({ id: child }, s.asUser(id))).archivedAt).toBeUndefined();
  const { entries } = await s.service.client(AuditService).listAuditEntries({ action: 'patient.restored', limit: 10 }, s.asAdmin(id));
  expect(entries).toMatchObject([{ entityId: child }]);

  await family().archivePatient({ id: child }, s.asAdmin(id));
  const { id: namesake } = await family().createDependant({ id: mother, fullName: 'Ana Lucía Díaz' }, s.asUser(id));
  expect(await book({ patientName: 'Ana Lucía Díaz', patientPhone: phone })).toMatchObject({ patientId: namesake });
});

test('any other name renames the patient who has the phone, and the audit log records it; the same name changes nothing', async () => {
  const before = await published();
  await book({ patientName: 'Rosa Díaz', patientPhone: phone });
  expect(await published()).toBe(before);
  expect((await book({ patientName: 'Rosa Díaz de Paz', patientPhone: phone })).patientId).toBe(mother);
  expect(await nameOf(mother)).toBe('Rosa Díaz de Paz');
  const { entries } = await s.service.client(AuditService).listAuditEntries({ action: 'patient.updated', limit: 10 }, s.asAdmin(id));
  expect(entries.map(({ changes }) => JSON.parse(changes))).toEqual([{ full_name: { from: 'Rosa Díaz', to: 'Rosa Díaz de Paz' } }]);
  const { rows } = await owner.query(`select changes::text from scheduling.audit_log where clinic_id = $1`, [id]);
  expect(JSON.stringify(rows)).not.toContain('Rosa'); // the log itself cannot be erased
});

test('a booking with another DUI is one change of the patient or dependant, also when it renames; the stored DUI again changes nothing', async () => {
  const [first, second, third] = ['00016297-5', '01234567-8', '02345678-9'];
  const before = await published();
  for (const [patientName, patientDui] of [
    ['Rosa Díaz', first],
    ['Rosa Díaz', first],
    ['Rosa Paz', first],
    ['Rosa Díaz', second],
    ['Ana Lucía Díaz', third],
    ['Ana Lucía Díaz', third],
  ])
    await book({ patientName, patientDui, patientPhone: phone });
  const dui = async (patientId: string) => (await s.patients.getPatient({ id: patientId }, s.asUser(id))).dui;
  expect([await dui(mother), await dui(child)]).toEqual([second, third]);
  const added = { from: null, to: '***' };
  const changed = { from: '***', to: '***' };
  expect(await s.audited(id, 'patient.updated')).toMatchObject([
    { entityId: mother, changes: { dui_sealed: added } },
    { entityId: mother, changes: { full_name: { from: 'Rosa Díaz', to: 'Rosa Paz' } } },
    { entityId: mother, changes: { full_name: { from: 'Rosa Paz', to: 'Rosa Díaz' }, dui_sealed: changed } },
    { entityId: child, changes: { dui_sealed: added } },
  ]);
  expect(await published()).toBe(before + 4);
});

test.each([
  ['a booking', 'appointment.booked', (who: object) => book({ ...who, patientDui: '00016297-5' })],
  ['a series', 'appointment.booked', (who: object) => series(who)],
  ['the waitlist', 'waitlist_entry.joined', (who: object) => join(who)],
])('a patient who is added by %s has one event and one entry in the audit log', async (_, action, call) => {
  const before = await published();
  await call({ patientName: 'Luis Paz', patientPhone: s.phone() });
  const [created] = (await s.audited(id, 'patient.created')).slice(2); // after mother and child
  expect(await nameOf(created?.entityId ?? '')).toBe('Luis Paz');
  if (action === 'appointment.booked') expect((await s.audited(id, action))[0]?.changes).toEqual({ patient_id: created?.entityId });
  expect([await published(), await s.audited(id, 'patient.updated')]).toEqual([before + 1, []]);
});

test('concurrent first bookings with one phone are one patient', async () => {
  const patientPhone = s.phone();
  const calls = TIMES.map((_, index) => book({ patientName: index % 2 ? 'Luis' : 'Luis Paz', patientPhone }));
  expect(await outcomes(calls)).toMatchObject({ answered: TIMES.length });
  expect(new Set((await Promise.all(calls)).map(({ patientId }) => patientId)).size).toBe(1);
});

test.each(['id', 'id and type', 'phone'])('a booking by %s locks the calendar of the doctor before the patient', async (reference) => {
  const fields = { name: 'Limpieza', durationMinutes: 30, color: '#112233' };
  const type = reference === 'id and type' ? await s.service.client(AppointmentTypeService).createAppointmentType(fields, s.asAdmin(id)) : undefined;
  const who = reference === 'phone' ? { patientName: 'Rosa Díaz', patientPhone: phone } : { patientId: mother, typeId: type?.id };
  expect(await locksDoctorFirst(s.service.database.ownerUrl, doctorId, mother, () => book(who))).toBe(true);
});

describe('while another transaction has locked the remaining patient of a merge, a booking by the phone of the merged record', () => {
  let merged: string;
  let mergedPhone: string;
  let mergeId: string;
  beforeEach(async () => {
    mergedPhone = s.phone();
    merged = (await s.patients.createPatient({ fullName: 'Rosa D.', phone: mergedPhone }, s.asUser(id))).id;
    mergeId = (await family().mergePatients({ keepId: mother, mergeId: merged }, s.asAdmin(id))).id;
    await owner.query('begin');
    await owner.query('select from scheduling.patients where id = $1 for update', [mother]);
  });

  test('does not lock the merged record, which others lock second', async () => {
    const booking = book({ patientName: 'Rosa Díaz', patientPhone: mergedPhone });
    await waitForLocked(s.service.database.ownerUrl);
    const unlocked = await owner.query('select from scheduling.patients where id = $1 for update skip locked', [merged]);
    await owner.query('rollback');
    expect((await booking).patientId).toBe(mother);
    expect(unlocked.rowCount).toBe(1);
  });

  test('is the booking of the former record when the merge is undone meanwhile', async () => {
    const undoing = family().undoMerge({ id: mergeId }, s.asAdmin(id));
    await waitForLocked(s.service.database.ownerUrl);
    const booking = book({ patientName: 'Rosa D.', patientPhone: mergedPhone });
    await waitForLocked(s.service.database.ownerUrl, 2);
    await owner.query('rollback');
    await undoing;
    expect((await booking).patientId).toBe(merged);
    expect(await nameOf(mother)).toBe('Rosa Díaz');
  });
});
